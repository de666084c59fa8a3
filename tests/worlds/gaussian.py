"""A world with closed forms: Gaussian locations, where every posterior and divergence is known.

x_i ~ N(θ, diag(noise²)) and θ ~ N(0, s²I). Weighted data have a Gaussian posterior with diagonal
covariance, whose every formula below can be differentiated in the points and in their weights.
"""

import jax.numpy as jnp
import jax.random as jr

from pseudocore.data import Data
from pseudocore.model import Model
from pseudocore.networks import Linear
from pseudocore.posterior import Gaussian
from pseudocore.prior import Isotropic
from pseudocore.tree import Layout
from pseudocore.types import PRNGKey, Scalar, Theta


class Location(Model):
    """log p(u | θ) = Σ_i w_i log N(x_i; θ, diag(noise²)); the labels say nothing."""

    noise: Theta

    @classmethod
    def at(cls, noise: Theta, s: float = 1.0) -> "Location":
        layout = Layout.of(noise)
        return cls(Linear(), Isotropic(s), layout, noise.shape, 1, noise=noise)

    def loglik(self, theta: Theta, data: Data) -> Scalar:
        standard = (data.x - theta) / self.noise
        logpdf = -0.5 * standard**2 - jnp.log(self.noise * jnp.sqrt(2 * jnp.pi))
        return data.w @ logpdf.sum(axis=1)


def points(key: PRNGKey, n: int, weights, around=0.0, d: int = 3) -> Data:
    """n points in d dimensions with the given weights."""
    return Data(around + jr.normal(key, (n, d)), jnp.ones((n, 1)), jnp.asarray(weights) * 1.0)


def exact(model: Location, data: Data) -> Gaussian:
    """The posterior of any weighted data."""
    prior = model.prior.scale(model.layout) ** -2
    likelihood = data.w.sum() / model.noise**2
    precision = prior + likelihood
    return Gaussian(data.w @ data.x / model.noise**2 / precision, precision**-0.5)


def kl(p: Gaussian, q: Gaussian) -> Scalar:
    """KL(p || q) = ½ Σ (σ_p²/σ_q² - 1 - log σ_p²/σ_q² + (m_p - m_q)²/σ_q²)."""
    ratio = (p.scale / q.scale) ** 2
    return 0.5 * jnp.sum(ratio - 1 - jnp.log(ratio) + ((p.centre - q.centre) / q.scale) ** 2)


def means(p: Gaussian, q: Gaussian) -> Scalar:
    """|m_p - m_q|²."""
    return jnp.sum((p.centre - q.centre) ** 2)


def w2(p: Gaussian, q: Gaussian) -> Scalar:
    """W_2² = |m_p - m_q|² + tr(Σ_p + Σ_q - 2(Σ_p Σ_q)^½), here |m_p - m_q|² + |σ_p - σ_q|²."""
    return means(p, q) + jnp.sum((p.scale - q.scale) ** 2)
