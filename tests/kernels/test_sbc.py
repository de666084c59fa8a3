"""Simulation-based calibration (Talts et al. 2018) of textbook HMC, beside blackjax's NUTS.

Parameters are drawn from the prior, and labels from the model that they make. The parameters are
then one more draw of the posterior, so their rank among the draws of a chain is uniform. Parameters
drawn from the prior, whatever the labels, would pass too: the rank of their log-likelihood tells
(Modrák et al. 2023). Truth, labels and the density that NUTS sees are formulas written here, so a
model that weighs likelihood and prior wrongly is found out as well.
"""

import blackjax
import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from scipy.stats import chisquare

from pseudocore.data import labelled
from pseudocore.infer import MCMC
from pseudocore.kernels import HMC, Kernel, PublishedHMC
from pseudocore.model import Model
from pseudocore.networks import Function
from pseudocore.prior import GaussianPrior

DATASETS, POINTS = 500, 20
DEVIATIONS = np.array([0.5, 2.0, 2.0])  # of the prior: an offset and two slopes
KEPT, BURN = 19, 50  # draws that are ranked: twenty ranks, 25 datasets each
THIN, THIN_NUTS = 5, 5  # steps between them
UNLIKELY, IMPOSSIBLE = 1e-3, 1e-6
SURE = 4.5

RNG = np.random.default_rng(0)
X = RNG.standard_normal((POINTS, 2)).astype(np.float32)
TRUTH = DEVIATIONS * RNG.standard_normal((DATASETS, 1, 3))


def planes(theta: np.ndarray) -> np.ndarray:
    """The logit of the first class at every point."""
    return theta[..., :1] + theta[..., 1:] @ X.T


# 1 for a point of the first class, -1 for one of the second.
SIGNS = np.where(RNG.random((DATASETS, 1, POINTS)) < 1 / (1 + np.exp(-planes(TRUTH))), 1.0, -1.0)


class Uneven(GaussianPrior):
    """Slopes are large and the offset is small."""

    def deviation(self, shape):
        return 2.0 if len(shape) == 2 else 0.5


def fresh(key):
    return {"offset": jnp.zeros(1), "slope": jnp.zeros((2, 1))}


def forward(params, x):
    plane = x @ params["slope"] + params["offset"]
    return jnp.concatenate([plane, jnp.zeros_like(plane)], axis=1)


@eqx.filter_jit
def chains(kernel: Kernel, signs, mass):
    """Draws of one chain a dataset (datasets x KEPT x 3)."""
    chain = MCMC(kernel, BURN + THIN * KEPT, BURN)

    def one(key, signs):
        data = labelled(jnp.asarray(X), (signs < 0).astype(int), 2).with_mass(mass)
        model = Model.of(Function(fresh, forward), data, Uneven())
        key_start, key_run = jr.split(key)
        posterior = chain(key_run, model, data, chain.start(key_start, model))
        return posterior.draws[THIN - 1 :: THIN]

    return jax.vmap(one)(jr.split(jr.key(0), DATASETS), signs)


@jax.jit
def nuts(signs):
    """The same by blackjax."""

    def one(key, signs):
        def logdensity(z):
            theta = DEVIATIONS * z
            plane = theta[0] + X @ theta[1:]
            return jax.nn.log_sigmoid(signs * plane).sum() - 0.5 * z @ z

        sampler = blackjax.nuts(logdensity, 0.6, jnp.ones(3))

        def step(state, key):
            state, _ = sampler.step(key, state)
            return state, state.position

        key_start, key_steps = jr.split(key)
        start = sampler.init(0.3 * jr.normal(key_start, (3,)))
        _, z = jax.lax.scan(step, start, jr.split(key_steps, 20 + THIN_NUTS * KEPT))
        return DEVIATIONS * z[20 + THIN_NUTS - 1 :: THIN_NUTS]

    return jax.vmap(one)(jr.split(jr.key(1), DATASETS), signs)


def drawn(kernel: Kernel, mass: float = POINTS) -> np.ndarray:
    """A mass of 1 makes a mean of the likelihood's sum."""
    return np.asarray(chains(kernel, jnp.asarray(SIGNS[:, 0]), jnp.asarray(mass, float)), float)


