"""CIFAR-10 and CIFAR-100, from their official binary files or lossless class folders."""

import dataclasses
from pathlib import Path

import equinox as eqx
import numpy as np

from pseudocore.datasets.base import Dataset, Raw
from pseudocore.datasets.class_folders import Classes, inner, parts
from pseudocore.datasets.folder import from_classes
from pseudocore.datasets.names import CIFAR10, CIFAR100
from pseudocore.datasets.parts import Part
from pseudocore.datasets.preprocess import Standardise
from pseudocore.datasets.resize import Squash
from pseudocore.datasets.whiten import Unwhitened, Whiten
from pseudocore.errors import UserError
from pseudocore.progress import Say, silent
from pseudocore.store.files import read_bytes

PIXELS = 3 * 32 * 32

# The constants of the paper's code, for both CIFARs.
STANDARDISE = Standardise((0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010))


@dataclasses.dataclass(frozen=True)
class Layout:
    """The official binary version: its files, and how many labels stand before the pixels."""

    name: str
    archive: str
    inside: str  # the folder that the archive unpacks to
    inside_pickled: str  # that of the version for Python
    train: tuple[str, ...]
    test: tuple[str, ...]
    labels: int  # bytes before the pixels, the last of them the label
    pickled: tuple[str, ...]  # files in it
    classes: tuple[str, ...]


TEN = Layout(
    "cifar10",
    "cifar-10-binary.tar.gz",
    "cifar-10-batches-bin",
    "cifar-10-batches-py",
    tuple(f"data_batch_{i}.bin" for i in range(1, 6)),
    ("test_batch.bin",),
    1,
    ("data_batch_1", "test_batch", "batches.meta"),
    CIFAR10,
)
HUNDRED = Layout(
    "cifar100",
    "cifar-100-binary.tar.gz",
    "cifar-100-binary",
    "cifar-100-python",
    ("train.bin",),
    ("test.bin",),
    2,
    ("meta", "file.txt~"),
    CIFAR100,
)


class Cifar10(Dataset):
    """The six .bin files of cifar-10-binary.tar.gz, or train/CLASS/*.png and test/CLASS/*.png."""

    path: str = eqx.field(static=True, default="data/cifar10")
    held_out: float = eqx.field(static=True, default=0.1)
    seed: int = eqx.field(static=True, default=0)
    whiten: Whiten = Unwhitened()

    def read(self, say: Say = silent) -> Raw:
        return read(Path(self.path), TEN, say)


class Cifar100(Dataset):
    """The two .bin files of cifar-100-binary.tar.gz, or class folders; the 100 fine labels."""

    path: str = eqx.field(static=True, default="data/cifar100")
    held_out: float = eqx.field(static=True, default=0.1)
    seed: int = eqx.field(static=True, default=0)
    whiten: Whiten = Unwhitened()

    def read(self, say: Say = silent) -> Raw:
        return read(Path(self.path), HUNDRED, say)


def read(folder: Path, layout: Layout, say: Say) -> Raw:
    """Whichever of the two layouts is there; the pickled one is refused."""
    if (folder / "train").is_dir():
        raw = class_folders(folder, layout, say)
        return dataclasses.replace(raw, standardise=STANDARDISE)
    folder = inner(folder, layout.inside)
    refuse_pickles(folder, layout)
    train, test = (binary(folder, names, layout) for names in (layout.train, layout.test))
    return Raw(train, test, layout.classes, "RGB", standardise=STANDARDISE)


def refuse_pickles(folder: Path, layout: Layout) -> None:
    """To read a pickle is to run what it says."""
    for place in (folder, folder / layout.inside_pickled):
        found = [name for name in layout.pickled if (place / name).is_file()]
        if found and not (folder / layout.train[0]).exists():
            raise UserError(
                f"{place} holds the version for Python ({found[0]}), whose files are pickles: "
                "reading them would run code. Take the binary version, "
                f"{layout.archive}: pseudocore data get {layout.name}."
            )


def binary(folder: Path, names: tuple[str, ...], layout: Layout) -> Part:
    """Labels, then red, green and blue planes, one record after another."""
    record = layout.labels + PIXELS
    records = []
    for name in names:
        file = folder / name
        if not file.is_file():
            raise UserError(
                f"There is no {file}. Fetch the binary version of {layout.name} "
                f"({layout.archive}) with pseudocore data get {layout.name}, or name the folder "
                f"that it is in: --data {layout.name}:FOLDER."
            )
        content = np.frombuffer(read_bytes(file, "Change its rights."), np.uint8)
        if content.size == 0 or content.size % record:
            raise UserError(
                f"{file} has {content.size} bytes, not a multiple of {record}: it is cut short or "
                f"not of the binary version of {layout.name}. Fetch it again."
            )
        records.append(content.reshape(-1, record))
    rows = np.concatenate(records)
    planes = rows[:, layout.labels :].reshape(-1, 3, 32, 32)
    values = np.ascontiguousarray(planes.transpose(0, 2, 3, 1))
    return Part(values, rows[:, layout.labels - 1].astype(np.int32))


def class_folders(folder: Path, layout: Layout, say: Say) -> Raw:
    """The same images as PNG files; their classes' alphabetical order is that of the labels."""
    train, test = lossless(folder, layout)
    return from_classes(folder, train, test, Squash(32), say)


def lossless(folder: Path, layout: Layout) -> tuple[Classes, Classes]:
    """The files of train and test, if they can be the published images."""
    train, test = parts(folder)
    for part in (train, test):
        if tuple(part) != layout.classes:
            strange = sorted(set(part) ^ set(layout.classes))[:10]
            raise UserError(
                f"The class folders of {folder} are not those of {layout.name} ({strange[0]!r} "
                f"among others): read it as a folder of pictures, --data {folder}."
            )
        refuse_jpeg(folder, part, layout)
    return train, test


def refuse_jpeg(folder: Path, part: Classes, layout: Layout) -> None:
    """Copies as JPEG are other images: 2 to 3 % of accuracy were lost to them."""
    for files in part.values():
        for file in files:
            if file.suffix.lower() in (".jpg", ".jpeg"):
                raise UserError(
                    f"{file} is a JPEG: {layout.name} was published without loss, and copies of it "
                    "as JPEG are other, worse images. Fetch the original with pseudocore data get "
                    f"{layout.name}; to use these all the same, --data {folder}."
                )
