"""A dataset is a frozen value that loads three parts; decisions are made on the second only."""

import abc
import dataclasses
import functools
import hashlib
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np

from pseudocore.data import Data, labelled
from pseudocore.datasets.checks import check_raw
from pseudocore.datasets.preprocess import Preprocess, Standardise, statistics
from pseudocore.datasets.whiten import Unwhitened, Whiten
from pseudocore.errors import UserError
from pseudocore.progress import Say, silent
from pseudocore.types import Shape

AS_IS = Unwhitened()


@dataclasses.dataclass(frozen=True)
class Part:
    """Points as they are stored, and their classes as whole numbers from 0."""

    values: np.ndarray  # images (n, height, width, channels), bytes or 0..1; or rows (n, features)
    labels: np.ndarray

    def __len__(self) -> int:
        return len(self.labels)


@dataclasses.dataclass(frozen=True)
class Raw:
    """What the files hold, before anything is cut or prepared."""

    train: Part
    test: Part
    classes: tuple[str, ...]  # their names
    channels: str = "as stored"  # RGB, gray, or what the values are
    white: float = 255.0  # what 1 was in the files, where `values` are 0..1 or bytes
    standardise: Standardise | None = None  # constants of its own; else those of train
    notes: tuple[str, ...] = ()  # what was guessed or left out on reading, for a person
    tested: str = ""  # what the test part is, where it is not the dataset's own


class Split(eqx.Module):
    """The three parts of a dataset, each of mass 1, and how their points were prepared."""

    train: Data
    held_out: Data
    test: Data
    preprocess: Preprocess
    fingerprint: str = eqx.field(static=True, default="")  # of train: what may be learned from
    notes: tuple[str, ...] = eqx.field(static=True, default=())
    tested: str = eqx.field(static=True, default="")

    @property
    def shape(self) -> Shape:
        return self.train.x.shape[1:]

    @property
    def classes(self) -> int:
        return self.train.y.shape[1]


class Dataset(eqx.Module):
    """Where real points come from: `read` knows the files, the rest is the same for all."""

    # Type checkers would take these for the first arguments of every dataset.
    if not TYPE_CHECKING:
        held_out: eqx.AbstractVar[float]  # the fraction of train that decisions are made on
        seed: eqx.AbstractVar[int]  # of that cut
        whiten: eqx.AbstractVar[Whiten]

    @abc.abstractmethod
    def read(self, say: Say = silent) -> Raw:
        """Train and test as the files have them; `say` is told how far it is."""

    def load(self, say: Say = silent) -> Split:
        """Train, held-out (cut from train) and test, ready to learn from."""
        return split(self.read(say), *decisions(self))


def decisions(data: Any) -> tuple[float, int, Whiten]:
    """What every dataset has; that it does, type checkers are not told."""
    return data.held_out, data.seed, data.whiten


def split(raw: Raw, held_out: float, seed: int, whiten: Whiten = AS_IS) -> Split:
    """Cut the held-out part from train, at random within each class, and prepare all alike.

    Without constants of its own a dataset is standardised by those of train as it is left.
    """
    check_raw(raw)
    kept, cut = stratified(raw.train.labels, held_out, seed)
    train, rest = only(raw.train, kept), only(raw.train, cut)
    scaled = raw.standardise or statistics(train.values)
    preprocess = Preprocess(scaled, train.values.shape[1:], raw.channels, raw.white)
    points = preprocess(train.values)
    if not isinstance(whiten, Unwhitened):
        preprocess = dataclasses.replace(preprocess, whitening=whiten.fit(points))
        points = preprocess.whitening(points)
    ready = functools.partial(as_data, classes=len(raw.classes))
    return Split(
        ready(points, train.labels),
        ready(preprocess(rest.values), rest.labels),
        ready(preprocess(raw.test.values), raw.test.labels),
        preprocess,
        fingerprint(train),
        raw.notes,
        raw.tested,
    )


def only(part: Part, index: np.ndarray) -> Part:
    """The points of these numbers; all of them without a copy."""
    if len(index) == len(part):
        return part
    return Part(part.values[index], part.labels[index])


def as_data(points: np.ndarray, labels: np.ndarray, classes: int) -> Data:
    # JAX knows neither big-endian numbers nor, as a rule, 64 bits.
    return labelled(jnp.asarray(points), jnp.asarray(labels.astype(np.int32)), classes)


def fingerprint(part: Part) -> str:
    """A hash of points and labels: who has seen these and no others can prove it."""
    content = hashlib.sha256(f"{part.values.shape} {part.values.dtype}".encode())
    content.update(np.ascontiguousarray(part.values).data)
    content.update(np.ascontiguousarray(part.labels, "<i4").data)
    return content.hexdigest()


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
