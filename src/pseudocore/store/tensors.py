"""Named arrays in safetensors files: a file is data only, and equal content gives equal bytes."""

import contextlib
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy

from pseudocore.errors import UserError
from pseudocore.store.files import write_atomically

REMEDY = "Give a file that pseudocore wrote, or delete it and compute it again"
HEADER = 8  # A safetensors file begins with the length of its JSON header, in 8 bytes.


def write_tensors(
    path: str | Path, arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str]
) -> None:
    """Write arrays of numbers or truth values under their names, all or nothing."""
    for name, array in arrays.items():
        if np.asarray(array).dtype.kind not in "biuf":
            raise TypeError(f"Array {name!r} is {np.asarray(array).dtype}, not plain numbers.")
    # safetensors writes the memory of an array as it lies: one that is not in C order (a
    # transpose, a slice with steps) would come back with its numbers in other places.
    plain = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    write_atomically(path, _ordered(safetensors.numpy.save(plain, dict(metadata) or None)))


def _ordered(content: bytes) -> bytes:
    """The same file with its metadata sorted: safetensors shuffles them anew in every process."""
    end = HEADER + int.from_bytes(content[:HEADER], "little")
    header = json.loads(content[HEADER:end])
    header["__metadata__"] = dict(sorted(header.get("__metadata__", {}).items()))
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % HEADER)  # The arrays stay aligned to 8 bytes.
    return b"".join((len(text).to_bytes(HEADER, "little"), text, memoryview(content)[end:]))


def read_tensors(
    path: str | Path, names: Iterable[str]
) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """The arrays of these names, and the file's metadata."""
    names = list(names)
    with _opened(path, names) as file:
        return {name: file.get_tensor(name) for name in names}, dict(file.metadata() or {})


def read_rows(path: str | Path, name: str, start: int, stop: int) -> np.ndarray:
    """Rows `start` to `stop` of one array, without reading the others from the disk."""
    with _opened(path, [name]) as file:
        window = file.get_slice(name)
        rows = [*window.get_shape(), 0][0]
        if not 0 <= start <= stop <= rows:
            raise UserError(
                f"{path} holds {rows} rows of {name!r}, not the rows {start}:{stop}. {REMEDY}."
            )
        if rows == 0:
            return file.get_tensor(name)
        # An empty window behind the last row is out of bounds to safetensors.
        return window[start:stop] if start < stop else window[0:0]


@contextlib.contextmanager
def _opened(path: str | Path, names: Iterable[str]) -> Iterator[Any]:
    """The open file, certain to be whole and to hold these names."""
    try:
        with safetensors.safe_open(str(path), framework="numpy") as file:
            missing = sorted(set(names) - set(file.keys()))
            if missing:
                held = ", ".join(sorted(file.keys())) or "nothing"
                raise UserError(f"{path} has no {', '.join(missing)}; it holds {held}. {REMEDY}.")
            yield file
    except safetensors.SafetensorError as error:
        raise UserError(
            f"{path} is cut short or no safetensors file ({error}). {REMEDY}."
        ) from error
    except OSError as error:
        raise _unreadable(path, error) from error


def digest(path: str | Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: str | Path, error: OSError) -> UserError:
    if not Path(path).exists():
        return UserError(f"There is no file {path}. Check the path, or compute it first.")
    return UserError(f"{path} cannot be read as a file: {error}. {REMEDY}.")
