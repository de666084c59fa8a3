"""Distances between ∇_θ l_u and ∇_θ l_x at one θ: what dataset condensation matches."""

import abc
from typing import ClassVar

import jax
import jax.numpy as jnp
import jax.random as jr
from jaxtyping import Array, Float

from pseudocore.data import Augmented
from pseudocore.divergences.base import Divergence, Match
from pseudocore.posterior import detach
from pseudocore.tree import Layout
from pseudocore.types import PRNGKey, Scalar, Theta


class GradientMatching(Divergence):
    """d(g_u, g_x) with g = ∇_θ l at θ = E q_u. Its gradient in u flows through g_u, θ held fixed.

    Where u is augmented, the real points go through the same key: the same operation of `DSA`,
    with the same parameters for the i-th point of either.
    """

    def __call__(self, key: PRNGKey, match: Match) -> Scalar:
        key_x, key_augment = jr.split(key)
        u, x = match.u.draw(key_augment), match.x.draw(key_x)
        if isinstance(match.u, Augmented):
            x = Augmented(x, match.u.augment).draw(jr.clone(key_augment))
        theta, uphill = detach(match.q_u.mean()), jax.grad(match.model.loglik)
        return self.distance(match, uphill(theta, u), detach(uphill(theta, x)))

    @abc.abstractmethod
    def distance(self, match: Match, g_u: Theta, g_x: Theta) -> Scalar:
        """How far apart two gradients are."""


class L2(GradientMatching):
    """½ |g_u - g_x|². Its gradient is σ⁻² times that of KL(π_u || π_x) in q_u = N(θ, σ²I), σ → 0.

    Where l_u has kinks in θ, as ReLU makes them, σ must be small enough to meet none of them.
    """

    name: ClassVar[str] = "GM-L2"

    def distance(self, match: Match, g_u: Theta, g_x: Theta) -> Scalar:
        return 0.5 * jnp.sum((g_u - g_x) ** 2)


class InnerProduct(GradientMatching):
    """-g_u · g_x. Its gradient is that of `L2` less ∇_u ½|g_u|², which vanishes where g_u does.

    It has no lower bound: a larger g_u lowers it without end.
    """

    name: ClassVar[str] = "GM-inner"

    def distance(self, match: Match, g_u: Theta, g_x: Theta) -> Scalar:
        return -jnp.vdot(g_u, g_x)


class LayerCosine(GradientMatching):
    """Σ_layers Σ_outputs (1 - cos(g_u, g_x)): the distance of DC (Zhao et al., 2021).

    Its gradient is orthogonal to g_u in every output unit: the size of g_u does not count. Weights
    have their outputs on the last axis; vectors, which are biases and norms, are left out. DC sums
    it over classes, here one gradient holds them all.
    """

    name: ClassVar[str] = "GM-cosine"

    def distance(self, match: Match, g_u: Theta, g_x: Theta) -> Scalar:
        both = zip(units(match, g_u), units(match, g_x), strict=True)
        return sum((jnp.sum(1 - cosines(a, b)) for a, b in both), jnp.zeros(()))


def units(match: Match, vector: Theta) -> list[Float[Array, "_ outputs"]]:
    """The weight arrays in a flat vector, a column for every output unit."""
    layout = getattr(match.model, "layout", None)
    if not isinstance(layout, Layout) or max(map(len, layout.shapes)) < 2:
        raise TypeError(
            f"LayerCosine compares layers, and {type(match.model).__name__} has no layout with "
            "weight arrays: use L2, or a Model of a network."
        )
    leaves = jax.tree.leaves(layout.unravel(vector))
    return [leaf.reshape(-1, leaf.shape[-1]) for leaf in leaves if leaf.ndim > 1]


def cosines(a: Float[Array, "n outputs"], b: Float[Array, "n outputs"]) -> Float[Array, " outputs"]:
    """The cosine of every pair of columns, 0 where one is zero (a unit that no point reaches)."""
    return jnp.sum(unit(a) * unit(b), axis=0)


def unit(columns: Float[Array, "n outputs"]) -> Float[Array, "n outputs"]:
    # The largest entry is taken out first: squares of small gradients underflow.
    largest = jnp.max(jnp.abs(columns), axis=0)
    scaled = columns / jnp.where(largest > 0, detach(largest), 1.0)
    square = jnp.sum(scaled**2, axis=0)
    return scaled * jnp.where(square > 0, jax.lax.rsqrt(jnp.where(square > 0, square, 1.0)), 0.0)
