"""The Gaussian worlds against quadrature, scipy and definitions, in double precision."""

import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree
from scipy.integrate import quad
from scipy.linalg import sqrtm
from scipy.stats import multivariate_normal, norm, ortho_group
from tests.worlds.gaussian import (
    CENTRE,
    NOISE,
    SPREAD,
    WORLDS,
    correlated,
    mean_field,
    means,
    points,
)

from pseudocore.data import Data
from pseudocore.gaussian import kl, w2
from pseudocore.posterior import Correlated


@pytest.fixture(autouse=True)
def double():
    with jax.enable_x64(True):
        yield


def close(found, expected, tolerance: float = 1e-9) -> None:
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def grid(d: int) -> tuple[np.ndarray, float]:
    """Points so dense that their sum times a cell is an integral, and the cell."""
    line = np.linspace(-12, 12, 97 if d == 3 else 193)
    nodes = np.stack([axis.ravel() for axis in np.meshgrid(*[line] * d)], axis=1)
    return nodes, (line[1] - line[0]) ** d


# The models.


def location_by_scipy(theta: np.ndarray, u: Data) -> np.ndarray:
    d = theta.shape[1]
    return sum(
        w * multivariate_normal(x, NOISE[:d, :d]).logpdf(theta)
        for x, w in zip(*map(np.asarray, (u.x, u.w)), strict=True)
    )


def regression_by_scipy(theta: np.ndarray, u: Data) -> np.ndarray:
    return sum(
        w * norm(theta @ x, 0.8).logpdf(y)
        for x, y, w in zip(*map(np.asarray, (u.x, u.y[:, 0], u.w)), strict=True)
    )


BY_SCIPY = {"location": location_by_scipy, "regression": regression_by_scipy}
both = pytest.mark.parametrize("name", WORLDS)


def prior_by_scipy(theta: np.ndarray) -> np.ndarray:
    d = theta.shape[1]
    return multivariate_normal(CENTRE[:d], SPREAD[:d, :d]).logpdf(theta)


@both
def test_likelihood_and_prior_are_scipy_s_up_to_a_constant(name):
    model, u = WORLDS[name](), points(jr.key(0), 4)
    theta = 2 * np.random.default_rng(0).standard_normal((9, 3))
    loglik = jax.jit(jax.vmap(lambda theta: model.loglik(theta, u)))(theta)
    assert np.ptp(loglik - BY_SCIPY[name](theta, u)) < 1e-9
    logprior = jax.jit(jax.vmap(model.logprior))(theta)
    assert np.ptp(logprior - prior_by_scipy(theta)) < 1e-9


@both
def test_the_posterior_is_the_normalised_density(name):
    u, (theta, _) = points(jr.key(0), 4, around=0.8, d=2), grid(2)
    log_density = BY_SCIPY[name](theta, u) + prior_by_scipy(theta)
    density = np.exp(log_density - log_density.max())
    density /= density.sum()
    mean = density @ theta
    posterior = WORLDS[name](2).posterior(u)
    close(posterior.centre, mean)
    close(posterior.covariance, (theta - mean).T * density @ (theta - mean))
    assert abs(posterior.covariance[0, 1]) > 0.02


@both
def test_a_point_of_weight_two_is_two_points(name):
    one = points(jr.key(0), 1)
    heavy = WORLDS[name]().posterior(one.with_mass(2.0))
    one = one.with_mass(1.0)
    double = WORLDS[name]().posterior(jax.tree.map(lambda leaf: jnp.concatenate([leaf] * 2), one))
    close(heavy.centre, double.centre)
    close(heavy.covariance, double.covariance)


@both
def test_data_without_weight_leave_the_prior(name):
    posterior = WORLDS[name]().posterior(points(jr.key(0), 4).with_mass(0.0))
    close(posterior.centre, CENTRE)
    close(posterior.covariance, SPREAD)


@both
def test_what_moves_the_posterior(name):
    """In the regression everything moves its mean, and all but the labels its covariance."""
    model, u = WORLDS[name](), points(jr.key(0), 4)

    def moves(part):
        gradient = jax.jit(jax.grad(part))(u)
        return tuple(bool((leaf != 0).all()) for leaf in jax.tree.leaves(gradient))

    mean = moves(lambda u: model.posterior(u).centre[1])
    covariance = moves(lambda u: model.posterior(u).covariance[0, 1])
    regression = name == "regression"
    assert mean == (True, regression, True)
    assert covariance == (regression, False, True)


# Distances.


def gaussian(centre, factor) -> Correlated:
    return Correlated(jnp.asarray(centre), jnp.asarray(factor))


def pair(d: int = 3) -> tuple[Correlated, Correlated]:
    """Two Gaussians that share neither place, size nor axes, by factors of no special form."""
    p = np.array([[0.9, 0.2, -0.5], [-0.4, 1.3, 0.1], [0.3, 0.6, 0.7]])
    q = np.array([[1.1, -0.6, 0.2], [0.5, 0.8, 0.3], [-0.1, 0.4, 1.5]])
    here, there = np.array([0.3, -1.0, 0.5]), np.array([-0.2, 0.4, 0.9])
    return gaussian(here[:d], p[:d, :d]), gaussian(there[:d], q[:d, :d])


