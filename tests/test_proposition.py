"""The gradients that Proposition 1 compares, each against what it must be."""

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from tests.worlds.gaussian import location, points

from pseudocore import proposition
from pseudocore.claim import MATCHINGS, Smooth
from pseudocore.data import Data, labelled
from pseudocore.divergences import L2, InnerProduct
from pseudocore.gaussian import matching
from pseudocore.model import Model
from pseudocore.networks import ConvNet, Linear
from pseudocore.posterior import Gaussian
from pseudocore.proposition import slope, steps, student

covariance, path, direct = map(
    eqx.filter_jit, (proposition.covariance, proposition.path, proposition.direct)
)
descent, world = eqx.filter_jit(proposition.descent), eqx.filter_jit(matching.world)
exact, weighted = eqx.filter_jit(matching.exact), eqx.filter_jit(matching.weighted)


@pytest.fixture(autouse=True)
def _double():
    with jax.enable_x64(True):
        yield


def regression() -> tuple[Model, Data, Data, jax.Array]:
    keys = jr.split(jr.key(0), 3)
    u = labelled(jr.normal(keys[0], (6, 4)), jnp.arange(6) % 3, 3)
    x = labelled(jr.normal(keys[1], (30, 4)), jnp.arange(30) % 3, 3)
    model = Model.of(Linear(), u)
    return model, u, x, jr.normal(keys[2], (model.layout.size,))


def gradient(divergence, model, u, x, theta):
    return descent(divergence, jr.key(0), model, u, x, Gaussian(theta, jnp.zeros(())))


def close(a, b, within: float) -> bool:
    return float(jnp.linalg.norm(a - b)) < within * float(jnp.linalg.norm(b))


def test_steps_have_mean_0_and_covariance_1_to_the_last_digit():
    rows = steps(jr.key(0), 50)
    np.testing.assert_allclose(rows.T @ rows / 50, np.eye(50), atol=1e-13)
    np.testing.assert_allclose(jnp.linalg.norm(rows, axis=1), 50**0.5)
    assert not jnp.allclose(rows, steps(jr.key(1), 50), atol=0.1)


def test_the_covariance_is_that_of_numpy():
    model, u, x, theta = regression()
    noise = 0.5 * jr.normal(jr.key(3), (7, len(theta)))

    @jax.jit
    @jax.vmap
    def at(draw):
        ascent = slope(lambda u: model.loglik(draw, u), u).ravel()
        return ascent, model.loglik(draw, x) - model.loglik(draw, u)

    ascents, gaps = at(jnp.concatenate([theta + noise, theta - noise]))
    rows = np.cov(ascents.T, gaps, bias=True)[-1, :-1]
    np.testing.assert_allclose(covariance(model, u, x, theta, noise).ravel(), -rows, rtol=1e-10)


@pytest.mark.parametrize("sigma", [1e-3, 1.0, 10.0])
def test_where_l_is_quadratic_it_is_l2_matching_at_every_width(sigma):
    model, u, x = location(), points(jr.key(1), 4), points(jr.key(2), 9, around=1.0)
    theta = jnp.array([0.3, -0.2, 0.5])
    found = covariance(model, u, x, theta, sigma * steps(jr.key(0), 3)) / sigma**2
    assert close(found, gradient(L2(), model, u, x, theta), 1e-8)


def test_it_is_l2_matching_up_to_the_square_of_the_width():
    model, u, x, theta = regression()
    noise = steps(jr.key(0), len(theta))
    claimed = gradient(L2(), model, u, x, theta)
    errors = [
        float(jnp.linalg.norm(covariance(model, u, x, theta, s * noise) / s**2 - claimed))
        for s in (1e-2, 1e-3, 1e-4)
    ]
    np.testing.assert_allclose(np.divide(errors[:-1], errors[1:]), 100, rtol=0.05)
    assert not close(gradient(InnerProduct(), model, u, x, theta), claimed, 0.2)


@pytest.mark.parametrize("rate", [1e-6, 0.5])
def test_the_route_of_the_proof_is_the_chain_rule_through_theta(rate):
    """η (∂_u g_u)ᵀ (g_u - g_x), the first factor at θ_0 and the second at θ(u): no other term."""
    model, u, x, start = regression()
    uphill = eqx.filter_jit(jax.grad(model.loglik))
    theta = student(model, u, start, jnp.asarray(rate))
    gap = uphill(theta, u) - uphill(theta, x)
    claimed = rate * slope(lambda u: jnp.vdot(uphill(start, u), gap), u)
    assert close(path(model, u, x, start, jnp.asarray(rate)), claimed, 1e-9)


def test_to_first_order_the_routes_are_l2_and_inner_product():
    model, u, x, start = regression()
    rate = jnp.asarray(1e-7)
    l2, inner = (gradient(d, model, u, x, start) for d in MATCHINGS[:2])
    assert close(path(model, u, x, start, rate) / rate, l2, 1e-5)
    assert close(direct(model, u, x, start, rate) / rate, inner, 1e-5)
    assert not close(l2, inner, 0.2)


@pytest.mark.parametrize("spread", [1.0, 30.0])
def test_the_exact_gradient_is_l2_matching_in_the_posterior_covariance(spread):
    model, u, x = world(jr.key(4), jnp.asarray(spread))
    truth = exact(model, u, x)
    plain = gradient(L2(), model, u, x, model.posterior(u).mean())
    assert close(weighted(model, u, x), truth, 1e-9)
    parallel = jnp.vdot(plain, truth) / jnp.linalg.norm(plain) / jnp.linalg.norm(truth)
    assert (float(parallel) > 1 - 1e-12) is (spread == 1.0)


def test_the_smooth_network_has_the_parameters_of_the_other_and_no_kinks():
    x = labelled(jr.normal(jr.key(0), (5, 4, 4, 1)), jnp.arange(5), 5)
    smooth, kinked = (Model.of(network, x) for network in (Smooth(1, 2), ConvNet(1, 2)))
    assert smooth.layout == kinked.layout
    theta, along = (jr.normal(key, (smooth.layout.size,)) for key in jr.split(jr.key(1)))

    @eqx.filter_jit
    def bend(model: Model):
        """The largest jump of the slope of l along a line."""
        places = theta + jnp.linspace(0, 0.01, 2001)[:, None] * along
        slopes = jax.vmap(lambda place: jnp.vdot(jax.grad(model.loglik)(place, x), along))(places)
        return jnp.abs(jnp.diff(slopes, n=2)).max()

    assert bend(kinked) > 100 * bend(smooth)
