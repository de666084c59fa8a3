"""The judges of the recipes, by protocol."""

import dataclasses

from pseudocore.augment import DSA, Augment
from pseudocore.augment.checks import takes
from pseudocore.data import Augmenting, Batching, Whole
from pseudocore.evaluate import Judge
from pseudocore.infer import MCMC, RawUnits
from pseudocore.kernels import HMC, SGHMC, PublishedHMC
from pseudocore.mass import FullMass, Mass, UnitWeights
from pseudocore.prior import FanIn, NormPenalty, Prior
from pseudocore.types import Shape


def textbook_hmc(kernel: HMC, chain: tuple[int, int], prior: Prior, mass: Mass) -> Judge:
    """Exact HMC in units of the prior, started nearer to its centre than draws of it."""
    return Judge("hmc", "textbook", MCMC(kernel, *chain), prior, mass)


def textbook_asghmc(
    kernel: SGHMC, chain: tuple[int, int], prior: Prior, mass: Mass, augment: Augment
) -> Judge:
    """A-SGHMC at temperature 1 with the augmentation that the coreset was learned with."""
    return Judge("a-sghmc", "textbook", MCMC(kernel, *chain), prior, mass, Augmenting(augment))


def full_data_sghmc(kernel: SGHMC, chain: tuple[int, int], prior: Prior, batch: int) -> Judge:
    """SGHMC on minibatches of the whole data: the posterior that coresets stand in for."""
    return Judge("sghmc", "textbook", MCMC(kernel, *chain), prior, FullMass(), Batching(batch))


def fitted(judge: Judge, shape: Shape) -> Judge:
    """The judge without an augmentation that is not one of such points: A-SGHMC is then SGHMC."""
    view = judge.view
    if not isinstance(view, Augmenting) or takes(view.augment, shape):
        return judge
    name = "sghmc" if judge.name == "a-sghmc" else judge.name
    return dataclasses.replace(judge, name=name, view=Whole())


# tab:sampling-hps: N, burn, m, σ_r, ε, λ for HMC and for A-SGHMC, which has α = .1, T = .01.
PAPER = {
    1: ((20, 10, 20, 0.01, 0.05, 0.5), (20, 10, 5, 0.1, 0.03, 1.0)),
    10: ((100, 50, 5, 0.1, 0.01, 1.5), (100, 50, 5, 0.1, 0.01, 1.5)),
    20: ((100, 50, 5, 0.1, 0.01, 1.5), (100, 50, 5, 0.1, 0.01, 1.0)),
    50: ((100, 50, 5, 0.01, 0.02, 0.1), (100, 50, 5, 0.01, 0.02, 0.1)),
}


# Chosen by benchmarks/choose_judge.py on held-out images of CIFAR-10, ipc 10, on an H200: the only
# HMC among 23 settings whose R-hat came below 1.1 (accepted .95, R-hat 1.09). With more weight on a
# point, chains of this length do not meet. A-SGHMC was at 1.22 after a third of this length.
def cifar10_judges() -> tuple[Judge, ...]:
    """Textbook HMC and A-SGHMC for the paper's ConvNet on CIFAR-10."""
    prior, mass = FanIn(1.5), UnitWeights()
    return (
        textbook_hmc(HMC(0.015, 40), (150, 75), prior, mass),
        textbook_asghmc(SGHMC(0.01, 30, 0.05), (300, 150), prior, mass, DSA()),
    )


def paper_judges(ipc: int, classes: int) -> tuple[Judge, ...]:
    """HMC and A-SGHMC as published; an ipc that the paper does not list takes the next lower row.

    The potential is M (mean cross-entropy + λ|θ|), so every point has weight 1 and the penalty Mλ.
    """
    hmc, asghmc = PAPER[max(row for row in PAPER if row <= ipc)]
    points = ipc * classes

    def judge(name: str, row: tuple, kernel, *view) -> Judge:
        iterations, burn, _, _, _, penalty = row
        chain = MCMC(kernel, iterations, burn, RawUnits(0.1))
        return Judge(name, "paper", chain, NormPenalty(points * penalty), UnitWeights(), *view)

    published = PublishedHMC(step_size=hmc[4], leapfrogs=hmc[2], momentum=hmc[3])
    altered = SGHMC(
        step_size=asghmc[4], leapfrogs=asghmc[2], friction=0.1, temperature=0.01, momentum=asghmc[3]
    )
    return judge("hmc", hmc, published), judge("a-sghmc", asghmc, altered, Augmenting(DSA()))
