"""Pictures in folders, one a class: train/CLASS/*.png and test/CLASS/*.png."""

import dataclasses
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import equinox as eqx
import numpy as np

from pseudocore.datasets.base import Dataset, Raw
from pseudocore.datasets.cache import Decoded, decoded
from pseudocore.datasets.class_folders import TEST, Classes, left_out, parts
from pseudocore.datasets.parts import Part, cut_test, none_of
from pseudocore.datasets.pictures import Picture
from pseudocore.datasets.resize import Cover, Resize
from pseudocore.datasets.whiten import Unwhitened, Whiten
from pseudocore.errors import UserError
from pseudocore.progress import Say, silent


class Folder(Dataset):
    """Your own pictures, of any size, mode and orientation; classes in the order of their names.

    Without a test folder, `cut` is the fraction of every class that becomes the test part.
    """

    path: str = eqx.field(static=True)
    resize: Resize = Cover(32)
    cut: float = eqx.field(static=True, default=0.0)
    held_out: float = eqx.field(static=True, default=0.1)
    seed: int = eqx.field(static=True, default=0)
    whiten: Whiten = Unwhitened()

    def read(self, say: Say = silent) -> Raw:
        train, test = parts(Path(self.path))
        if not 0 <= self.cut < 1:
            raise UserError(f"cut={self.cut:g} must be a fraction of every class, below 1.")
        if not test and not self.cut:
            raise UserError(
                f"{self.path} has no {' or '.join(TEST[:2])} folder beside its training pictures: "
                "add one with the same classes, or say which fraction of every class to test on, "
                "as --data.cut 0.2 (with distill --plan.data.cut 0.2)."
            )
        raw = from_classes(Path(self.path), train, test, self.resize, say)
        raw = dataclasses.replace(raw, notes=(*raw.notes, *left_out(Path(self.path), train)))
        return raw if test else self.without_test(raw)

    def without_test(self, raw: Raw) -> Raw:
        train, test = cut_test(raw.train, self.cut)
        share = f"{self.cut:g} of every class, {len(test)} pictures"
        note = f"There is no test folder: {share}, is tested{none_of(test, raw.classes)}."
        return dataclasses.replace(raw, train=train, test=test, notes=(*raw.notes, note))


def from_classes(
    root: Path,
    train: Classes,
    test: Classes,
    resize: Resize,
    say: Say = silent,
    names: Sequence[str] | None = None,
) -> Raw:
    """Bytes and labels of files by class; `names`, if other, are the classes' own."""
    unknown = sorted(set(test) - set(train))
    if unknown:
        raise UserError(
            f"{root}: the test part has classes that train does not have: "
            f"{', '.join(unknown[:10])}. Every class needs training pictures."
        )
    order = {name: number for number, name in enumerate(train)}
    there = {"train": train, "test": test} if test else {"train": train}
    found = decode_classes(root, there, resize, say)

    def part(name: str) -> Part:
        files = there[name]
        counts = [len(paths) for paths in files.values()]
        labels = np.repeat([order[name] for name in files], counts).astype(np.int32)
        return Part(found.values(name), labels)

    nothing = Part(found.values("train")[:0], np.zeros(0, np.int32))
    return Raw(
        part("train"),
        part("test") if test else nothing,
        tuple(names or train),
        found.channels,
        notes=told(found, resize),
    )


def decode_classes(root: Path, parts: Mapping[str, Classes], resize: Resize, say: Say) -> Decoded:
    """The pictures of all parts, from the cache if no file has changed."""
    files = {part: [path for paths in by.values() for path in paths] for part, by in parts.items()}
    pictures = {
        part: [Picture(os.path.relpath(path, root), path) for path in paths]
        for part, paths in files.items()
    }
    return decoded(pictures, resize, [str(root.resolve()), stamps(files)], say)


def stamps(files: Mapping[str, Sequence[Path]]) -> dict[str, list]:
    """Names, sizes and times of files: other after any change."""

    def stamp(path: Path) -> list:
        try:
            found = path.stat()
        except OSError:  # a link to nowhere; decoding it will say so
            return [str(path), None]
        return [str(path), found.st_size, found.st_mtime_ns]

    return {part: [stamp(path) for path in paths] for part, paths in files.items()}


def told(found: Decoded, resize: Resize) -> tuple[str, ...]:
    """What was done to the pictures, where something was."""
    square = (resize.size, resize.size)
    smallest, largest = found.seen.smallest, found.seen.largest
    if smallest == largest == square:
        return found.notes
    name = f"{type(resize).__name__}({resize.size})"
    sizes = by(smallest) if smallest == largest else f"{by(smallest)} to {by(largest)}"
    return (*found.notes, f"Pictures of {sizes} pixels were brought to {by(square)} by {name}.")


def by(size: tuple[int, int]) -> str:
    return f"{size[0]} x {size[1]}"
