"""Unpacking a stranger's archive: all or nothing, inside one folder, no larger than agreed."""

import contextlib
import glob
import secrets
import shutil
import time
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath, PureWindowsPath

from pseudocore.errors import UserError
from pseudocore.store.files import explained_download as explained
from pseudocore.store.members import Entry, entries, short

LIMIT = 20 * 2**30  # bytes
MOST = 1_000_000  # files and folders
LONGEST = 4096  # letters of a name: PATH_MAX on Linux
CHUNK = 2**20
ABANDONED = 3600  # seconds after which no call is taken to be at work still


def unpack(archive: Path, folder: Path, limit: int = LIMIT) -> None:
    """Put what is in a .tar, .tar.gz, .tgz or .zip into a folder that is new or empty."""
    folder = folder.resolve()
    with explained(folder):
        _sweep(folder)
        if folder.exists() and any(folder.iterdir()):
            raise UserError(f"{folder} is not empty. Move or delete it, then run again.")
    temporary = folder.with_name(f".{folder.name}.{secrets.token_hex(8)}.unpacking")
    try:
        with entries(archive) as members:
            with _sound(archive):
                places = _places(members, limit)
            with explained(folder):
                temporary.mkdir(parents=True)
            for place, entry in places.items():
                with explained(folder / place, entry.size):
                    _write(archive, entry, temporary / place)
        with explained(folder):
            temporary.replace(folder)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def _sweep(folder: Path) -> None:
    """Remove what killed calls for the same folder left beside it."""
    for leftover in folder.parent.glob(f".{glob.escape(folder.name)}.{'?' * 16}.unpacking"):
        with contextlib.suppress(OSError):
            if time.time() - leftover.stat().st_mtime > ABANDONED:
                shutil.rmtree(leftover)


@contextlib.contextmanager
def _sound(archive: Path) -> Iterator[None]:
    """Turn whatever a damaged or evil archive makes its reader raise into what a person can do."""
    try:
        yield
    except Exception as error:
        raise UserError(
            f"{archive} is damaged or unsafe: {error or type(error).__name__}. Nothing of it was "
            "kept. Delete it and fetch it again, from another source if it stays so."
        ) from error


def _places(members: Iterable[Entry], limit: int) -> dict[PurePosixPath, Entry]:
    """Where each member goes, none of them out of the folder or onto another one."""
    places: dict[PurePosixPath, Entry] = {}
    folders: set[PurePosixPath] = set()
    total = 0
    for entry in members:
        place = _place(entry.name)
        if place in places:
            raise ValueError(f"{short(entry.name)} is in it twice")
        places[place] = entry
        if place.parent not in folders:
            folders.update(place.parents)
        if len(places) + len(folders) > MOST:
            raise ValueError(f"it holds more than {MOST} files and folders")
        total += entry.size
        if total > limit:
            raise ValueError(f"unpacked it would be larger than {limit / 2**20:.1f} MiB")
    if not places:
        raise ValueError("it is empty")
    for place, entry in places.items():
        if entry.open is not None and (place in folders or not place.parts):
            raise ValueError(f"{short(entry.name)} is both a file and a folder")
    return places


def _place(name: str) -> PurePosixPath:
    place = PurePosixPath(name.replace("\\", "/"))
    if place.is_absolute() or PureWindowsPath(name).drive or ".." in place.parts:
        raise ValueError(f"{short(name)} leads out of the folder")
    if "\0" in name or len(name) > LONGEST:
        raise ValueError(f"{short(name)} is no name of a file")
    return place


def _write(archive: Path, entry: Entry, path: Path) -> None:
    (path.parent if entry.open else path).mkdir(parents=True, exist_ok=True)
    if entry.open:
        with path.open("xb") as file:
            file.writelines(_chunks(archive, entry))


def _chunks(archive: Path, entry: Entry) -> Iterator[bytes]:
    """The content of a file, which is as long as its header says."""
    with _sound(archive):
        left = entry.size
        stream = entry.open and entry.open()
        if stream is None:
            raise ValueError(f"{short(entry.name)} has no content")
        with stream:
            while left >= 0 and (chunk := stream.read(CHUNK)):
                left -= len(chunk)
                if left >= 0:
                    yield chunk
        if left:
            raise ValueError(f"{short(entry.name)} is not as long as it says")
