"""A multilayer perceptron: affine maps with ReLU between them."""

import math
from typing import Any

import equinox as eqx
import jax
import jax.random as jr
from jaxtyping import Array, Float

from pseudocore.errors import UserError
from pseudocore.networks.base import Network, dense, dense_init, flatten
from pseudocore.types import Logits, Points, PRNGKey, Shape


class MLP(Network):
    """`depth` hidden layers of `width` units on the flattened point."""

    width: int = eqx.field(static=True, default=64)
    depth: int = eqx.field(static=True, default=1)

    def __check_init__(self):
        if self.width < 1 or self.depth < 1:
            raise UserError(
                f"MLP(width={self.width}, depth={self.depth}) has no hidden units: "
                "both must be at least 1 (use Linear() for none)."
            )

    def init(self, key: PRNGKey, shape: Shape, classes: int) -> Any:
        sizes = [math.prod(shape), *[self.width] * self.depth, classes]
        keys = jr.split(key, self.depth + 1)
        return [
            dense_init(k, fan_in, (fan_in, fan_out))
            for k, fan_in, fan_out in zip(keys, sizes[:-1], sizes[1:], strict=True)
        ]

    def apply(self, params: Any, x: Points) -> Logits:
        return dense(params[-1], self.features(params, x))

    def features(self, params: Any, x: Points) -> Float[Array, "n d"]:
        hidden = flatten(x)
        for layer in params[:-1]:
            hidden = jax.nn.relu(dense(layer, hidden))
        return hidden
