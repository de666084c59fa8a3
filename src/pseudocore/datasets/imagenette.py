"""ImageNette, the official second version: ten easy classes of ImageNet."""

import dataclasses
from pathlib import Path

import equinox as eqx

from pseudocore.datasets.base import Dataset, Raw
from pseudocore.datasets.class_folders import Classes, inner, parts
from pseudocore.datasets.folder import from_classes
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
        folder = inner(Path(self.path), "imagenette2*")
        train, test = second_version(folder)
        names = tuple(IMAGENETTE.values())
        raw = from_classes(folder, train, test, self.resize, say, names)
        return dataclasses.replace(raw, standardise=IMAGENET)


def second_version(folder: Path) -> tuple[Classes, Classes]:
    """The files of train and val, if they are those of version 2."""
    if not folder.is_dir():
        raise UserError(
            f"There is no folder {folder}. Fetch it with pseudocore data get imagenette, or name "
            "its folder: --data imagenette:FOLDER."
        )
    train, test = parts(folder)
    for part in (train, test):
        if tuple(part) != tuple(IMAGENETTE):
            strange = sorted(set(part) ^ set(IMAGENETTE))
            raise UserError(
                f"{folder} has not the ten classes of ImageNette in train and val "
                f"({', '.join(strange[:3])}): fetch it with pseudocore data get imagenette, or "
                f"read these as a folder of pictures: --data {folder}."
            )
    counts = tuple(sum(map(len, part.values())) for part in (train, test))
    if counts != COUNTS:
        first = " That is the split of version 1." if counts[1] == FIRST_VERSION else ""
        raise UserError(
            f"{folder} has {counts[0]} training and {counts[1]} validation pictures, version 2 "
            f"of ImageNette {COUNTS[0]} and {COUNTS[1]}.{first} Fetch it with pseudocore data "
            f"get imagenette, or read these as a folder of pictures: --data {folder}."
        )
    return train, test
