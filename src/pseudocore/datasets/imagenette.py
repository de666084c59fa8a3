"""ImageNette, the official second version: ten easy classes of ImageNet."""

import dataclasses
from pathlib import Path

import equinox as eqx

from pseudocore.datasets.base import Dataset, Raw
from pseudocore.datasets.folder import Classes, from_classes, parts
from pseudocore.datasets.names import IMAGENETTE
from pseudocore.datasets.preprocess import Standardise
from pseudocore.datasets.resize import Resize, Squash
from pseudocore.datasets.whiten import Unwhitened, Whiten
from pseudocore.errors import UserError
from pseudocore.progress import Say, silent

IMAGENET = Standardise((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
COUNTS = 9469, 3925  # train and val of version 2; version 1 had 12,894 and 500
FIRST_VERSION = 500


class ImageNette(Dataset):
    """train/ and val/ with ten folders each; the split is that of the files' folders.

    128 pixels squashed, and the constants of ImageNet, as in the paper's code; its test part was
    another one, the 500 ILSVRC validation images of these classes.
    """

    path: str = eqx.field(static=True, default="data/imagenette")
    resize: Resize = Squash(128)
    held_out: float = eqx.field(static=True, default=0.1)
    seed: int = eqx.field(static=True, default=0)
    whiten: Whiten = Unwhitened()

    def read(self, say: Say = silent) -> Raw:
        folder = Path(self.path)
        train, test = parts(folder)
        counts = check_is(folder, train, test)
        if counts != COUNTS:
            first = " That is the split of version 1." if counts[1] == FIRST_VERSION else ""
            raise UserError(
                f"{folder} has {counts[0]} training and {counts[1]} validation pictures, version 2 "
                f"of ImageNette {COUNTS[0]} and {COUNTS[1]}.{first} Fetch it with pseudocore data "
                f"get imagenette, or read these as a folder of pictures: --data {folder}."
            )
        names = tuple(IMAGENETTE.values())
        raw = from_classes(folder, train, test, self.resize, say, names)
        return dataclasses.replace(raw, standardise=IMAGENET)


def check_is(folder: Path, train: Classes, test: Classes) -> tuple[int, int]:
    """How many pictures train and val have, if they have the ten classes."""
    for part in (train, test):
        if tuple(part) != tuple(IMAGENETTE):
            strange = sorted(set(part) ^ set(IMAGENETTE))
            raise UserError(
                f"{folder} has not the ten classes of ImageNette in train and val "
                f"({', '.join(strange[:3])}): fetch it with pseudocore data get imagenette, or "
                f"read these as a folder of pictures: --data {folder}."
            )
    train_count, test_count = (sum(map(len, part.values())) for part in (train, test))
    return train_count, test_count
