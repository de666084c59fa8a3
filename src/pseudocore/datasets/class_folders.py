"""Which files lie in which class folders, and what lies there besides."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

from pseudocore.datasets.pictures import SHOWN, SUFFIXES
from pseudocore.errors import UserError

SYSTEM = {"Thumbs.db", "desktop.ini"}  # what file managers leave behind
TRAIN = ("train", "training")
TEST = ("test", "val", "valid", "validation")  # the first that is there
Classes = dict[str, list[Path]]


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
