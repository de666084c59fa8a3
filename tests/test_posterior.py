"""Means, draws and spreads of posteriors."""

import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from scipy.stats import chisquare, kstest

from pseudocore.posterior import AlongPath, Empirical, Fixed, Gaussian, detach

CENTRE = jnp.array([1.0, -2.0, 0.5])
N = 20_000


def draws(posterior):
    return np.asarray(jax.jit(jax.vmap(posterior.sample))(jr.split(jr.key(0), N)))


@pytest.mark.parametrize(
    "scale", [jnp.asarray(0.3), jnp.array([0.1, 0.7, 2.0])], ids=["one", "own"]
)
def test_draws_of_a_gaussian_are_normal_and_independent(scale):
    q = Gaussian(CENTRE, scale)
    np.testing.assert_array_equal(q.mean(), CENTRE)
    standard = (draws(q) - np.asarray(CENTRE)) / np.asarray(scale)
    assert all(kstest(column, "norm").pvalue > 1e-3 for column in standard.T)
    correlations = np.corrcoef(standard.T)[np.triu_indices(3, 1)]
    assert np.abs(correlations).max() < 4 / N**0.5


def test_draws_of_a_chain_are_its_own_equally_often():
    chain = Empirical(jnp.arange(15.0).reshape(5, 3))
    np.testing.assert_allclose(chain.mean(), [6, 7, 8])
    drawn = draws(chain)
    index = (drawn[:, 0] / 3).astype(int)
    np.testing.assert_array_equal(drawn, chain.draws[index])
    assert chisquare(np.bincount(index, minlength=5)).pvalue > 1e-3


def test_a_draw_moves_with_its_gaussian_unless_detached():
    def total(q):
        return q.sample(jr.key(0)).sum()

    gradient = jax.grad(lambda q: total(q))(Gaussian(CENTRE, jnp.ones(3)))
    np.testing.assert_array_equal(gradient.centre, jnp.ones(3))
    assert (gradient.scale != 0).all()
    value, nothing = jax.value_and_grad(lambda q: total(detach(q)))(Gaussian(CENTRE, jnp.ones(3)))
    assert value == total(Gaussian(CENTRE, jnp.ones(3)))
    assert not any(leaf.any() for leaf in jax.tree.leaves(nothing))


def test_a_fixed_spread_ignores_the_path():
    assert Fixed(0.3)(jnp.zeros((4, 3))) == Fixed(0.3)(jr.normal(jr.key(0), (2, 3)))
    assert float(Fixed()(jnp.zeros((4, 3)))) == pytest.approx(0.01)


def test_along_a_path_the_variance_is_that_of_a_point_that_walks_it():
    path = jr.normal(jr.key(0), (6, 3)).cumsum(axis=0)
    times = (np.arange(50_000) + 0.5) / 50_000 * 5
    walk = np.stack([np.interp(times, np.arange(6), column) for column in np.asarray(path).T])
    np.testing.assert_allclose(AlongPath(0.2)(path) ** 2, 0.2**2 + walk.var(axis=1), rtol=1e-5)


@pytest.mark.parametrize("points", [2, 3, 9])
def test_a_straight_line_has_a_twelfth_of_its_squared_length(points: int):
    move = jnp.array([1.0, -2.0, 0.0])
    path = CENTRE + jnp.linspace(0, 1, points)[:, None] * move
    np.testing.assert_allclose(AlongPath(0.1)(path), jnp.sqrt(move**2 / 12 + 0.01), rtol=1e-5)


def test_a_small_move_around_a_large_value_is_not_lost():
    """Steps of a thousandth around 1024, all of them numbers that float32 holds exactly."""
    path = jnp.array([[0.0], [2.0], [1.0], [4.0]]) / 1024
    np.testing.assert_array_equal(AlongPath(0.0)(path + 1024), AlongPath(0.0)(path))


def test_a_path_that_rests_has_the_fixed_spread_and_a_gradient():
    rest = jnp.ones((4, 3))
    np.testing.assert_allclose(AlongPath(0.1)(rest), 0.1, rtol=1e-6)
    assert jnp.isfinite(jax.grad(lambda path: AlongPath(0.1)(path).sum())(rest)).all()
