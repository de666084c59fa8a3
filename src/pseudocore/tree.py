"""Pytrees of parameters as one flat vector, and back."""

import math
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from pseudocore.types import Shape, Theta


class Layout(eqx.Module):
    """Where every array of a pytree sits in the flat vector."""

    structure: Any = eqx.field(static=True)
    shapes: tuple[Shape, ...] = eqx.field(static=True)

    @classmethod
    def of(cls, tree: Any) -> "Layout":
        leaves, structure = jax.tree.flatten(tree)
        return cls(structure, tuple(tuple(leaf.shape) for leaf in leaves))

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(math.prod(shape) for shape in self.shapes)

    @property
    def size(self) -> int:
        return sum(self.sizes)

    def ravel(self, tree: Any) -> Theta:
        return jnp.concatenate([jnp.ravel(leaf) for leaf in jax.tree.leaves(tree)])

    def unravel(self, theta: Theta) -> Any:
        ends = [sum(self.sizes[: i + 1]) for i in range(len(self.sizes))]
        parts = [
            theta[end - size : end].reshape(shape)
            for end, size, shape in zip(ends, self.sizes, self.shapes, strict=True)
        ]
        return jax.tree.unflatten(self.structure, parts)
