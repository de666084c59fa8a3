"""Tiny ImageNet: 200 classes, 64 pixels, 500 training and 50 validation images a class."""

import dataclasses
from pathlib import Path

import equinox as eqx

from pseudocore.datasets.base import Dataset, Raw
from pseudocore.datasets.class_folders import Classes, classes, inner
from pseudocore.datasets.folder import from_classes
from pseudocore.datasets.names import TINY_IMAGENET
from pseudocore.datasets.resize import Resize, Squash
from pseudocore.datasets.whiten import Unwhitened, Whiten
from pseudocore.errors import UserError
from pseudocore.progress import Say, silent
from pseudocore.store.files import read_bytes

ANNOTATIONS = "val_annotations.txt"


class TinyImageNet(Dataset):
    """train/WNID/images and val/images of tiny-imagenet-200; val is the test part.

    Exactly the official 200 classes: what copies of it added is left out, and a line says so.
    """

    path: str = eqx.field(static=True, default="data/tiny-imagenet")
    resize: Resize = Squash(64)
    held_out: float = eqx.field(static=True, default=0.1)
    seed: int = eqx.field(static=True, default=0)
    whiten: Whiten = Unwhitened()

    def read(self, say: Say = silent) -> Raw:
        folder = inner(Path(self.path), "tiny-imagenet-200")
        for place in (folder / "train", folder / "val"):
            if not place.is_dir():
                raise UserError(
                    f"There is no {place}. Fetch it with pseudocore data get tiny-imagenet, or "
                    "name its folder: --data tiny-imagenet:FOLDER."
                )
        train, added = official(classes(folder / "train"), folder)
        test, _ = official(validation(folder / "val"), folder)
        raw = from_classes(folder, train, test, self.resize, say)
        if not added:
            return raw
        note = f"Left out, for the official 200 classes do not have them: {', '.join(added)}."
        return dataclasses.replace(raw, notes=(*raw.notes, note))


def official(found: Classes, folder: Path) -> tuple[Classes, list[str]]:
    """The 200 classes, and the names of what is there besides."""
    missing = [name for name in TINY_IMAGENET if name not in found]
    if missing:
        raise UserError(
            f"{folder} lacks {len(missing)} of the 200 classes, {missing[0]} among them: fetch it "
            "again with pseudocore data get tiny-imagenet."
        )
    return {name: found[name] for name in TINY_IMAGENET}, sorted(set(found) - set(TINY_IMAGENET))


def validation(folder: Path) -> Classes:
    """The validation images by class: in class folders, or in one with a list of annotations."""
    listed = folder / ANNOTATIONS
    if not listed.is_file():
        return classes(folder)
    found: Classes = {}
    lines = read_bytes(listed, "Change its rights.").decode(errors="replace").splitlines()
    for number, line in enumerate(lines, 1):
        name, label, *_ = (*line.split("\t"), "")
        if not label:
            raise UserError(
                f"{listed}, line {number} names no class: {line[:60]!r}. Fetch it again with "
                "pseudocore data get tiny-imagenet."
            )
        found.setdefault(label, []).append(folder / "images" / name)
    return {label: sorted(files) for label, files in sorted(found.items())}
