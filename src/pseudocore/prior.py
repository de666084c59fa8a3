"""Priors π_0(θ) on parameters, as frozen values that take their size from a network's layout."""

import abc
import math

import equinox as eqx
import jax.numpy as jnp

from pseudocore.checks import at_least, positive
from pseudocore.tree import Layout
from pseudocore.types import Scalar, Shape, Theta


class Prior(eqx.Module):
    """log π_0(θ) up to a constant."""

    @abc.abstractmethod
    def logpdf(self, theta: Theta, layout: Layout) -> Scalar:
        """log π_0(θ) up to a constant."""

    @abc.abstractmethod
    def scale(self, layout: Layout) -> Theta:
        """The natural length of every coordinate: what a sampler uses as its unit."""


class GaussianPrior(Prior):
    """N(0, s²) with one s an array of parameters; log π_0 = -½ Σ (θ/s)²."""

    @abc.abstractmethod
    def deviation(self, shape: Shape) -> float:
        """s for an array of this shape."""

    def scale(self, layout: Layout) -> Theta:
        parts = [
            jnp.full(size, self.deviation(shape))
            for size, shape in zip(layout.sizes, layout.shapes, strict=True)
        ]
        return jnp.concatenate(parts)

    def logpdf(self, theta: Theta, layout: Layout) -> Scalar:
        return -0.5 * jnp.sum((theta / self.scale(layout)) ** 2)


class Isotropic(GaussianPrior):
    """N(0, s²) on every parameter: λ|θ|² of the paper's text with λ = 1/(2s²)."""

    s: float = eqx.field(static=True, default=1.0)

    def __check_init__(self):
        positive(self, "s", of="prior")

    def deviation(self, shape: Shape) -> float:
        return self.s


class FanIn(GaussianPrior):
    """N(0, gain²/fan_in) on weights, whose last axis is the output, and N(0, gain²) on vectors."""

    gain: float = eqx.field(static=True, default=1.5)

    def __check_init__(self):
        positive(self, "gain", of="prior")

    def deviation(self, shape: Shape) -> float:
        return self.gain / math.sqrt(math.prod(shape[:-1]))


class NormPenalty(Prior):
    """log π_0 = -strength |θ|: the norm, not squared, as the published evaluation has it."""

    strength: float = eqx.field(static=True, default=1.0)

    def __check_init__(self):
        at_least(self, 0, "strength", of="prior")

    def logpdf(self, theta: Theta, layout: Layout) -> Scalar:
        return -self.strength * jnp.sqrt(jnp.sum(theta**2))

    def scale(self, layout: Layout) -> Theta:
        return jnp.ones(layout.size)
