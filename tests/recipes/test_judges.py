"""The judges of the paper: its potential, its start, its settings; and the textbook ones."""

import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from scipy.special import log_softmax

from pseudocore.augment import DSA
from pseudocore.data import Augmented, Data, Minibatches, labelled
from pseudocore.kernels import HMC, SGHMC, PublishedHMC
from pseudocore.mass import FullMass
from pseudocore.model import LogDensity, Model
from pseudocore.networks import ConvNet
from pseudocore.prior import GaussianPrior
from pseudocore.recipes import digits
from pseudocore.recipes.judges import paper_judges

# tab:sampling-hps of the paper, row by row as printed: N, m, burn, σ_θ, σ_r, ε, λ, α, T.
# For 50 and 100 the appendix says: as ipc 20, except σ_r .01, ε .02 and λ .1.
TABLE = {
    (1, "hmc"): (20, 20, 10, 0.1, 0.01, 0.05, 0.5, None, None),
    (1, "a-sghmc"): (20, 5, 10, 0.1, 0.1, 0.03, 1.0, 0.1, 0.01),
    (10, "hmc"): (100, 5, 50, 0.1, 0.1, 0.01, 1.5, None, None),
    (10, "a-sghmc"): (100, 5, 50, 0.1, 0.1, 0.01, 1.5, 0.1, 0.01),
    (20, "hmc"): (100, 5, 50, 0.1, 0.1, 0.01, 1.5, None, None),
    (20, "a-sghmc"): (100, 5, 50, 0.1, 0.1, 0.01, 1.0, 0.1, 0.01),
    (50, "hmc"): (100, 5, 50, 0.1, 0.01, 0.02, 0.1, None, None),
    (50, "a-sghmc"): (100, 5, 50, 0.1, 0.01, 0.02, 0.1, 0.1, 0.01),
    (100, "hmc"): (100, 5, 50, 0.1, 0.01, 0.02, 0.1, None, None),
    (100, "a-sghmc"): (100, 5, 50, 0.1, 0.01, 0.02, 0.1, 0.1, 0.01),
}
every = pytest.mark.parametrize(("ipc", "name"), TABLE, ids=str)


def judge_of(ipc: int, name: str):
    return {judge.name: judge for judge in paper_judges(ipc, 10)}[name]


@every
def test_settings_are_those_of_the_table(ipc, name):
    iterations, leapfrogs, burn, start, momentum, step, penalty, friction, cold = TABLE[ipc, name]
    judge = judge_of(ipc, name)
    chain, kernel = judge.chain, judge.chain.kernel
    assert judge.protocol == "paper"
    assert judge.mass.name == "1"
    assert (chain.iterations, chain.burn, chain.units.start) == (iterations, burn, start)
    assert (kernel.leapfrogs, kernel.momentum, kernel.step_size) == (leapfrogs, momentum, step)
    assert judge.prior.strength == pytest.approx(ipc * 10 * penalty)
    if name == "hmc":
        assert type(kernel) is PublishedHMC
    else:
        assert type(kernel) is SGHMC
        assert (kernel.friction, kernel.temperature) == (friction, cold)


def test_an_ipc_between_the_rows_takes_the_lower_one():
    assert judge_of(5, "hmc").chain == judge_of(1, "hmc").chain
    assert judge_of(49, "a-sghmc").chain == judge_of(20, "a-sghmc").chain


RNG = np.random.default_rng(0)
X = jnp.asarray(RNG.standard_normal((20, 4, 4, 1)), jnp.float32)
CORESET = labelled(X, jnp.arange(20, dtype=jnp.int32) % 10, 10)
MODEL = Model.of(ConvNet(1, 2), CORESET)


@pytest.mark.parametrize("name", ["hmc", "a-sghmc"])
def test_the_potential_is_m_times_mean_cross_entropy_plus_the_norm(name):
    """U = M (CE + λ|θ|): the norm not squared, every point counted once, at a chain's start."""
    judge, points = judge_of(10, name), 100
    coreset = labelled(jnp.tile(X, (5, 1, 1, 1)), jnp.arange(points, dtype=jnp.int32) % 10, 10)
    model = MODEL.with_prior(judge.prior)
    theta = judge.chain.start(jr.key(0), model)
    data = coreset.with_mass(judge.mass.of(points, 50_000))
    unit = judge.chain.units.of(model)
    logits = np.asarray(model.logits(theta, data.x), np.float64)
    crossed = -log_softmax(logits, axis=1)[np.arange(points), np.arange(points) % 10].mean()
    size = np.linalg.norm(np.asarray(theta, np.float64))
    expected = points * (crossed + 1.5 * size)
    found = -LogDensity(model, data, unit)(theta / unit)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert abs(expected - points * (crossed + 1.5 * size**2)) > 1


def test_chains_start_at_a_tenth_of_a_normal_in_every_coordinate():
    """Norm scales included: no warm start."""
    chain = judge_of(1, "hmc").chain
    starts = jax.vmap(lambda key: chain.start(key, MODEL))(jr.split(jr.key(0), 2000))
    np.testing.assert_allclose(starts.std(axis=0), 0.1, rtol=5 / np.sqrt(4000))
    np.testing.assert_allclose(starts.mean(axis=0), 0, atol=0.1 * 5 / np.sqrt(2000))
    norms = MODEL.layout.unravel(starts[0])["blocks"][0]["norm"]["scale"]
    assert jnp.abs(norms - 1).min() > 0.3


def test_hmc_sees_the_points_and_a_sghmc_their_augmentations():
    hmc, asghmc = judge_of(1, "hmc"), judge_of(1, "a-sghmc")
    assert isinstance(hmc.view(CORESET), Data)
    seen = asghmc.view(CORESET)
    assert isinstance(seen, Augmented)
    assert seen.augment == DSA()


@pytest.mark.parametrize("judges", [digits.MLP_JUDGES, digits.CONVNET_JUDGES], ids=["mlp", "conv"])
def test_textbook_judges_are_exact_and_at_temperature_one(judges):
    named = {judge.name: judge for judge in judges}
    hmc, asghmc = named["hmc"], named["a-sghmc"]
    assert {judge.protocol for judge in judges} == {"textbook"}
    assert type(hmc.chain.kernel) is HMC
    assert isinstance(hmc.view(CORESET), Data)
    assert asghmc.chain.kernel.temperature == asghmc.chain.kernel.momentum == 1
    assert isinstance(asghmc.view(CORESET), Augmented)
    for judge in judges:
        assert isinstance(judge.prior, GaussianPrior)


def test_the_full_data_are_judged_in_batches_at_their_own_mass():
    judge = digits.FULL_DATA
    assert isinstance(judge.view(CORESET), Minibatches)
    assert type(judge.mass) is FullMass
    assert judge.chain.kernel.temperature == 1
