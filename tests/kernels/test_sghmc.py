"""SGHMC against blackjax's diffusion, step by step, with the noise that our key stands for.

Their friction is ours divided by the step; they take the gradient from outside, ours is taken after
the drift; their full kernel redraws the momentum, ours carries it.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from blackjax.sgmcmc import diffusions
from scipy.stats import kstest

from pseudocore.data import Data, Source
from pseudocore.kernels import SGHMC
from pseudocore.kernels.sghmc import SGHMCState
from pseudocore.model import Target

SIZE = 9
STEP, FRICTION = 0.1, 0.05


@eqx.filter_jit
def step(key, kernel, target, state):
    return kernel.step(key, target, state)


@eqx.filter_jit
def kicks(keys, kernel, target):
    """The momentum of a particle at rest at 0 after one step, one row a key."""
    rest = SGHMCState(jnp.zeros(SIZE), jnp.zeros(SIZE))
    return jax.vmap(lambda key: kernel.step(key, target, rest)[0].momentum)(keys)


def state_at(number: int) -> SGHMCState:
    key_z, key_r = jr.split(jr.key(number))
    return SGHMCState(jr.normal(key_z, (SIZE,)), jr.normal(key_r, (SIZE,)))


@pytest.fixture(scope="module")
def noise(flat):
    """What a key does to a particle at rest when nothing pulls, over √(2α): one row a key."""
    kernel = SGHMC(STEP, 1, FRICTION, temperature=1.0)
    return lambda keys: np.asarray(kicks(keys, kernel, flat)) / np.sqrt(2 * FRICTION)


def test_the_noise_has_variance_two_alpha_t(noise):
    draws = noise(jr.split(jr.key(0), 500))
    assert kstest(draws.ravel(), "norm").pvalue > 1e-4
    correlation = np.corrcoef(draws.T) - np.eye(SIZE)
    assert np.abs(correlation).max() < 4.5 / np.sqrt(500)


@pytest.mark.parametrize("temperature", [0.0, 0.01, 1.0])
def test_every_step_is_that_of_blackjax(temperature, target, noise, monkeypatch):
    """Position to the last bits, momentum and noise included, along a path of six steps."""
    kernel = SGHMC(STEP, 1, FRICTION, temperature)
    keys = jr.split(jr.key(1), 6)
    draws = iter(noise(keys))
    monkeypatch.setattr(diffusions, "generate_gaussian_noise", lambda key, like: next(draws))
    theirs = diffusions.sghmc(alpha=FRICTION / STEP)
    density = jax.jit(jax.value_and_grad(target))
    ours = state_at(2)
    position, momentum = ours.z, ours.momentum
    for key in keys:
        ours, info = step(key, kernel, target, ours)
        value, gradient = density(position + STEP * momentum)
        position, momentum = theirs(key, position, momentum, gradient, STEP, temperature)
        np.testing.assert_allclose(ours.z, position, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(ours.momentum, momentum, rtol=1e-5, atol=2e-6)
        np.testing.assert_allclose(info.energy, -value, rtol=1e-5)
        assert jnp.isnan(info.accepted)


def test_the_gradient_before_the_drift_would_have_been_seen(target):
    start = state_at(2)
    ours, _ = step(jr.key(0), SGHMC(STEP, 1, FRICTION, 0.0), target, start)
    early = (1 - FRICTION) * start.momentum + STEP * jax.grad(target)(start.z)
    assert jnp.abs(ours.momentum - early).max() > 1e-2


def test_momentum_is_carried_over(target):
    """Without noise, two steps of three are one step of six."""
    three, six = SGHMC(STEP, 3, FRICTION, 0.0), SGHMC(STEP, 6, FRICTION, 0.0)
    split = state_at(2)
    for key in jr.split(jr.key(0)):
        split, _ = step(key, three, target, split)
    whole, _ = step(jr.key(1), six, target, state_at(2))
    np.testing.assert_allclose(split.z, whole.z, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(split.momentum, whole.momentum, rtol=1e-5, atol=1e-6)


def test_the_first_momentum_has_its_scale(target):
    kernel = SGHMC(momentum=0.1)
    init = jax.jit(jax.vmap(lambda key: kernel.init(key, target, jnp.zeros(SIZE))))
    momentum = np.asarray(init(jr.split(jr.key(0), 300)).momentum)
    assert kstest(momentum.ravel() / 0.1, "norm").pvalue > 1e-4


def test_every_inner_step_draws_its_own_noise(flat):
    """Of 8 independent kicks the variance is 2αT Σ (1-α)^2k; of one repeated, five times that."""
    draws = np.asarray(kicks(jr.split(jr.key(0), 1000), SGHMC(STEP, 8, FRICTION), flat))
    expected = 2 * FRICTION * ((1 - FRICTION) ** (2 * np.arange(8))).sum()
    np.testing.assert_allclose(draws.var(), expected, rtol=5 * np.sqrt(2 / draws.size))


class Flicker(Source):
    """The same points, all on or all off by a coin."""

    data: Data
    on: float = eqx.field(static=True, default=0.5)

    def draw(self, key):
        return self.data.with_mass(self.data.mass * jr.bernoulli(key, self.on))

    @property
    def plain(self):
        return self.data


def test_every_inner_step_draws_its_own_data(target):
    """Of 16 coins that pull or do not, the sum has the variance of 16, not of one times 16²."""
    steps, short = 16, 1e-3
    kernel = SGHMC(short, steps, friction=0.0)
    moving = Target(target.model, Flicker(target.data), target.unit)
    pull = np.asarray(jax.grad(target)(jnp.zeros(SIZE)))
    moved = np.asarray(kicks(jr.split(jr.key(0), 1000), kernel, moving))
    pulls = moved @ pull / (short * pull @ pull)
    np.testing.assert_allclose(pulls.mean(), steps / 2, atol=4 * np.sqrt(steps / 4 / 1000))
    np.testing.assert_allclose(pulls.var(), steps / 4, rtol=4 * np.sqrt(2 / 1000))