TEXTBOOK = HMC(0.4, 4)
# Only the sign of the kinetic energy in the accept test is wrong.
PUBLISHED = PublishedHMC(0.4, 4, momentum=1.0)


@pytest.fixture(scope="module")
def ours() -> np.ndarray:
    return drawn(TEXTBOOK)


@pytest.fixture(scope="module")
def theirs() -> np.ndarray:
    return np.asarray(nuts(jnp.asarray(SIGNS[:, 0])), float)


@pytest.fixture(scope="module")
def published() -> np.ndarray:
    return drawn(PUBLISHED)


def uniformity(draws: np.ndarray) -> np.ndarray:
    """p-values of χ² tests that the truth's ranks are uniform: parameters, then log-likelihood."""

    def ranked(theta):
        loglik = -np.logaddexp(0, -SIGNS * planes(theta)).sum(axis=-1, keepdims=True)
        return np.concatenate([theta, loglik], axis=-1)

    ranks = (ranked(draws) < ranked(TRUTH)).sum(axis=1)
    counts = [np.bincount(column, minlength=KEPT + 1) for column in ranks.T]
    return chisquare(counts, axis=1).pvalue


def agreement(ours: np.ndarray, theirs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """z-scores over datasets of the gaps of mean and spread about the truth, and the gaps' size.

    The size is that of the gaps of means, squared, in units of what independent draws leave of it.
    """

    def moments(draws):
        about = draws - TRUTH
        return np.concatenate([about, about**2], axis=-1).mean(axis=1)

    gap = moments(ours) - moments(theirs)
    z = gap.mean(axis=0) / (gap.std(axis=0, ddof=1) / DATASETS**0.5)
    noise = (ours.var(axis=1, ddof=1) + theirs.var(axis=1, ddof=1)) / KEPT
    return z, (gap[:, :3] ** 2 / noise).mean(axis=0)


@pytest.mark.parametrize("draws", ["ours", "theirs"])
def test_the_draws_that_are_ranked_are_nearly_independent(draws, request):
    """Ranks among draws that hang together would not be uniform."""
    centred = request.getfixturevalue(draws)
    centred = centred - centred.mean(axis=1, keepdims=True)
    lag = (centred[:, 1:] * centred[:, :-1]).mean(axis=(0, 1)) / centred.var(axis=(0, 1))
    # Taken about their own mean, independent draws have -1/KEPT.
    assert np.abs(lag + 1 / KEPT).max() < 0.1, lag


@pytest.mark.parametrize("draws", ["ours", "theirs"])
def test_the_rank_of_the_truth_is_uniform(draws, request):
    p = uniformity(request.getfixturevalue(draws))
    assert p.min() > UNLIKELY, p


def test_means_and_spreads_are_those_of_nuts(ours, theirs):
    """On average over datasets, and on each of them within the noise of nineteen draws."""
    z, size = agreement(ours, theirs)
    assert np.abs(z).max() < SURE, z
    assert ((size > 0.75) & (size < 1.3)).all(), size


def test_the_published_accept_test_is_found_out(published, theirs):
    p = uniformity(published)
    assert p.max() < IMPOSSIBLE, p
    z, _ = agreement(published, theirs)
    assert np.abs(z).max() > 2 * SURE, z


def test_a_likelihood_that_is_a_mean_is_found_out_by_the_likelihood_alone(theirs):
    """It leaves the prior almost as it was, which is calibrated in every parameter."""
    draws = drawn(TEXTBOOK, mass=1.0)
    p = uniformity(draws)
    assert p[-1] < IMPOSSIBLE, p
    assert np.median(p[:-1]) > UNLIKELY, p
    _, size = agreement(draws, theirs)
    assert size.max() > 2, size


def test_draws_of_another_dataset_are_found_out(ours, theirs):
    other = np.roll(ours, 1, axis=0)
    assert uniformity(other)[-1] < IMPOSSIBLE
    assert agreement(other, theirs)[1].min() > 2
