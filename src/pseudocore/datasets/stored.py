"""Training points that stay on disk, for data larger than memory."""

import dataclasses
import os

import jax
import numpy as np

from pseudocore.datasets.preprocess import Preprocess
from pseudocore.errors import UserError
from pseudocore.types import Shape

MEMORY = "PSEUDOCORE_MEMORY"  # GiB that training points may take
SHARE = 0.5  # of all memory, where nobody says how much


@dataclasses.dataclass(frozen=True)
class Stored:
    """Points by number, prepared when they are asked for."""

    values: np.ndarray  # as stored, all of train
    labels: np.ndarray
    index: np.ndarray  # which of them may be seen
    preprocess: Preprocess
    classes: int

    def __len__(self) -> int:
        return len(self.index)

    @property
    def shape(self) -> Shape:
        return self.preprocess.shape

    @property
    def size(self) -> int:
        """Bytes of all points in float32."""
        return len(self) * int(np.prod(self.shape)) * np.dtype(np.float32).itemsize

    def take(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The points of these numbers, of any shape, and their target probabilities."""
        rows = self.index[numbers.ravel()]
        order = np.argsort(rows)  # a disk is read forwards
        values = np.empty((len(rows), *self.values.shape[1:]), self.values.dtype)
        values[order] = self.values[rows[order]]
        x = self.preprocess(values).reshape(*numbers.shape, *self.shape)
        return x, np.eye(self.classes, dtype=np.float32)[self.labels[rows].reshape(numbers.shape)]


def room() -> int:
    """Bytes that training points may take: $PSEUDOCORE_MEMORY, or half of what there is.

    Not of what is free: on one machine a run that is resumed must find the same room.
    """
    asked = os.environ.get(MEMORY)
    if asked is None:
        return int(SHARE * min(memory_of_host(), memory_of_device()))
    try:
        gib = float(asked)
    except ValueError:
        gib = -1.0
    if not gib > 0:
        raise UserError(f"{MEMORY}={asked} must be a number of GiB above 0.")
    return int(gib * 2**30)


def memory_of_host() -> float:
    return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))


def memory_of_device() -> float:
    """Bytes that JAX may use, where the device has memory of its own."""
    stats = jax.devices()[0].memory_stats() or {}
    return float(stats.get("bytes_limit", np.inf))
