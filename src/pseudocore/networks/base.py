"""A network is a frozen value: how to draw parameters, and how to turn them into logits."""

import abc
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import jax.random as jr
from jaxtyping import Array, Float

from pseudocore.types import Logits, Points, PRNGKey, Shape


class Network(eqx.Module):
    """An architecture. It learns the shape of a point and the number of classes from the data."""

    @abc.abstractmethod
    def init(self, key: PRNGKey, shape: Shape, classes: int) -> Any:
        """Fresh parameters, any pytree of arrays."""

    @abc.abstractmethod
    def apply(self, params: Any, x: Points) -> Logits:
        """Logits of every point of a batch."""

    def features(self, params: Any, x: Points) -> Float[Array, "n d"]:
        """What the last layer sees: the space in which herding and k-center measure distances."""
        return self.apply(params, x)


def dense_init(key: PRNGKey, fan_in: int, shape: Shape) -> dict[str, Array]:
    """Weight and bias from U(-1/√fan_in, 1/√fan_in), PyTorch's default and so the paper's."""
    key_weight, key_bias = jr.split(key)
    bound = fan_in**-0.5
    return {
        "weight": jr.uniform(key_weight, shape, minval=-bound, maxval=bound),
        "bias": jr.uniform(key_bias, shape[-1:], minval=-bound, maxval=bound),
    }


def dense(params: dict[str, Array], x: Float[Array, "n d"]) -> Float[Array, "n out"]:
    return x @ params["weight"] + params["bias"]


def flatten(x: Points) -> Float[Array, "n d"]:
    return jnp.reshape(x, (x.shape[0], -1))
