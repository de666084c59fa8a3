"""Worlds in which every posterior is known, with full covariances, and data to fill them.

In `location` the labels say nothing and the points move only the posterior's mean. In `regression`
points, labels and weights all move it, and points and weights move its covariance too.
"""

from collections.abc import Callable

import jax.numpy as jnp
import jax.random as jr
import numpy as np
from jaxtyping import Array, Float

from pseudocore.data import Data
from pseudocore.gaussian import Conjugate, Location
from pseudocore.posterior import Correlated, Gaussian
from pseudocore.tree import Layout
from pseudocore.types import PRNGKey, Scalar, Theta

NOISE = np.array([[0.7, 0.3, -0.2], [0.3, 1.4, 0.5], [-0.2, 0.5, 2.5]])
CENTRE = np.array([0.4, -0.3, 0.2])
SPREAD = np.array([[1.0, -0.4, 0.3], [-0.4, 2.0, 0.6], [0.3, 0.6, 0.8]])


class Regression(Conjugate):
    """y_i ~ N(x_iᵀθ, s²) and θ ~ N(θ_0, Σ_0), held by s, θ_0 and Σ_0⁻¹."""

    s: Scalar
    centre: Theta
    prior_precision: Float[Array, "p p"]

    @property
    def layout(self) -> Layout:
        """θ is the one weight array of a linear layer."""
        return Layout.of(self.centre[:, None])

    def loglik(self, theta: Theta, data: Data) -> Scalar:
        gap = (data.y[:, 0] - data.x @ theta) / self.s
        return -0.5 * data.w @ gap**2

    def logprior(self, theta: Theta) -> Scalar:
        gap = theta - self.centre
        return -0.5 * gap @ self.prior_precision @ gap

    def scale(self) -> Theta:
        return jnp.diag(self.prior_precision) ** -0.5

    def posterior(self, data: Data) -> Correlated:
        """Σ_u = (Σ_0⁻¹ + Σ_i w_i x_i x_iᵀ / s²)⁻¹, θ_u = Σ_u (Σ_0⁻¹ θ_0 + Σ_i w_i x_i y_i / s²)."""
        weighted = data.w[:, None] * data.x / self.s**2
        covariance = jnp.linalg.inv(self.prior_precision + weighted.T @ data.x)
        pull = self.prior_precision @ self.centre + weighted.T @ data.y[:, 0]
        return Correlated(covariance @ pull, jnp.linalg.cholesky(covariance))


def location(d: int = 3) -> Location:
    """Noise and prior are correlated, each in its own way."""
    return Location.of(*(jnp.asarray(part) for part in (NOISE[:d, :d], CENTRE[:d], SPREAD[:d, :d])))


def regression(d: int = 3) -> Regression:
    """The prior is correlated."""
    precision = np.linalg.inv(SPREAD[:d, :d])
    return Regression(*(jnp.asarray(part) for part in (0.8, CENTRE[:d], precision)))


WORLDS: dict[str, Callable[..., Conjugate]] = {"location": location, "regression": regression}


def points(key: PRNGKey, n: int, around: float = 0.0, d: int = 3) -> Data:
    """n points in d dimensions with real labels and weights between ½ and 3/2."""
    key_x, key_y, key_w = jr.split(key, 3)
    weights = jr.uniform(key_w, (n,), minval=0.5, maxval=1.5)
    return Data(around + jr.normal(key_x, (n, d)), around + jr.normal(key_y, (n, 1)), weights)


def means(p: Correlated, q: Correlated) -> Scalar:
    """|m_p - m_q|²."""
    return jnp.sum((p.centre - q.centre) ** 2)


def mean_field(q: Correlated) -> Gaussian:
    """The marginals of q, as if independent."""
    return Gaussian(q.centre, jnp.sqrt(jnp.diag(q.covariance)))


def correlated(q: Gaussian) -> Correlated:
    """The same distribution, with its diagonal covariance written out."""
    return Correlated(q.centre, jnp.diag(jnp.broadcast_to(q.scale, q.centre.shape)))
