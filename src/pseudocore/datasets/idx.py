"""MNIST and what is laid out like it: IDX files, compressed by gzip or not."""

import gzip
import math
import zlib
from pathlib import Path

import equinox as eqx
import numpy as np

from pseudocore.datasets.base import Dataset, Raw
from pseudocore.datasets.names import FASHION_MNIST, MNIST
from pseudocore.datasets.parts import Part
from pseudocore.datasets.whiten import Unwhitened, Whiten
from pseudocore.errors import UserError
from pseudocore.progress import Say, silent
from pseudocore.store.files import read_bytes

FILES = {
    "train": ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
    "test": ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"),
}
GZIP = b"\x1f\x8b"
BYTES = 8  # the code of unsigned bytes in the third byte of the magic number


class Mnist(Dataset):
    """The four IDX files of MNIST, standardised by the mean and deviation of train."""

    path: str = eqx.field(static=True, default="data/mnist")
    held_out: float = eqx.field(static=True, default=0.1)
    seed: int = eqx.field(static=True, default=0)
    whiten: Whiten = Unwhitened()

    def read(self, say: Say = silent) -> Raw:
        return read(Path(self.path), "mnist", MNIST)


class FashionMnist(Dataset):
    """The four IDX files of Fashion-MNIST, standardised by the mean and deviation of train."""

    path: str = eqx.field(static=True, default="data/fashion-mnist")
    held_out: float = eqx.field(static=True, default=0.1)
    seed: int = eqx.field(static=True, default=0)
    whiten: Whiten = Unwhitened()

    def read(self, say: Say = silent) -> Raw:
        return read(Path(self.path), "fashion-mnist", FASHION_MNIST)


def read(folder: Path, name: str, classes: tuple[str, ...]) -> Raw:
    def part(which: str) -> Part:
        images, labels = (idx(found(folder, file, name)) for file in FILES[which])
        if images.ndim != 3 or labels.ndim != 1:
            raise UserError(
                f"{folder}: {FILES[which][0]} holds shape {images.shape}, {FILES[which][1]} "
                f"{labels.shape}: expected images and one label each. Fetch them again."
            )
        return Part(images[..., None], labels.astype(np.int32))

    return Raw(part("train"), part("test"), classes, "gray")


def found(folder: Path, file: str, name: str) -> Path:
    """The file as published, unpacked, or with a point before idx as some tools unpack it."""
    for candidate in (file, f"{file}.gz", file.replace("-idx", ".idx")):
        if (folder / candidate).is_file():
            return folder / candidate
    raise UserError(
        f"There is no {folder / file}, nor {file}.gz. Fetch it with pseudocore data get {name}, or "
        f"name the folder that it is in: --data {name}:FOLDER."
    )


def idx(file: Path) -> np.ndarray:
    """The array of bytes in an IDX file."""
    again = "Fetch it again."
    content = read_bytes(file, "Change its rights.")
    try:
        content = gzip.decompress(content) if content.startswith(GZIP) else content
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise UserError(f"{file} is cut short or damaged ({error}). {again}") from error
    if len(content) < 4 or content[:3] != bytes([0, 0, BYTES]):
        raise UserError(
            f"{file} is no IDX file of bytes: it begins with {content[:4].hex()}. {again}"
        )
    start = 4 + 4 * content[3]
    if len(content) < start:
        raise UserError(f"{file} is cut short or damaged: it ends within its header. {again}")
    shape = tuple(np.frombuffer(content[4:start], ">u4").tolist())
    if len(content) - start != math.prod(shape):
        raise UserError(
            f"{file} should hold {' x '.join(map(str, shape))} bytes, and holds "
            f"{len(content) - start}: it is cut short or damaged. {again}"
        )
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)
