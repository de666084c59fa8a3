"""Hugging Face datasets on disk: Parquet files with an image and a label column."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import equinox as eqx
import numpy as np

from pseudocore.datasets.base import Dataset, Raw
from pseudocore.datasets.cache import Decoded, decoded
from pseudocore.datasets.class_folders import TEST, TRAIN
from pseudocore.datasets.folder import stamps, told
from pseudocore.datasets.parts import Part
from pseudocore.datasets.pictures import Picture
from pseudocore.datasets.resize import Resize, Squash
from pseudocore.datasets.whiten import Unwhitened, Whiten
from pseudocore.errors import UserError
from pseudocore.progress import Say, silent

INSTALL = "pip install 'pseudocore[hf]'"
IMAGES, LABELS = ("image", "img"), ("label", "labels", "fine_label")
HUB = "the local cache of the Hugging Face hub"


class Parquet(Dataset):
    """train-*.parquet and test-*.parquet of a folder, or of OWNER/NAME in the hub's local cache.

    The first column called image or img, and label (fine_label); others by their names.
    """

    path: str = eqx.field(static=True)
    image: str = eqx.field(static=True, default="")
    label: str = eqx.field(static=True, default="")
    resize: Resize = Squash(32)
    held_out: float = eqx.field(static=True, default=0.1)
    seed: int = eqx.field(static=True, default=0)
    whiten: Whiten = Unwhitened()

    def read(self, say: Say = silent) -> Raw:
        folder = located(self.path)
        tables = {part: table(folder, names) for part, names in PARTS.items()}
        image, label = (
            column(folder, tables, asked, known)
            for asked, known in ((self.image, IMAGES), (self.label, LABELS))
        )
        files = {part: parquet_files(folder, names) for part, names in PARTS.items()}
        pictures = {part: list(contents(it, image, part)) for part, it in tables.items()}
        stamp = [str(folder.resolve()), image, stamps(files)]
        found = decoded(pictures, self.resize, stamp, say)
        return assembled(found, tables, label, self.resize)


PARTS = {"train": TRAIN, "test": TEST}


def located(path: str) -> Path:
    """The folder of this path, or of a dataset that was fetched from the hub before."""
    if Path(path).is_dir():
        return Path(path)
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError
    except ImportError:
        raise UserError(
            f"There is no folder {path}. To look for a dataset of that name in {HUB}: {INSTALL}."
        ) from None
    try:
        return Path(snapshot_download(path, repo_type="dataset", local_files_only=True))
    except (LocalEntryNotFoundError, HFValidationError):
        raise UserError(
            f"There is no folder {path}, nor a dataset of that name in {HUB}. Fetch it first: "
            f"hf download {path} --repo-type dataset."
        ) from None


def parquet_files(folder: Path, names: tuple[str, ...]) -> list[Path]:
    """The files of the first of these parts that is there."""
    for name in names:
        files = [file for file in folder.rglob("*.parquet") if file.name.startswith(f"{name}-")]
        files = files or [file for file in folder.rglob("*.parquet") if file.stem == name]
        places = sorted({str(file.parent) for file in files})
        if len(places) > 1:
            raise UserError(
                f"{folder} has {name} files in {len(places)} folders, {', '.join(places)}: they "
                "may be of several datasets. Name one of these folders."
            )
        if files:
            return sorted(files)
    raise UserError(
        f"{folder} has no {names[0]}-*.parquet: pseudocore reads datasets that keep train and test "
        "in such files."
    )


def table(folder: Path, names: tuple[str, ...]) -> Any:
    """The rows of one part."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UserError(f"Parquet files are read by pyarrow: {INSTALL}.") from None
    files = parquet_files(folder, names)
    try:
        rows = pyarrow.concat_tables([pyarrow.parquet.read_table(file) for file in files])
    except (pyarrow.ArrowException, OSError) as error:
        raise UserError(
            f"The {names[0]} files of {folder} are damaged or do not fit each other ({error}). "
            "Fetch them again."
        ) from error
    if not rows.num_rows:
        raise UserError(f"The {names[0]} files of {folder} have no rows. Fetch them again.")
    return rows


def column(folder: Path, tables: dict[str, Any], asked: str, known: tuple[str, ...]) -> str:
    """The first column of these names that train has, and test too."""
    wanted = (asked,) if asked else known
    for part, rows in tables.items():
        found = next((name for name in wanted if name in rows.column_names), None)
        if found is None:
            raise UserError(
                f"The {part} files of {folder} have no column {' or '.join(wanted)}; they have "
                f"{', '.join(rows.column_names)}. Name another: "
                f"{'image' if known is IMAGES else 'label'}='COLUMN'."
            )
        wanted = (found,)
    return wanted[0]


def contents(rows: Any, image: str, part: str) -> Iterator[Picture]:
    """The encoded pictures of a column, taken out one by one when they are decoded."""
    chunked = rows.column(image)

    def bytes_of(number: int) -> bytes:
        cell = chunked[number].as_py()
        content = cell.get("bytes") if isinstance(cell, dict) else cell
        if not isinstance(content, bytes):
            raise ValueError(f"no picture in column {image!r}")
        return content

    for number in range(len(chunked)):
        yield Picture(f"{part} row {number}", lambda number=number: bytes_of(number))


def assembled(found: Decoded, tables: dict[str, Any], label: str, resize: Resize) -> Raw:
    labels = {part: np.asarray(rows.column(label)) for part, rows in tables.items()}
    names = class_names(tables["train"], label) or tuple(
        map(str, range(len(np.unique(labels["train"]))))
    )
    train, test = (Part(found.values(part), labels[part]) for part in PARTS)
    return Raw(train, test, names, found.channels, notes=told(found, resize))


def class_names(rows: Any, label: str) -> tuple[str, ...]:
    """The names that the dataset gives its classes, if it does."""
    described = (rows.schema.metadata or {}).get(b"huggingface", b"{}")
    try:
        feature = json.loads(described)["info"]["features"][label]
        return tuple(map(str, feature["names"]))
    except (ValueError, KeyError, TypeError):
        return ()
