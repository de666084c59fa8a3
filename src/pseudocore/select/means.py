"""Averages of random parts of every class: the strong baseline in which nothing is learned."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from pseudocore.data import Data
from pseudocore.select.base import Select, balanced, members
from pseudocore.types import PRNGKey


class ClassMeans(Select):
    """mean_{i in part} x_i over `ipc` random parts of each class; with ipc 1 the class mean.

    The parts are disjoint, use every point, and differ in size by one at most. The means are of
    pixels: the features are not read, and the points are not, in general, points of the data.
    """

    def __call__(self, key: PRNGKey, data: Data, features: Float[Array, "n d"], ipc: int) -> Data:
        x = np.asarray(data.x)
        classes = members(key, data, features, ipc)
        parts = [part for index in classes for part in np.array_split(index, ipc)]
        means = np.stack([x[part].mean(axis=0, dtype=np.float64) for part in parts])
        owner = np.repeat(np.arange(len(classes)), ipc)
        return balanced(
            jnp.asarray(means, data.x.dtype), jnp.eye(len(classes), dtype=data.y.dtype)[owner]
        )