def by_scipy(q: Correlated):
    return multivariate_normal(np.asarray(q.centre), np.asarray(q.covariance))


def mapped(q: Correlated, matrix, shift) -> Correlated:
    """The law of matrix · θ + shift."""
    return gaussian(matrix @ q.centre + shift, matrix @ q.factor)


MATRIX = np.array([[1.4, 0.3, -0.8], [0.1, 0.6, 0.5], [-0.7, 0.2, 2.0]])
SHIFT = np.array([3.0, -1.0, 0.4])
ROTATIONS = ortho_group(3, seed=0).rvs(500)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_kl_is_the_integral_of_its_definition_both_ways(d):
    (theta, cell), (p, q) = grid(d), pair(d)
    p_at, q_at = by_scipy(p).logpdf(theta), by_scipy(q).logpdf(theta)
    forth, back = np.exp(p_at) @ (p_at - q_at) * cell, np.exp(q_at) @ (q_at - p_at) * cell
    close(kl(p, q), forth)
    close(kl(q, p), back)
    assert abs(forth - back) > 0.05


def test_kl_does_not_see_an_affine_map():
    p, q = pair()
    close(kl(mapped(p, MATRIX, SHIFT), mapped(q, MATRIX, SHIFT)), kl(p, q))
    assert abs(kl(mapped(p, MATRIX, SHIFT), q) - kl(p, q)) > 1


@pytest.mark.parametrize("d", [1, 2, 3])
def test_w2_is_the_bures_distance_by_scipy_s_square_roots(d):
    p, q = pair(d)
    a, b = np.asarray(p.covariance), np.asarray(q.covariance)
    bures = np.trace(a + b - 2 * sqrtm(sqrtm(a) @ b @ sqrtm(a)))
    close(w2(p, q), means(p, q) + bures)
    assert bures > 0.01


def test_w2_is_the_integral_over_quantiles():
    p, q = pair(1)
    one, other = (norm(float(g.centre[0]), abs(float(g.factor[0, 0]))) for g in (p, q))
    total = quad(lambda c: (one.ppf(c) - other.ppf(c)) ** 2, 0, 1)[0]
    close(w2(p, q), total, 1e-6)


def test_w2_is_the_least_cost_of_moving_one_onto_the_other():
    """The linear maps of p onto q are F_q R F_p⁻¹, R a rotation: the symmetric one is cheapest."""
    p, q = pair()
    a, b = np.asarray(p.covariance), np.asarray(q.covariance)

    def cost(push):
        close(push @ a @ push.T, b)
        left = push - np.eye(3)
        return means(p, q) + np.trace(left @ a @ left.T)

    root, unroot = sqrtm(a), np.linalg.inv(sqrtm(a))
    close(w2(p, q), cost(unroot @ sqrtm(root @ b @ root) @ unroot))
    assert w2(p, q) < min(cost(q.factor @ turn @ np.linalg.inv(p.factor)) for turn in ROTATIONS)


def test_w2_is_symmetric_and_sees_lengths_only():
    p, q = pair()
    close(w2(q, p), w2(p, q))
    turned = (mapped(g, ROTATIONS[0], SHIFT) for g in (p, q))
    close(w2(*turned), w2(p, q))
    stretched = (mapped(g, 3 * np.eye(3), 0) for g in (p, q))
    close(w2(*stretched), 9 * w2(p, q))


@pytest.mark.parametrize("distance", [kl, w2])
def test_a_distance_is_zero_from_a_law_to_itself_only_however_it_is_factored(distance):
    p, q = pair()
    turned = gaussian(p.centre, p.factor @ ROTATIONS[0])
    close(distance(p, p), 0)
    close(distance(p, turned), 0)
    close(distance(turned, q), distance(p, q))
    close(distance(q, turned), distance(q, p))
    assert distance(p, gaussian(p.centre, 1.1 * p.factor)) > 0.01
    assert distance(p, gaussian(p.centre + 0.2, p.factor)) > 0.01


@both
def test_gradients_of_distances_between_posteriors_are_slopes(name):
    """In points, labels and weights of either side, by central differences."""
    model = WORLDS[name]()
    flat, unravel = ravel_pytree((points(jr.key(0), 4), points(jr.key(1), 6, around=-0.4)))

    def distances(flat):
        p, q = (model.posterior(data) for data in unravel(flat))
        return jnp.stack([kl(p, q), w2(p, q)])

    @jax.jit
    @jax.vmap
    def slope(direction):
        return (distances(flat + 1e-5 * direction) - distances(flat - 1e-5 * direction)) / 2e-5

    close(jax.jit(jax.jacrev(distances))(flat).T, slope(jnp.eye(len(flat))), 1e-7)


def test_a_mean_field_is_the_closest_gaussian_without_correlations():
    """Of all N(m, diag(s²)) it has the least KL(q || ·)."""
    q = pair()[1]
    field = mean_field(q)
    slope = jax.jit(jax.grad(lambda field: kl(q, correlated(field))))(field)
    close(slope.centre, 0)
    close(slope.scale, 0)
    assert kl(q, correlated(field)) > 0.05
