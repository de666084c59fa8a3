"""Softmax regression: f(x) = Wx + b."""

import math
from typing import Any

from pseudocore.networks.base import Network, dense, dense_init, flatten
from pseudocore.types import Logits, Points, PRNGKey, Shape


class Linear(Network):
    """One linear layer on the flattened point."""

    def init(self, key: PRNGKey, shape: Shape, classes: int) -> Any:
        size = math.prod(shape)
        return dense_init(key, size, (size, classes))

    def apply(self, params: Any, x: Points) -> Logits:
        return dense(params, flatten(x))

    def features(self, params: Any, x: Points):
        return flatten(x)
