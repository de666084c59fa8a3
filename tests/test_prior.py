"""Priors against scipy, and the lengths they give a sampler."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import norm

from pseudocore.prior import FanIn, Isotropic, NormPenalty
from pseudocore.tree import Layout

# What networks have: a convolution, its bias and norm, a dense layer and its bias, a lone number.
SHAPES = [(3, 3, 16, 32), (32,), (128, 10), (10,), ()]
LAYOUT = Layout.of([jax.ShapeDtypeStruct(shape, jnp.float32) for shape in SHAPES])
THETA = np.random.default_rng(0).standard_normal((2, LAYOUT.size)).astype(np.float32)


def repeated(*values: float) -> np.ndarray:
    return np.repeat(values, [int(np.prod(shape)) for shape in SHAPES])


@pytest.mark.parametrize(
    ("prior", "deviations"),
    [
        (Isotropic(), repeated(1, 1, 1, 1, 1)),
        (Isotropic(0.5), repeated(0.5, 0.5, 0.5, 0.5, 0.5)),
        (FanIn(), repeated(1.5 / 12, 1.5, 1.5 / np.sqrt(128), 1.5, 1.5)),
        (FanIn(2.0), repeated(2 / 12, 2, 2 / np.sqrt(128), 2, 2)),
    ],
    ids=repr,
)
def test_a_gaussian_prior_is_scipy_s_up_to_a_constant(prior, deviations):
    scale = prior.scale(LAYOUT)
    np.testing.assert_allclose(scale, deviations, rtol=1e-6)
    ours = [float(prior.logpdf(jnp.asarray(theta), LAYOUT)) for theta in THETA]
    theirs = norm.logpdf(THETA.astype(np.float64), scale=deviations).sum(axis=1)
    np.testing.assert_allclose(ours[0] - ours[1], theirs[0] - theirs[1], rtol=1e-3)
    assert prior.logpdf(jnp.zeros(LAYOUT.size), LAYOUT) == 0


def test_isotropic_is_the_paper_s_weight_decay():
    """λ|θ|² with λ = 1/(2s²)."""
    theta = jnp.asarray(THETA[0])
    expected = -(THETA[0].astype(np.float64) ** 2).sum() / (2 * 0.3**2)
    np.testing.assert_allclose(Isotropic(0.3).logpdf(theta, LAYOUT), expected, rtol=1e-5)


def test_the_published_penalty_is_the_norm_and_not_its_square():
    theta, prior = jnp.asarray(THETA[0]), NormPenalty(2.5)
    value, pull = jax.value_and_grad(prior.logpdf)(theta, LAYOUT)
    np.testing.assert_allclose(value, -2.5 * np.linalg.norm(THETA[0]), rtol=1e-5)
    np.testing.assert_allclose(prior.logpdf(2 * theta, LAYOUT), 2 * value, rtol=1e-5)
    # It pulls equally hard from everywhere.
    np.testing.assert_allclose(jnp.linalg.norm(pull), 2.5, rtol=1e-5)
    np.testing.assert_array_equal(prior.scale(LAYOUT), np.ones(LAYOUT.size))


def test_priors_are_values():
    """Equal ones are one, so that nothing is compiled anew."""
    assert FanIn(1.5) == FanIn()
    assert hash(Isotropic(2.0)) == hash(Isotropic(2.0))
    assert Isotropic(1.0) != Isotropic(2.0)
