"""Pictures in folders, one a class: train/CLASS/*.png and test/CLASS/*.png."""

import dataclasses
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

import equinox as eqx
import numpy as np

from pseudocore.datasets.base import Dataset, Part, Raw, cut_test, none_of
from pseudocore.datasets.cache import Decoded, decoded
from pseudocore.datasets.pictures import SHOWN, SUFFIXES, Picture
from pseudocore.datasets.resize import Cover, Resize
from pseudocore.datasets.whiten import Unwhitened, Whiten
from pseudocore.errors import UserError
from pseudocore.progress import Say, silent

SYSTEM = {"Thumbs.db", "desktop.ini"}  # what file managers leave behind
TRAIN = ("train", "training")
TEST = ("test", "val", "valid", "validation")  # the first that is there
Classes = dict[str, list[Path]]


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


def parts(folder: Path) -> tuple[Classes, Classes]:
    """The files of train and test by class."""
    train, test = places(folder)
    return classes(train), classes(test) if test else {}


def places(folder: Path) -> tuple[Path, Path | None]:
    """The folders of train and test; without a train folder, the classes lie at the top."""
    if not folder.is_dir():
        raise UserError(f"There is no folder {folder}. Check the path.")
    inside = {entry.name.lower(): entry for entry in folders_in(folder)}
    train, test = (next((inside[n] for n in names if n in inside), None) for names in (TRAIN, TEST))
    if train is None and test is not None:
        raise UserError(
            f"{folder} has a {test.name} folder and no train folder: the training pictures belong "
            f"in {folder / 'train'}/CLASS/."
        )
    return train or folder, test


def folders_in(folder: Path) -> list[Path]:
    """The folders in a folder, hidden ones aside, by name."""
    try:
        return sorted(
            entry for entry in folder.iterdir() if entry.is_dir() and not entry.name.startswith(".")
        )
    except OSError as error:
        refuse(error)


def refuse(error: OSError) -> NoReturn:
    raise UserError(
        f"{error.filename} may not be read ({error.strerror}). Change its rights."
    ) from error


def left_out(folder: Path, train: Classes) -> list[str]:
    """What lies in a folder of pictures and is not read, in words."""
    place, test = places(folder)
    empty = [entry.name for entry in folders_in(place) if entry.name not in train]
    unread = [e.name for e in folders_in(folder) if e.name.lower() in TEST and e != test]
    others = [os.path.relpath(file, folder) for file in other_files(place, train)]
    notes = []
    if empty and place != folder:
        notes.append(f"Left out, for no picture that can be read is in them: {', '.join(empty)}.")
    if unread and test:
        notes.append(f"{' and '.join(unread)} is not read: {test.name} is the test part.")
    if others:
        more = f" and {len(others) - SHOWN} more" if len(others) > SHOWN else ""
        known = ", ".join(sorted(SUFFIXES))
        notes.append(
            f"Not read, being outside of the classes or none of {known}: "
            f"{', '.join(others[:SHOWN])}{more}."
        )
    return notes


def other_files(place: Path, train: Classes) -> list[Path]:
    """Files that are no picture of a class, hidden ones aside."""
    loose = [file for file in sorted(place.iterdir()) if file.is_file()]
    inside = (file for name in train for file in sorted((place / name).rglob("*")))
    below = [file for file in inside if file.is_file()]
    known = {file for files in train.values() for file in files}
    return [
        file
        for file in (*loose, *below)
        if file not in known
        and not any(part.startswith(".") for part in file.relative_to(place).parts)
        and file.name not in SYSTEM
    ]


def inner(folder: Path, pattern: str) -> Path:
    """The folder that an archive has put inside, or the folder itself."""
    return next((inside for inside in sorted(folder.glob(pattern)) if inside.is_dir()), folder)


def classes(folder: Path) -> Classes:
    """Every folder inside is a class; the pictures may lie deeper in it."""
    found = {entry.name: sorted(pictures_below(entry)) for entry in folders_in(folder)}
    found = {name: files for name, files in found.items() if files}
    if not found:
        raise UserError(
            f"{folder} has no folders with pictures in them. Put the pictures of each class into a "
            f"folder of its name, {folder}/CLASS/1.png; known are {', '.join(sorted(SUFFIXES))}."
        )
    return found


def pictures_below(folder: Path) -> Iterable[Path]:
    for above, inside, names in os.walk(folder, onerror=refuse):
        # Walked no further: programs keep copies of the pictures in hidden folders.
        inside[:] = [name for name in inside if not name.startswith(".")]
        for name in names:
            if not name.startswith(".") and os.path.splitext(name)[1].lower() in SUFFIXES:
                yield Path(above, name)


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
