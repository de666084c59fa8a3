"""A dataset is a frozen value that loads three parts; decisions are made on the second only."""

import abc
import dataclasses
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np

from pseudocore.data import Data, labelled
from pseudocore.datasets.checks import check_raw
from pseudocore.datasets.parts import Part, fingerprint, only, sample, stratified
from pseudocore.datasets.preprocess import Preprocess, Standardise, statistics
from pseudocore.datasets.stored import MEMORY, Stored, room
from pseudocore.datasets.whiten import Unwhitened, Whiten
from pseudocore.errors import UserError
from pseudocore.progress import Say, silent
from pseudocore.types import Shape

AS_IS = Unwhitened()


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
    names: tuple[str, ...] = eqx.field(static=True, default=())  # of the classes
    sampled_from: int = eqx.field(static=True, default=0)  # where memory has room for some only

    @property
    def shape(self) -> Shape:
        return self.train.x.shape[1:]

    @property
    def classes(self) -> int:
        return self.train.y.shape[1]

    @property
    def represents(self) -> int:
        """The points of train, in memory or not: what a coreset stands for."""
        return self.sampled_from or len(self.train)

    @property
    def for_decisions(self) -> Data:
        """The held-out part: whatever is chosen is chosen on it, never on test."""
        if len(self.held_out) == 0:
            raise UserError(
                "Nothing is held out to decide on, and the test part is not for that: set "
                "--data.held-out 0.1 for the experts and --plan.data.held-out 0.1 with distill."
            )
        return self.held_out


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

    def open(self, say: Say = silent) -> "Opened":
        """The files read and the held-out part chosen; nothing large is in memory yet."""
        return opened(self.read(say), *decisions(self))

    def load(self, say: Say = silent) -> Split:
        """Train, held-out (cut from train) and test, ready to learn from."""
        return self.open(say).split()


def decisions(data: Any) -> tuple[float, int, Whiten]:
    """What every dataset has; that it does, type checkers are not told."""
    return data.held_out, data.seed, data.whiten


@dataclasses.dataclass(frozen=True)
class Opened:
    """A dataset whose parts are decided: which points are in which, and how all are prepared."""

    raw: Raw
    kept: np.ndarray  # the numbers of the points of train that may be learned from
    gone: np.ndarray  # and of those held out
    preprocess: Preprocess
    fingerprint: str

    @property
    def shape(self) -> Shape:
        return self.preprocess.shape

    @property
    def classes(self) -> int:
        return len(self.raw.classes)

    @property
    def stored(self) -> Stored:
        """Train, left where it is."""
        train = self.raw.train
        return Stored(train.values, train.labels, self.kept, self.preprocess, self.classes)

    def train(self) -> Data | Stored:
        """What experts learn from: in memory if there is room."""
        if self.stored.size > room():
            return self.stored
        return self.ready(only(self.raw.train, self.kept))

    def split(self) -> Split:
        """All parts in memory; of a larger train as many points as there is room for."""
        some, notes, whole = self.kept, self.raw.notes, 0
        share = room() / self.stored.size
        if share < 1:
            whole = len(self.kept)
            some = sample(self.raw.train.labels, self.kept, share)
            notes = (
                *notes,
                f"Train has {whole} points, more than memory has room for: coresets begin from, "
                f"and are matched on, a random {len(some)} of them.",
            )
        return Split(
            self.ready(only(self.raw.train, some)),
            self.ready(only(self.raw.train, self.gone)),
            self.ready(self.raw.test),
            self.preprocess,
            self.fingerprint,
            notes,
            self.raw.tested,
            self.raw.classes,
            whole,
        )

    def ready(self, part: Part) -> Data:
        """Points on the device, with their labels as probabilities, of mass 1."""
        # JAX knows neither big-endian numbers nor, as a rule, 64 bits.
        labels = jnp.asarray(part.labels.astype(np.int32))
        return labelled(jnp.asarray(self.preprocess(part.values)), labels, self.classes)


def opened(raw: Raw, held_out: float, seed: int, whiten: Whiten = AS_IS) -> Opened:
    """Hold out a part of train, at random within each class, and see how all is prepared.

    Without constants of its own a dataset is standardised by those of train as it is left.
    """
    check_raw(raw)
    kept, gone = stratified(raw.train.labels, held_out, seed)
    values = raw.train.values
    scaled = raw.standardise or statistics(values, kept)
    preprocess = Preprocess(scaled, values.shape[1:], raw.channels, raw.white)
    if held_out > 0 and not len(gone):
        note = f"Nothing is held out: the classes are too small for held_out={held_out:g}."
        raw = dataclasses.replace(raw, notes=(*raw.notes, note))
    found = Opened(raw, kept, gone, preprocess, fingerprint(raw.train, kept))
    if isinstance(whiten, Unwhitened):
        return found
    # All of train, and a matrix of all pairs of coordinates with its eigenvectors in float64.
    needed = found.stored.size + 3 * 8 * int(np.prod(found.shape)) ** 2
    if needed > room():
        raise UserError(
            f"Whitening takes {needed / 2**30:.1f} GiB, for all of train and a matrix of every two "
            f"coordinates; there is room for {room() / 2**30:.1f}. Set {MEMORY}, or leave it out."
        )
    whitening = whiten.fit(preprocess(only(raw.train, kept).values))
    return dataclasses.replace(
        found, preprocess=dataclasses.replace(preprocess, whitening=whitening)
    )
