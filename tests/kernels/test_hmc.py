"""HMC against blackjax: the same trajectories, the same accept test, the same law."""

import blackjax
import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from blackjax.mcmc import hmc, integrators, metrics

from pseudocore.augment import Unchanged
from pseudocore.data import Augmented, Minibatches
from pseudocore.kernels import HMC, PublishedHMC
from pseudocore.kernels.hmc import leapfrog
from pseudocore.kernels.metropolis import Point
from pseudocore.model import LogDensity, Target

SIZE = 9
STEP, LEAPFROGS = 0.6, 5
PUBLISHED = PublishedHMC(STEP, LEAPFROGS, momentum=0.8)
METRIC = metrics.default_metric(jnp.ones(SIZE))


def normals(number: int, *shape: int) -> jax.Array:
    return jr.normal(jr.key(number), (*shape, SIZE))


def blackjax_state(target: LogDensity, z, momentum) -> integrators.IntegratorState:
    return integrators.IntegratorState(z, momentum, *jax.value_and_grad(target)(z))


def test_the_trajectory_is_that_of_blackjax(target):
    """Position, momentum, density and gradient after every leapfrog step, to float precision."""
    verlet = jax.jit(integrators.velocity_verlet(target, METRIC.kinetic_energy))
    one = jax.jit(lambda state, momentum: leapfrog(target, state, momentum, STEP, 1))
    z, momentum = normals(0), normals(1)
    theirs, ours = blackjax_state(target, z, momentum), (Point.at(target, z), momentum)
    for _ in range(LEAPFROGS):
        theirs, ours = verlet(theirs, STEP), one(*ours)
        state, momentum = ours
        np.testing.assert_allclose(state.z, theirs.position, rtol=2e-5, atol=2e-6)
        np.testing.assert_allclose(momentum, theirs.momentum, rtol=2e-5, atol=1e-5)
        np.testing.assert_allclose(state.value, theirs.logdensity, rtol=1e-5)
        np.testing.assert_allclose(state.gradient, theirs.logdensity_grad, rtol=2e-5, atol=1e-5)


