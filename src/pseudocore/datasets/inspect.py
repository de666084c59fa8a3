"""What is in a dataset: counts, statistics, doubles, and whether it is the published one."""

import dataclasses
import hashlib
from typing import Any

import numpy as np

from pseudocore.datasets.base import Raw
from pseudocore.datasets.checks import check_raw
from pseudocore.datasets.known import KNOWN, Known
from pseudocore.datasets.parts import Part
from pseudocore.datasets.preprocess import statistics

NEAR = 5e-4  # published channel means have four digits
HASH = 16  # bytes of a point's hash: 2^64 points would be needed for an accidental double


@dataclasses.dataclass(frozen=True)
class Found:
    """The facts of `data check`."""

    kind: str
    counts: dict[str, dict[str, int]]  # by part and class
    shape: tuple[int, ...]
    channels: str
    mean: tuple[float, ...]  # of train, on the scale 0 to 1 for images
    deviation: tuple[float, ...]
    doubles: dict[str, int]  # points that stand in a part more than once, and in both parts
    content: str
    notes: tuple[str, ...]
    name: str | None  # of the published dataset that it is or should be
    faults: tuple[str, ...]  # how it differs from that one

    @property
    def totals(self) -> tuple[int, int]:
        train, test = (sum(self.counts[part].values()) for part in ("train", "test"))
        return train, test

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)


def inspect(raw: Raw, kind: str, name: str | None) -> Found:
    """`name`: of the published dataset that it is said to be, unless its content tells."""
    check_raw(raw)
    parts = {"train": raw.train, "test": raw.test}
    hashes = {part: hashes_of(points.values) for part, points in parts.items()}
    labelled = [content(hashes[part], points.labels) for part, points in parts.items()]
    digest = hashlib.sha256(" ".join(labelled).encode()).hexdigest()
    seen = statistics(raw.train.values)
    name = next((known for known, it in KNOWN.items() if it.content == digest), name)
    counts = {part: count(points, raw.classes) for part, points in parts.items()}
    found = Found(
        kind,
        counts,
        raw.train.values.shape[1:],
        raw.channels,
        seen.mean,
        seen.deviation,
        doubles(hashes["train"], hashes["test"]),
        digest,
        raw.notes,
        name,
        (),
    )
    return dataclasses.replace(found, faults=faults(found, KNOWN[name])) if name in KNOWN else found


def count(part: Part, classes: tuple[str, ...]) -> dict[str, int]:
    held = np.bincount(part.labels, minlength=len(classes))
    return {name: int(n) for name, n in zip(classes, held, strict=True)}


def hashes_of(values: np.ndarray) -> list[bytes]:
    """A hash of every point."""
    return [
        hashlib.blake2b(np.ascontiguousarray(v).data, digest_size=HASH).digest() for v in values
    ]


def content(hashes: list[bytes], labels: np.ndarray) -> str:
    """A hash of points and labels in whatever order: files of other layouts hold the same set."""
    of_labels = (int(label).to_bytes(4, "little") for label in labels)
    pairs = sorted(map(bytes.__add__, hashes, of_labels))
    return hashlib.sha256(b"".join(pairs)).hexdigest()


def doubles(train: list[bytes], test: list[bytes]) -> dict[str, int]:
    """Copies within a part, and points of test that train has too."""
    seen = set(train)
    return {
        "within train": len(train) - len(seen),
        "within test": len(test) - len(set(test)),
        "of test in train": sum(one in seen for one in test),
    }


def faults(found: Found, known: Known) -> tuple[str, ...]:
    """What differs from the published dataset, in words."""
    said = []
    if found.totals != known.counts:
        said.append(
            f"it has {found.totals[0]} + {found.totals[1]} points, published are "
            f"{known.counts[0]} + {known.counts[1]}"
        )
    if len(found.counts["train"]) != known.classes:
        said.append(f"it has {len(found.counts['train'])} classes, published are {known.classes}")
    if known.mean and (
        len(found.mean) != len(known.mean)
        or np.abs(np.subtract(found.mean, known.mean)).max() > NEAR
    ):
        said.append(
            f"its channel means are {digits(found.mean)}, published are {digits(known.mean)}"
        )
    if known.content and found.content != known.content and not said:
        said.append("single points or labels differ from those published")
    return tuple(said)


def digits(numbers: tuple[float, ...]) -> str:
    return ", ".join(f"{number:.4f}" for number in numbers)
