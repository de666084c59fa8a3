"""The closed forms of the Gaussian world against quadrature, coordinate by coordinate."""

import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm
from tests.worlds.gaussian import Location, exact, kl, means, points, w2

from pseudocore.model import LogDensity
from pseudocore.posterior import Gaussian

P = Gaussian(jnp.array([0.3, -1.0]), jnp.array([0.5, 1.2]))
Q = Gaussian(jnp.array([-0.2, 0.4]), jnp.array([0.8, 0.7]))


def marginals():
    for i in range(2):
        p, q = ((float(g.centre[i]), float(g.scale[i])) for g in (P, Q))
        yield norm(*p), norm(*q)


def test_kl_is_the_integral_of_its_definition():
    total = 0.0
    for p, q in marginals():
        total += quad(lambda t, p=p, q=q: p.pdf(t) * (p.logpdf(t) - q.logpdf(t)), -15, 15)[0]
    assert kl(P, Q) == pytest.approx(total, rel=1e-5)
    assert kl(P, P) == 0
    assert kl(Q, P) != pytest.approx(total, rel=0.1)


def test_w2_is_the_integral_over_quantiles():
    total = 0.0
    for p, q in marginals():
        total += quad(lambda c, p=p, q=q: (p.ppf(c) - q.ppf(c)) ** 2, 0, 1)[0]
    assert w2(P, Q) == pytest.approx(total, rel=1e-4)
    assert w2(P, P) == 0
    assert means(P, Q) < 0.95 * total


def test_the_posterior_is_the_normalised_density():
    model = Location.at(jnp.array([0.7]), s=1.5)
    data = points(jr.key(0), 4, [0.5, 2.0, 0.0, 1.3], around=0.8, d=1)
    grid = np.linspace(-6, 6, 4001, dtype=np.float32)
    logdensity = LogDensity(model, data, jnp.ones(1))
    log_density = jax.vmap(logdensity)(jnp.asarray(grid)[:, None])
    density = np.exp(np.asarray(log_density - log_density.max(), np.float64))
    density /= density.sum()
    mean = density @ grid
    posterior = exact(model, data)
    np.testing.assert_allclose(posterior.centre[0], mean, rtol=1e-4)
    np.testing.assert_allclose(posterior.scale[0] ** 2, density @ (grid - mean) ** 2, rtol=1e-3)


def test_a_point_of_weight_two_is_two_points():
    model = Location.at(jnp.array([0.7, 2.0]))
    one = points(jr.key(0), 1, [2.0], d=2)
    two = jax.tree.map(lambda leaf: jnp.concatenate([leaf, leaf]), points(jr.key(0), 1, [1.0], d=2))
    heavy, double = exact(model, one), exact(model, two)
    np.testing.assert_allclose(heavy.centre, double.centre, rtol=1e-6)
    np.testing.assert_allclose(heavy.scale, double.scale, rtol=1e-6)