def test_many_steps_are_one_step_many_times_and_come_back(target):
    @jax.jit
    def paths(z, momentum):
        once = start = Point.at(target, z), momentum
        for _ in range(2):
            once = leapfrog(target, *once, STEP, 1)
        end, last = leapfrog(target, *start, STEP, 2)
        return once[0].z, end.z, leapfrog(target, end, -last, STEP, 2)[0].z

    once, end, back = paths(normals(0), normals(1))
    np.testing.assert_allclose(end, once, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(back, normals(0), rtol=1e-4, atol=1e-5)


@eqx.filter_jit
def steps(kernel, target, keys, z):
    """One step from every z: where it went, and the infos."""

    def one(key, z):
        return kernel.step(key, target, kernel.init(key, target, z))

    return jax.vmap(one)(keys, z)


@pytest.fixture(scope="module")
def proposals(target, flat):
    """200 points and keys; the momenta that the keys stand for; what blackjax makes of them."""
    keys, z = jr.split(jr.key(3), 200), normals(4, 200)

    def momenta(kernel):
        moved, _ = steps(kernel, flat, keys, jnp.zeros_like(z))
        return moved.z / (kernel.step_size * kernel.leapfrogs)

    propose = hmc.hmc_proposal(
        integrators.velocity_verlet(target, METRIC.kinetic_energy),
        METRIC.kinetic_energy,
        STEP,
        LEAPFROGS,
        jnp.inf,
    )

    @jax.jit
    @jax.vmap
    def theirs(key, z, momentum):
        _, info, _ = propose(key, blackjax_state(target, z, momentum))
        return info.acceptance_rate, info.proposal

    return keys, z, momenta, lambda momentum: theirs(keys, z, momentum)


def test_every_proposal_and_its_acceptance_are_those_of_blackjax(target, proposals):
    keys, z, momenta, theirs = proposals
    kernel = HMC(STEP, LEAPFROGS, jitter=0.0)
    probability, proposal = theirs(momenta(kernel))
    state, info = steps(kernel, target, keys, z)
    assert 0.5 < probability.mean() < 0.9  # the test has something to reject
    np.testing.assert_allclose(info.accepted, probability, atol=1e-4)
    went = ~(state.z == z).all(axis=1)
    np.testing.assert_allclose(state.z[went], proposal.position[went], rtol=1e-4, atol=1e-4)
    # As often as it says: the sum of independent coins.
    spread = np.sqrt((probability * (1 - probability)).sum())
    assert abs(went.sum() - probability.sum()) < 4 * spread


def test_the_published_accept_test_has_the_sign_of_the_kinetic_energy_reversed(target, proposals):
    keys, z, momenta, theirs = proposals
    momentum = momenta(PUBLISHED)
    np.testing.assert_allclose(momentum.std(), 0.8, rtol=0.05)
    _, proposal = theirs(momentum)
    kinetic = [0.5 * (r**2).sum(axis=1) for r in (proposal.momentum, momentum)]
    gain = proposal.logdensity - jax.vmap(target)(z)
    expected = jnp.exp(jnp.minimum(0.0, gain + (kinetic[0] - kinetic[1])))
    right = jnp.exp(jnp.minimum(0.0, gain - (kinetic[0] - kinetic[1])))
    _, info = steps(PUBLISHED, target, keys, z)
    np.testing.assert_allclose(info.accepted, expected, atol=2e-4)
    assert jnp.abs(expected - right).max() > 0.5


def chains(step, init, start, keys):
    """Draws and acceptance (chains x steps) of a kernel given as step(key, state)."""

    def chain(z, key):
        _, out = jax.lax.scan(lambda s, k: step(k, s), init(z), jr.split(key, 200))
        return out

    draws, accepted = jax.device_get(jax.jit(jax.vmap(chain))(start, keys))
    return draws[:, 30:].astype(np.float64), accepted[:, 30:].astype(np.float64)


def gap(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """z-scores of the differences of means, from the spread of independent chains."""
    ours, theirs = ours.mean(axis=1), theirs.mean(axis=1)
    error = np.sqrt(ours.var(axis=0, ddof=1) / len(ours) + theirs.var(axis=0, ddof=1) / len(theirs))
    return (ours.mean(axis=0) - theirs.mean(axis=0)) / error


def test_law_and_acceptance_are_those_of_blackjax(target):
    start, keys = normals(5, 200), jr.split(jr.key(6), 200)
    kernel = HMC(STEP, LEAPFROGS, jitter=0.0)
    oracle = blackjax.hmc(target, STEP, jnp.ones(SIZE), LEAPFROGS)

    def ours(key, state):
        state, info = kernel.step(key, target, state)
        return state, (state.z, info.accepted)

    def theirs(key, state):
        state, info = oracle.step(key, state)
        return state, (state.position, info.acceptance_rate)

    ours = chains(ours, lambda z: kernel.init(keys[0], target, z), start, keys)
    theirs = chains(theirs, oracle.init, start, jr.split(jr.key(7), 200))
    for statistic in (lambda draws: draws, np.square, lambda draws: draws**4):
        assert np.abs(gap(statistic(ours[0]), statistic(theirs[0]))).max() < 4.5
    assert abs(gap(ours[1], theirs[1])) < 4
    # So small are the error bars: a hundredth more or less accepted would be seen.
    assert theirs[1].mean(axis=1).std() / np.sqrt(200) < 0.0025


def test_the_step_is_jittered_within_its_bounds(flat, proposals):
    keys, z, *_ = proposals
    zeros = jnp.zeros_like(z)
    straight, _ = steps(HMC(STEP, LEAPFROGS, jitter=0.0), flat, keys, zeros)
    jittered, _ = steps(HMC(STEP, LEAPFROGS, jitter=0.2), flat, keys, zeros)
    stretch = np.asarray(jittered.z) / np.asarray(straight.z)
    np.testing.assert_allclose(stretch, np.broadcast_to(stretch[:, :1], stretch.shape), rtol=1e-5)
    assert 0.8 <= stretch.min() + 1e-5 < 0.81
    assert 1.19 < stretch.max() - 1e-5 <= 1.2


@pytest.mark.parametrize("kernel", [HMC(STEP, LEAPFROGS, jitter=0.0), PUBLISHED], ids=repr)
def test_a_proposal_that_diverged_is_refused(kernel, steep, proposals):
    keys, z, *_ = proposals
    after, info = steps(kernel, steep, keys, jnp.zeros_like(z))
    assert (info.accepted == 0).all()
    assert info.healthy.all()
    assert (after.z == 0).all()


class Cliff(LogDensity):
    """Finite everywhere, but without a gradient beyond 2."""

    def __call__(self, z):
        inside = jnp.abs(z).max() < 2
        return jnp.where(inside, 0.0, jnp.sqrt(jnp.where(inside, 1.0, 0.0 * z[0])))


def test_a_proposal_without_a_gradient_is_refused_and_counts_as_refused(target):
    """nan in the accept test must be no acceptance, not nan, which passes every threshold."""
    cliff = Cliff(target.model, target.data, target.unit)
    value, gradient = jax.value_and_grad(cliff)(jnp.full(SIZE, 3.0))
    assert jnp.isfinite(value)
    assert jnp.isnan(gradient).any()
    after, info = steps(HMC(9.0, 1), cliff, jr.split(jr.key(0), 3), jnp.zeros((3, SIZE)))
    assert (info.accepted == 0).all()
    assert (after.z == 0).all()


@pytest.mark.parametrize("kernel", [HMC(), PublishedHMC()], ids=repr)
def test_a_moving_target_is_refused(kernel, target):
    for source in (Augmented(target.data, Unchanged()), Minibatches(target.data, 4)):
        moving = Target(target.model, source, target.unit)
        with pytest.raises(TypeError, match="needs a fixed one"):
            kernel.init(jr.key(0), moving, normals(0))
        with pytest.raises(TypeError, match="use SGHMC"):
            kernel.step(jr.key(0), moving, kernel.init(jr.key(0), target, normals(0)))
