"""A dataset whose test part is corrupted: CIFAR-10-C as published, or made here for any images."""

import dataclasses
from pathlib import Path
from typing import Any

import equinox as eqx
import numpy as np

from pseudocore.corrupt import CORRUPTIONS, SEVERITIES
from pseudocore.datasets.base import Dataset, Raw, decisions
from pseudocore.datasets.class_folders import inner
from pseudocore.datasets.npz import array
from pseudocore.datasets.parts import Part, fingerprint
from pseudocore.datasets.whiten import Whiten
from pseudocore.errors import UserError, unknown
from pseudocore.progress import Say, silent
from pseudocore.store.files import read_json
from pseudocore.store.source import spelt
from pseudocore.store.values import to_json

LABELS = "labels.npy"
MADE = "made-by-pseudocore.json"  # the published arrays have no such file beside them


class Corrupted(Dataset):
    """`clean`, tested on NAME.npy of a folder laid out as CIFAR-10-C: severities 1 to 5 in turn."""

    clean: Dataset
    path: str = eqx.field(static=True)
    corruption: str = eqx.field(static=True)
    severity: int = eqx.field(static=True, default=1)

    def __check_init__(self):
        if self.corruption not in CORRUPTIONS:
            raise unknown("corruption", self.corruption, CORRUPTIONS)
        if self.severity not in SEVERITIES:
            raise UserError(f"severity={self.severity} must be one of 1 to {max(SEVERITIES)}.")

    @property
    def held_out(self) -> float:
        return decisions(self.clean)[0]

    @property
    def seed(self) -> int:
        return decisions(self.clean)[1]

    @property
    def whiten(self) -> Whiten:
        return decisions(self.clean)[2]

    def read(self, say: Say = silent) -> Raw:
        raw = self.clean.read(say)
        folder = inner(Path(self.path), "CIFAR-10-C")
        check_meant(folder, raw.test, self.clean)
        values, labels = (array(there(folder, name)) for name in (f"{self.corruption}.npy", LABELS))
        if values.ndim != 4 or values.dtype != np.uint8 or labels.ndim != 1:
            raise UserError(
                f"{folder / self.corruption}.npy holds {values.dtype} of shape {values.shape}, "
                f"{LABELS} {labels.shape}: expected bytes (n, height, width, channels) and a "
                "label each. Fetch or make them again."
            )
        count = len(values) // len(SEVERITIES)
        if len(values) != count * len(SEVERITIES) or len(labels) not in (count, len(values)):
            raise UserError(
                f"{folder / self.corruption}.npy has {len(values)} images and {LABELS} "
                f"{len(labels)} labels: expected the images of five severities, one after another. "
                "Fetch or make it again."
            )
        check_labels(folder, labels[:count], raw.test.labels)
        rows = slice((self.severity - 1) * count, self.severity * count)
        test = Part(np.asarray(values[rows]), labels[:count].astype(np.int32))
        return dataclasses.replace(raw, test=test, tested=self.tested(folder))

    def tested(self, folder: Path) -> str:
        """What stands beside every number made on this test part."""
        made = ", regenerated" if (folder / MADE).exists() else ""
        return f"{self.corruption} {self.severity}{made}"


def there(folder: Path, name: str) -> Path:
    if (folder / name).is_file():
        return folder / name
    raise UserError(
        f"There is no {folder / name}. Fetch the published arrays with pseudocore data get "
        "cifar10-c, or make such a set with pseudocore data corrupt DATA --out FOLDER."
    )


def check_labels(folder: Path, labels: np.ndarray, clean: np.ndarray) -> None:
    """Refuse another dataset's corruptions; files of other layouts have another order."""
    if not np.array_equal(np.sort(labels), np.sort(clean)):
        raise UserError(
            f"{folder / LABELS} has not as many labels of every class as the clean test part: "
            "these are corruptions of another dataset."
        )


def check_meant(folder: Path, test: Part, clean: Dataset) -> None:
    """Refuse corruptions made here of another test part: their labels would not be of this one."""
    made = made_from(folder)
    ours = fingerprint(test, np.arange(len(test)))
    if made.get("test", ours) != ours:
        raise UserError(
            f"{folder} was made from the test images of {made.get('data')}, which are not those of "
            f"{spelt(to_json(clean))}: make another with pseudocore data corrupt DATA --out FOLDER."
        )


def made_from(folder: Path) -> dict[str, Any]:
    """What a folder of corrupted images was made from; empty if it was not made here."""
    file, remedy = folder / MADE, "Delete the folder, and make it again."
    origin = read_json(file, remedy) if file.exists() else {}
    if not isinstance(origin, dict):
        raise UserError(f"{file} does not say what the images were made from. {remedy}")
    return origin
