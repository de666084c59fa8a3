"""Tiny datasets on disk, each laid out as its authors lay out theirs."""

import gzip
import io
import json
import os
import struct
import tempfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image
from scipy.io import savemat

from pseudocore.datasets.names import IMAGENETTE, TINY_IMAGENET


class Points(NamedTuple):
    """Values and labels of one part, as a reader should give them."""

    values: np.ndarray
    labels: np.ndarray


class Trap:
    """An object whose unpickling runs code."""

    def __reduce__(self):
        return print, ("the pickle ran code",)


def levels(seed: int, *shape: int) -> np.ndarray:
    """Random bytes."""
    return np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)


def points(seed: int, classes: int, each: int, *shape: int) -> Points:
    """Random bytes with every class `each` times, in turn."""
    labels = np.tile(np.arange(classes), each)
    return Points(levels(seed, len(labels), *shape), labels)


def png(picture: np.ndarray) -> bytes:
    """(height, width, 1 or 3) as a PNG."""
    content = io.BytesIO()
    Image.fromarray(picture[..., 0] if picture.shape[-1] == 1 else picture).save(content, "PNG")
    return content.getvalue()


def put(file: Path, content: bytes) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return file


def records(part: Points, labels: int) -> bytes:
    """CIFAR's binary: with two labels the first is of the twenty coarse ones."""
    before = [part.labels // 5, part.labels] if labels == 2 else [part.labels]
    planes = part.values.transpose(0, 3, 1, 2).reshape(len(part.labels), -1)
    return np.column_stack([*before, planes]).astype(np.uint8).tobytes()


def cifar10(folder: Path, each: int = 1) -> tuple[Points, Points]:
    """Five files of `each` a class, and a test file."""
    parts = [points(seed, 10, each, 32, 32, 3) for seed in range(6)]
    for number, part in enumerate(parts[:5], 1):
        put(folder / f"data_batch_{number}.bin", records(part, 1))
    put(folder / "test_batch.bin", records(parts[5], 1))
    return Points(*(np.concatenate(of) for of in zip(*parts[:5], strict=True))), parts[5]


def cifar100(folder: Path, each: int = 2) -> tuple[Points, Points]:
    train, test = points(0, 100, each, 32, 32, 3), points(1, 100, 1, 32, 32, 3)
    put(folder / "train.bin", records(train, 2))
    put(folder / "test.bin", records(test, 2))
    return train, test


def class_folders(folder: Path, parts: Mapping[str, Points], names: Sequence[str]) -> Path:
    """PNG files by part and class."""
    for name, part in parts.items():
        for number, (picture, label) in enumerate(zip(*part, strict=True)):
            put(folder / name / names[label] / f"{number:04}.png", png(picture))
    return folder


def idx(values: np.ndarray) -> bytes:
    """An IDX file of bytes: zeros, type, dimensions, sizes, values."""
    return struct.pack(f">BBBB{values.ndim}I", 0, 0, 8, values.ndim, *values.shape) + (
        values.astype(np.uint8).tobytes()
    )


def mnist(folder: Path, packed: bool = False, each: int = 2) -> tuple[Points, Points]:
    parts = {"train": points(0, 10, each, 28, 28), "t10k": points(1, 10, 1, 28, 28)}
    for name, part in parts.items():
        for kind, values in (("images-idx3", part.values), ("labels-idx1", part.labels)):
            content = idx(values)
            file = folder / f"{name}-{kind}-ubyte{'.gz' if packed else ''}"
            put(file, gzip.compress(content) if packed else content)
    return parts["train"], parts["t10k"]


def svhn(folder: Path, compressed: bool = True, each: int = 2) -> tuple[Points, Points]:
    """The digit 0 is labelled 10."""
    parts = {"train": points(0, 10, each, 32, 32, 3), "test": points(1, 10, 2, 32, 32, 3)}
    folder.mkdir(parents=True, exist_ok=True)
    for name, part in parts.items():
        labels = np.where(part.labels == 0, 10, part.labels).astype(np.uint8)[:, None]
        held = {"X": part.values.transpose(1, 2, 3, 0), "y": labels}
        savemat(folder / f"{name}_32x32.mat", held, do_compression=compressed)
    return parts["train"], parts["test"]


def linked(source: Path, file: Path) -> Path:
    """The same file under another name: thousands of them take no time and no space."""
    os.makedirs(file.parent, exist_ok=True)
    os.link(source, file)
    return file


def tiny_imagenet(folder: Path, classes: Sequence[str] = TINY_IMAGENET, each: int = 2) -> Path:
    """`each` pictures a class, and one of val that annotations list in another order."""
    one = put(folder / "one.JPEG", jpeg(levels(0, 64, 64, 3)))
    lines = []
    for number, name in enumerate(classes):
        for again in range(each):
            linked(one, folder / "train" / name / "images" / f"{name}_{again}.JPEG")
        linked(one, folder / "val" / "images" / f"val_{len(classes) - number}.JPEG")
        lines.append(f"val_{len(classes) - number}.JPEG\t{name}\t0\t0\t62\t62\n")
    (folder / "val" / "val_annotations.txt").write_text("".join(lines))
    return folder


def imagenette(folder: Path, train: int = 9469, val: int = 3925) -> Path:
    """So many pictures, in turn in every class; by default as many as version 2 has."""
    one, classes = put(folder / "one.JPEG", jpeg(levels(0, 5, 7, 3))), tuple(IMAGENETTE)
    for part, count in (("train", train), ("val", val)):
        for number in range(count):
            linked(one, folder / part / classes[number % 10] / f"{number}.JPEG")
    return folder


def jpeg(picture: np.ndarray) -> bytes:
    content = io.BytesIO()
    Image.fromarray(picture).save(content, "JPEG")
    return content.getvalue()


def shards(
    folder: Path,
    part: str,
    given: Points,
    number: int = 1,
    columns: tuple[str, str] = ("image", "label"),
    names: Sequence[str] | None = None,
) -> list[Path]:
    """Parquet files as the `datasets` library writes them."""
    import pyarrow
    import pyarrow.parquet

    image, label = columns
    features: dict = {image: {"_type": "Image"}, label: {"dtype": "int64", "_type": "Value"}}
    if names is not None:
        features[label] = {"names": list(names), "_type": "ClassLabel"}
    kinds = pyarrow.schema(
        {
            image: pyarrow.struct({"bytes": pyarrow.binary(), "path": pyarrow.string()}),
            label: pyarrow.int64(),
        },
        metadata={"huggingface": json.dumps({"info": {"features": features}})},
    )
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for shard, rows in enumerate(np.array_split(np.arange(len(given.labels)), number)):
        cells = [{"bytes": png(given.values[row]), "path": f"{row}.png"} for row in rows]
        table = pyarrow.table({image: cells, label: given.labels[rows].tolist()}, schema=kinds)
        files.append(folder / f"{part}-{shard:05}-of-{number:05}.parquet")
        pyarrow.parquet.write_table(table, files[-1], compression="none")
    return files


def header_only_png(width: int, height: int) -> bytes:
    """A grey PNG that claims a size, and holds a row of it."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        end = struct.pack(">I", zlib.crc32(kind + content))
        return struct.pack(">I", len(content)) + kind + content + end

    sizes = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    row = zlib.compress(bytes(1 + width))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", sizes) + chunk(b"IDAT", row) + chunk(b"IEND", b"")


def reads_all() -> bool:
    """Whether permissions are nothing to this user, as to root."""
    with tempfile.NamedTemporaryFile() as file:
        os.chmod(file.name, 0)
        return os.access(file.name, os.R_OK)


def multiset(values: np.ndarray, labels: np.ndarray) -> list[tuple[bytes, int]]:
    """Points with their labels, in no order."""
    return sorted((v.tobytes(), int(label)) for v, label in zip(values, labels, strict=True))
