"""A dataset is a frozen value that loads three parts; decisions are made on the second only."""

import abc
from typing import TYPE_CHECKING

import equinox as eqx
import jax.numpy as jnp
import numpy as np

from pseudocore.data import Data, labelled
from pseudocore.errors import UserError
from pseudocore.types import Shape


class Standardise(eqx.Module):
    """(x - mean) / deviation per channel, and back."""

    mean: tuple[float, ...] = eqx.field(static=True)
    deviation: tuple[float, ...] = eqx.field(static=True)

    def __call__(self, pixels: np.ndarray) -> np.ndarray:
        centred = pixels.astype(np.float32) - np.asarray(self.mean, np.float32)
        return centred / np.asarray(self.deviation, np.float32)

    def undo(self, x: np.ndarray) -> np.ndarray:
        """Standardised values as pixels again: 0 black, 1 white, learned ones beyond."""
        return np.asarray(x) * np.asarray(self.deviation) + np.asarray(self.mean)


class Split(eqx.Module):
    """The three parts of a dataset, each of mass 1, and how its pixels were prepared."""

    train: Data
    held_out: Data
    test: Data
    standardise: Standardise

    @property
    def shape(self) -> Shape:
        return self.train.x.shape[1:]

    @property
    def classes(self) -> int:
        return self.train.y.shape[1]


class Dataset(eqx.Module):
    """Where real points come from."""

    # Type checkers would take these for the first arguments of every dataset.
    if not TYPE_CHECKING:
        held_out: eqx.AbstractVar[float]  # the fraction of train that decisions are made on
        seed: eqx.AbstractVar[int]  # of that cut

    @abc.abstractmethod
    def load(self) -> Split:
        """Train, held-out (cut from train) and test."""


def split(
    train: tuple[np.ndarray, np.ndarray],
    test: tuple[np.ndarray, np.ndarray],
    classes: int,
    held_out: float,
    seed: int,
    standardise: Standardise | None = None,
) -> Split:
    """Cut the held-out part from train, at random within each class, and standardise all.

    Without constants of its own a dataset is standardised by those of train as it is left.
    """
    for name, (pixels, labels) in {"train": train, "test": test}.items():
        check(name, pixels, labels, classes)
    if train[0].shape[1:] != test[0].shape[1:]:
        raise UserError(
            f"Train points have shape {train[0].shape[1:]}, test points {test[0].shape[1:]}: "
            "they must be equal."
        )
    kept, cut = stratified(train[1], held_out, seed)
    scaled = standardise or statistics(train[0][kept])

    def ready(pixels: np.ndarray, labels: np.ndarray) -> Data:
        # JAX knows neither big-endian numbers nor, as a rule, 64 bits.
        whole = jnp.asarray(labels.astype(np.int32))
        return labelled(jnp.asarray(scaled(pixels)), whole, classes)

    return Split(
        ready(train[0][kept], train[1][kept]),
        ready(train[0][cut], train[1][cut]),
        ready(*test),
        scaled,
    )


def statistics(pixels: np.ndarray) -> Standardise:
    """Mean and deviation of each channel (of images) or feature (of rows)."""
    axes = tuple(range(pixels.ndim - 1))
    mean, deviation = (f(axes, dtype=np.float64) for f in (pixels.mean, pixels.std))
    # Of equal numbers the deviation is rounding error; what float32 cannot tell apart is equal.
    float32 = np.finfo(np.float32)
    varies = deviation > float32.eps * np.abs(mean) + float32.tiny
    return Standardise(tuple(mean.tolist()), tuple(np.where(varies, deviation, 1.0).tolist()))


def stratified(labels: np.ndarray, fraction: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices that stay and indices that go, the same fraction of every class, in order."""
    if not 0 <= fraction < 1:
        raise UserError(f"held_out={fraction} must be a fraction of train, from 0 to below 1.")
    if seed < 0:
        raise UserError(f"The data's seed={seed} must be at least 0.")
    random = np.random.default_rng(seed)
    cut = []
    for label in np.unique(labels):
        members = random.permutation(np.flatnonzero(labels == label))
        cut.append(members[: round(fraction * len(members))])
        if len(cut[-1]) == len(members):
            raise UserError(
                f"held_out={fraction} leaves none of the {len(members)} points of class {label}: "
                "lower it."
            )
    gone = np.sort(np.concatenate(cut))
    return np.setdiff1d(np.arange(len(labels)), gone), gone


def check(name: str, pixels: np.ndarray, labels: np.ndarray, classes: int) -> None:
    """Refuse what would poison everything after it."""
    if pixels.ndim < 2 or pixels.size == 0:
        raise UserError(
            f"The {name} points have shape {pixels.shape}: expected (n, ...), none of them 0."
        )
    if labels.shape != pixels.shape[:1]:
        raise UserError(
            f"{len(pixels)} {name} points but labels of shape {labels.shape}: one label each."
        )
    if not np.issubdtype(labels.dtype, np.integer):
        raise UserError(f"The {name} labels are {labels.dtype}: they must be whole numbers.")
    if labels.min() < 0 or labels.max() >= classes:
        bad = labels[(labels < 0) | (labels >= classes)][0]
        raise UserError(
            f"The {name} labels hold {bad}: for {classes} classes they run from 0 to "
            f"{classes - 1}, without gaps."
        )
    # Above a tenth of what float32 can hold, a deviation or a difference from the mean overflows.
    fine = np.abs(pixels.reshape(len(pixels), -1)) < np.finfo(np.float32).max / 10
    bad = ~fine.all(axis=1)
    if bad.any():
        raise UserError(
            f"{int(bad.sum())} {name} points hold NaN, infinite or huge values, the first is "
            f"number {int(np.flatnonzero(bad)[0])}: repair or remove them."
        )
