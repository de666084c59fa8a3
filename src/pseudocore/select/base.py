"""A selection is a coreset whose points are taken from the data; here is what all of them share.

They run on the host, in numpy, and only pick indices: nothing here is differentiated or compiled.
"""

import abc
from collections.abc import Sequence

import equinox as eqx
import jax.numpy as jnp
import jax.random as jr
import numpy as np
from jaxtyping import Array, Float, Int

from pseudocore.data import Data
from pseudocore.errors import UserError
from pseudocore.types import Points, PRNGKey


class Select(eqx.Module):
    """`ipc` points of every class, class 0 first, of equal weight and mass 1 in all.

    The data must be hard-labelled; its weights are not read, every point counts once. `features`
    has a row for every point: of a trained network, or `pixels(data)`.
    """

    @abc.abstractmethod
    def __call__(self, key: PRNGKey, data: Data, features: Float[Array, "n d"], ipc: int) -> Data:
        """The coreset."""


def pixels(data: Data) -> Float[Array, "n d"]:
    """The points themselves as features, one flat row each."""
    return data.x.reshape(len(data), -1)


def members(
    key: PRNGKey, data: Data, features: Float[Array, "n d"], ipc: int
) -> list[Int[np.ndarray, " members"]]:
    """The indices of the points of each class, in random order, once there are enough of them.

    The order is the only thing a key decides: a prefix is a random subset, and a greedy rule that
    takes the first of equally good points breaks its ties at random.
    """
    if ipc < 1:
        raise UserError(f"ipc {ipc} asks for no points. Ask for at least one a class.")
    if features.shape[0] != len(data):
        raise UserError(
            f"There are {features.shape[0]} rows of features for {len(data)} points. "
            "Compute one row for every point, in the order of the data."
        )
    labels = hard_labels(data)
    sizes = np.bincount(labels, minlength=data.y.shape[1])
    smallest = int(sizes.argmin())
    if sizes[smallest] == 0:
        raise UserError(
            f"Class {smallest} has no point. Give data of every class, or drop that column of y."
        )
    if ipc > sizes[smallest]:
        raise UserError(
            f"ipc {ipc} is more than the {sizes[smallest]} points of class {smallest}, "
            f"the smallest. Choose ipc {sizes[smallest]} or less."
        )
    order = np.asarray(jr.permutation(key, len(data)))
    return [order[labels[order] == c] for c in range(len(sizes))]


def hard_labels(data: Data) -> Int[np.ndarray, " n"]:
    """The class of every point, where every row of y names exactly one."""
    y = np.asarray(data.y)
    labels = y.argmax(axis=1)
    soft = np.flatnonzero((y != np.eye(y.shape[1])[labels]).any(axis=1))
    if soft.size:
        raise UserError(
            f"The label of point {soft[0]} is soft: {y[soft[0]]}. "
            "Select from hard-labelled data: one 1 in every row of y."
        )
    return labels


def centred(
    features: Float[Array, "n d"], index: Int[np.ndarray, " members"]
) -> Float[np.ndarray, "members d"]:
    """The features of a class less their mean, in double precision.

    Distances then come from products of small numbers, with nothing large to cancel.
    """
    rows = np.asarray(features)[index].astype(np.float64)
    if not np.isfinite(rows).all():
        raise UserError(
            "A feature is not a finite number. Check the network that made the features."
        )
    return rows - rows.mean(axis=0)


def subset(data: Data, chosen: Sequence[Int[np.ndarray, " ipc"]]) -> Data:
    """The chosen points of every class, in that order."""
    index = np.concatenate(chosen)
    return balanced(data.x[index], data.y[index])


def balanced(x: Points, y: Float[Array, "n classes"]) -> Data:
    """Points of equal weight and mass 1."""
    n = x.shape[0]
    return Data(x, y, jnp.full((n,), 1 / n, x.dtype))
