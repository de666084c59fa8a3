"""Files that are either whole or not there, and errors that say what to do about it."""

import contextlib
import errno
import functools
import json
import math
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pseudocore.errors import UserError

PARTIAL = ".partial"
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}
OBSTRUCTED = {errno.ENOTDIR, errno.EEXIST, errno.EISDIR}
RESUMED = (
    "Free space or choose another --out, then run again with --resume: nothing already computed is "
    "lost."
)
REPEATED = (
    "Free space, then run the same command again: what has arrived is kept. Or choose another "
    "--out."
)


def write_atomically(path: str | Path, content: bytes) -> None:
    """Replace the file at `path`; at every moment, kills included, it is the old or the new one."""
    path = Path(path)
    with explained(path, len(content)):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{secrets.token_hex(8)}{PARTIAL}")
        try:
            with open(temporary, "xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        _settle(path.parent)


def append(path: Path, content: bytes) -> None:
    """Add to the end of a file; where that fails, nothing has been added."""
    with explained(path, len(content)):
        before = path.stat().st_size if path.exists() else 0
        try:
            with open(path, "ab") as file:
                file.write(content)
        except OSError:
            if path.is_file():
                os.truncate(path, before)
            raise


def sweep(folder: Path) -> None:
    """Remove the temporary files that killed writers left in a folder."""
    with explained(folder):
        for leftover in folder.glob(f".*{PARTIAL}"):
            leftover.unlink(missing_ok=True)


@contextlib.contextmanager
def explained(path: Path, size: int = 0, *, full: str = RESUMED) -> Iterator[None]:
    """Turn what the operating system says about `path` into what a person can do.

    `full` is what to do where the disk is full.
    """
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        if error.errno in FULL:
            raise UserError(
                f"No space left to write {path} ({size / 2**20:.1f} MiB): {reason}. {full}"
            ) from error
        if error.errno in FORBIDDEN:
            raise UserError(
                f"Not allowed to write {path}: {reason}. Choose an --out that you may write to."
            ) from error
        if error.errno in OBSTRUCTED:
            raise UserError(
                f"Cannot write {path}: {reason} ({_obstacle(path)} is in the way). Move that away "
                "or choose another --out."
            ) from error
        if error.errno == errno.ENAMETOOLONG:
            raise UserError(f"{path}: {reason}. Choose a shorter one.") from error
        raise UserError(f"Cannot write {path}: {reason}. Choose another --out.") from error


explained_download = functools.partial(explained, full=REPEATED)


def _obstacle(path: Path) -> str:
    """What stands where a folder should be, else `path`, a folder in place of a file."""
    for above in path.parents:
        if above.is_symlink() and not above.exists():
            return f"{above}, a link to {os.readlink(above)}, which is not there,"
        if above.exists() and not above.is_dir():
            return str(above)
    return str(path)


def _settle(folder: Path) -> None:
    """Make a rename last through a power cut, on the filesystems that let a folder be synced."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def finite(value: Any) -> Any:
    """`value` as strict JSON has it: arrays as lists, NaN and infinities as null."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {str(name): finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return value


def write_json(path: Path, value: Any) -> None:
    """Strict JSON, indented for a person to read."""
    write_atomically(path, (json.dumps(value, indent=2, allow_nan=False) + "\n").encode())


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """A JSON list with a row a line: thousands of them stay small, and differ line by line."""
    lines = ",\n".join(json.dumps(finite(row), allow_nan=False) for row in rows)
    write_atomically(path, f"[\n{lines}\n]\n".encode())


def read_json(path: Path, remedy: str) -> Any:
    """The value in a JSON file; `remedy` is what to do where the file is missing or damaged."""
    content = read_bytes(path, remedy)
    try:
        return parse_json(content)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path} is damaged: it is not JSON ({error}). {remedy}") from error


def parse_json(content: bytes) -> Any:
    """Strict: NaN and Infinity are a ValueError."""
    return json.loads(content, parse_constant=_not_json)


def _not_json(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def read_bytes(path: Path, remedy: str) -> bytes:
    """The content of a file; `remedy` is what to do where it cannot be read."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise UserError(f"{path} is missing. {remedy}") from None
    except (PermissionError, IsADirectoryError) as error:
        raise UserError(f"{path} cannot be read: {error.strerror}. {remedy}") from error
