"""A network is a frozen value: how to draw parameters, and how to turn them into logits."""

import abc
from typing import Any

import equinox as eqx

from pseudocore.types import Logits, Points, PRNGKey, Shape


class Network(eqx.Module):
    """An architecture. It learns the shape of a point and the number of classes from the data."""

    @abc.abstractmethod
    def init(self, key: PRNGKey, shape: Shape, classes: int) -> Any:
        """Fresh parameters, any pytree of arrays."""

    @abc.abstractmethod
    def apply(self, params: Any, x: Points) -> Logits:
        """Logits of every point of a batch."""
