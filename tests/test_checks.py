"""Every algorithm refuses the numbers it cannot work with, wherever it is built."""

import math

import pytest

import pseudocore as pc


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: pc.HMC(0.0), r"step_size=0\.0 must be above 0"),
        (lambda: pc.HMC(math.nan), "step_size=nan must be above 0"),
        (lambda: pc.HMC(0.1, 0), "leapfrogs=0 must be at least 1"),
        (lambda: pc.HMC(0.1, 1, 1.5), r"HMC\(jitter=1\.5\): choose jitter from 0\.0 to 1\.0"),
        (lambda: pc.HMC(0.1, 1, -0.1), r"jitter=-0\.1"),
        (lambda: pc.PublishedHMC(-0.1), r"step_size=-0\.1 must be above 0"),
        (lambda: pc.PublishedHMC(0.1, 0), "leapfrogs=0"),
        (lambda: pc.PublishedHMC(0.1, 1, 0.0), r"momentum=0\.0 must be above 0"),
        (lambda: pc.SGHMC(0.0), r"step_size=0\.0 must be above 0"),
        (lambda: pc.SGHMC(0.1, 0), "leapfrogs=0"),
        (lambda: pc.SGHMC(0.1, 1, 1.1), r"SGHMC\(friction=1\.1\): choose friction from 0\.0 to 1"),
        (lambda: pc.SGHMC(0.1, 1, -0.1), r"friction=-0\.1"),
        (lambda: pc.SGHMC(0.1, 1, 0.1, -1.0), r"temperature=-1\.0"),
        (lambda: pc.SGHMC(0.1, 1, 0.1, math.nan), "temperature=nan"),
        (lambda: pc.SGHMC(momentum=-1.0), r"momentum=-1\.0"),
        (lambda: pc.Tempered(0.0), r"mass\.weight=0\.0 must be above 0"),
        (lambda: pc.Isotropic(0.0), r"prior\.s=0\.0 must be above 0"),
        (lambda: pc.FanIn(-1.0), r"prior\.gain=-1\.0 must be above 0"),
        (lambda: pc.NormPenalty(-1.0), r"prior\.strength=-1\.0 must be at least 0"),
        (lambda: pc.Batching(0), r"view\.size=0 must be at least 1"),
        (lambda: pc.ForwardKL(0), r"divergence\.draws=0 must be at least 1"),
        (lambda: pc.ReverseKL(1), r"divergence\.draws=1 must be at least 2"),
        (lambda: pc.MCMC(pc.HMC(), 9, -1), r"chain\.burn=-1 must be at least 0"),
        (lambda: pc.OuterSGD(weights=-1.0), r"optimiser\.weights=-1\.0 must be at least 0"),
        (lambda: pc.OuterSGD(momentum=1.0), r"optimiser\.momentum=1\.0 must be below 1"),
        (lambda: pc.Training(0.0), r"training\.rate=0\.0 must be above 0"),
        (lambda: pc.Training(0.1, 0), r"training\.batch=0 must be at least 1"),
    ],
)
def test_a_number_that_makes_no_sense_is_named(build, said):
    with pytest.raises(pc.UserError, match=said):
        build()


def test_the_ends_of_the_ranges_are_allowed():
    assert pc.SGHMC(0.1, 1, 1.0, 0.0, 0.0).temperature == 0
    assert pc.HMC(0.1, 1, 0.0) == pc.HMC(0.1, 1, 0.0)
    assert (pc.ForwardKL(1).draws, pc.ReverseKL(2).draws, pc.Batching(1).size) == (1, 2, 1)
    assert pc.OuterSGD(images=0.0, momentum=0.0).images == 0
