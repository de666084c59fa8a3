"""A safetensors file whose arrays are memory: filled in place, read without loading."""

import contextlib
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

import numpy as np

from pseudocore.store.files import PARTIAL

BYTES, HEADER = "U8", 8  # the type of every array; the length of the header stands in 8 bytes


@contextlib.contextmanager
def mapped(path: Path, shapes: Mapping[str, tuple[int, ...]]) -> Iterator[dict[str, np.memmap]]:
    """Arrays of bytes to be filled; the file appears under its name when all went well."""
    sizes = {name: int(np.prod(shape)) for name, shape in shapes.items()}
    header, start = _header(shapes, sizes)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{secrets.token_hex(8)}{PARTIAL}")
    try:
        with open(temporary, "xb") as file:
            file.write(header)
            claim(file, len(header) + sum(sizes.values()))
        yield {
            name: np.memmap(temporary, np.uint8, "r+", len(header) + start[name], shapes[name])
            for name in shapes
        }
        with open(temporary, "rb") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def claim(file: IO[bytes], size: int) -> None:
    """Take the space now: a disk that is full later would end the program, not fail a write."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)
    else:
        file.truncate(size)


def read_mapped(path: Path) -> dict[str, np.memmap]:
    """The arrays of such a file, read where they are looked at."""
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(HEADER), "little")
        if length > path.stat().st_size:
            raise ValueError(f"{path} is cut short or no such file")
        header = json.loads(file.read(length))
    return {
        name: np.memmap(
            path, np.uint8, "r", HEADER + length + entry["data_offsets"][0], tuple(entry["shape"])
        )
        for name, entry in header.items()
    }


def _header(
    shapes: Mapping[str, tuple[int, ...]], sizes: Mapping[str, int]
) -> tuple[bytes, dict[str, int]]:
    """The first bytes of the file, and where each array begins behind them."""
    start, end = {}, 0
    for name, size in sizes.items():
        start[name], end = end, end + size
    entries = {
        name: {
            "dtype": BYTES,
            "shape": list(shapes[name]),
            "data_offsets": [start[name], start[name] + sizes[name]],
        }
        for name in shapes
    }
    text = json.dumps(entries).encode()
    text += b" " * (-len(text) % HEADER)
    return len(text).to_bytes(HEADER, "little") + text, start
