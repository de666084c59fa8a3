"""A part of a dataset, and how parts are cut from one another."""

import dataclasses
import hashlib

import numpy as np

from pseudocore.datasets.preprocess import blocks
from pseudocore.errors import UserError


@dataclasses.dataclass(frozen=True)
class Part:
    """Points as they are stored, and their classes as whole numbers from 0."""

    values: np.ndarray  # images (n, height, width, channels), bytes or 0..1; or rows (n, features)
    labels: np.ndarray

    def __len__(self) -> int:
        return len(self.labels)


def only(part: Part, index: np.ndarray) -> Part:
    """The points of these numbers; all of them without a copy."""
    if len(index) == len(part):
        return part
    return Part(part.values[index], part.labels[index])


def stratified(
    labels: np.ndarray, fraction: float, seed: int, name: str = "held_out"
) -> tuple[np.ndarray, np.ndarray]:
    """Indices that stay and indices that go, the same fraction of every class, in order.

    `name`: of the fraction, for whoever gave it.
    """
    if not 0 <= fraction < 1:
        raise UserError(f"{name}={fraction} must be a fraction of train, from 0 to below 1.")
    if seed < 0:
        raise UserError(f"The data's seed={seed} must be at least 0.")
    random = np.random.default_rng(seed)
    cut = []
    for label in np.unique(labels):
        members = random.permutation(np.flatnonzero(labels == label))
        cut.append(members[: round(fraction * len(members))])
        if len(cut[-1]) == len(members):
            raise UserError(
                f"{name}={fraction} leaves none of the {len(members)} points of class {label}: "
                "lower it."
            )
    gone = np.sort(np.concatenate(cut))
    return np.setdiff1d(np.arange(len(labels)), gone), gone


def cut_test(part: Part, fraction: float) -> tuple[Part, Part]:
    """Train and test of data that have no test part: `fraction` of every class, always the same."""
    rest, gone = stratified(part.labels, fraction, seed=0, name="cut")
    if not len(gone):
        raise UserError(f"cut={fraction} takes no point of any class to test on: raise it.")
    return only(part, rest), only(part, gone)


def none_of(test: Part, classes: tuple[str, ...]) -> str:
    """The classes of which nothing is tested, in words, if there are any."""
    missing = [name for label, name in enumerate(classes) if label not in test.labels]
    return f", but none of {', '.join(missing)}, of which there are too few" if missing else ""


def sample(labels: np.ndarray, index: np.ndarray, share: float) -> np.ndarray:
    """The same random share of every class, never none."""
    random, some = np.random.default_rng(0), []
    for label in np.unique(labels[index]):
        members = random.permutation(index[labels[index] == label])
        some.append(members[: max(1, int(share * len(members)))])
    return np.sort(np.concatenate(some))


def fingerprint(part: Part, index: np.ndarray) -> str:
    """A hash of these points and labels: who has seen them and no others can prove it."""
    shape = (len(index), *part.values.shape[1:])
    content = hashlib.sha256(f"{shape} {part.values.dtype}".encode())
    for block in blocks(part.values, index):
        content.update(np.ascontiguousarray(block).data)
    content.update(np.ascontiguousarray(part.labels[index], "<i4").data)
    return content.hexdigest()
