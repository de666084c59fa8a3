"""A user's own network: a pure function, or an Equinox module."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax

from pseudocore.networks.base import Network
from pseudocore.types import Logits, Points, PRNGKey, Shape


class Function(Network):
    """A pure `forward(params, x)` on a batch, and `fresh(key)` that draws its parameters."""

    fresh: Callable[[PRNGKey], Any] = eqx.field(static=True)
    forward: Callable[[Any, Points], Logits] = eqx.field(static=True)

    def init(self, key: PRNGKey, shape: Shape, classes: int) -> Any:
        return self.fresh(key)

    def apply(self, params: Any, x: Points) -> Logits:
        return self.forward(params, x)


class Module(Network):
    """`make(key)` builds a module from one point to logits; its float arrays are learned."""

    make: Callable[[PRNGKey], Callable] = eqx.field(static=True)

    def init(self, key: PRNGKey, shape: Shape, classes: int) -> Any:
        return eqx.filter(self.make(key), eqx.is_inexact_array)

    def apply(self, params: Any, x: Points) -> Logits:
        # What is not learned (activations, sizes) is the same for every key.
        _, fixed = eqx.partition(self.make(jax.random.key(0)), eqx.is_inexact_array)
        return jax.vmap(eqx.combine(params, fixed))(x)
