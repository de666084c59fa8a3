"""Posteriors: Gaussians, or the draws of a chain."""

import abc
from typing import TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
from jaxtyping import Array, Float

from pseudocore.types import PRNGKey, Scalar, Theta

T = TypeVar("T")


class Posterior(eqx.Module):
    """A distribution of parameters."""

    @abc.abstractmethod
    def mean(self) -> Theta:
        """E[θ]."""

    @abc.abstractmethod
    def sample(self, key: PRNGKey) -> Theta:
        """One draw. Callers stream draws, so that memory does not grow with their number."""


class Gaussian(Posterior):
    """N(centre, diag(scale²)); a scalar scale is the same for all coordinates."""

    centre: Theta
    scale: Theta | Scalar

    def mean(self) -> Theta:
        return self.centre

    def sample(self, key: PRNGKey) -> Theta:
        return self.centre + self.scale * jr.normal(key, self.centre.shape, self.centre.dtype)


class Correlated(Posterior):
    """N(centre, F Fᵀ), F a factor of the covariance."""

    centre: Theta
    factor: Float[Array, "p p"]

    @property
    def covariance(self) -> Float[Array, "p p"]:
        return self.factor @ self.factor.T

    def mean(self) -> Theta:
        return self.centre

    def sample(self, key: PRNGKey) -> Theta:
        return self.centre + self.factor @ jr.normal(key, self.centre.shape, self.centre.dtype)


class Empirical(Posterior):
    """The uniform distribution on the draws of a chain."""

    draws: Float[Array, "draws p"]

    def mean(self) -> Theta:
        return self.draws.mean(axis=0)

    def sample(self, key: PRNGKey) -> Theta:
        return self.draws[jr.randint(key, (), 0, self.draws.shape[0])]


class Spread(eqx.Module):
    """The standard deviations of a Gaussian around the end of a path of parameters."""

    @abc.abstractmethod
    def __call__(self, path: Float[Array, "points p"]) -> Theta | Scalar:
        """Standard deviations from the whole path."""


class Fixed(Spread):
    """Σ^½ = s in every coordinate, whatever the path: the paper's choice, with s = 0.01."""

    s: float = eqx.field(static=True, default=0.01)

    def __call__(self, path: Float[Array, "points p"]) -> Scalar:
        return jnp.asarray(self.s, path.dtype)


class AlongPath(Spread):
    """Σ = s² + the variance of a point that moves along the path at equal time per segment.

    On a segment from a to b the mean is (a+b)/2 and the second moment (a²+ab+b²)/3, so paths with
    different numbers of points are comparable. Our reading of the paper's 'diagonal covariances',
    which neither its text nor its code defines.
    """

    s: float = eqx.field(static=True, default=0.01)

    def __call__(self, path: Float[Array, "points p"]) -> Theta:
        moved = path - path[0]  # variances of small moves around large values, without cancellation
        a, b = moved[:-1], moved[1:]
        mean = ((a + b) / 2).mean(axis=0)
        second = ((a * a + a * b + b * b) / 3).mean(axis=0)
        return jnp.sqrt(self.s**2 + jax.nn.relu(second - mean**2))


def detach(tree: T) -> T:
    """The same values, through which no gradient flows."""
    return jax.lax.stop_gradient(tree)
