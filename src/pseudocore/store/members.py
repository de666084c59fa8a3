"""The members of a stranger's archive, judged before anything of them is written."""

import contextlib
import functools
import gzip
import io
import stat
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from pseudocore.errors import UserError

KINDS = (".zip", ".tar", ".tar.gz", ".tgz")
RATION = 2**20  # bytes of a header: it could ask for all memory
ENCRYPTED = 0x1
END = 22  # bytes of a zip's last record, before its comment
MANY = 0xFFFF  # where the members of a zip are counted elsewhere
# What a block of bzip2 or LZMA unpacks to is held in memory whole, however large.
STREAMED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
PLAIN = (0, stat.S_IFREG, stat.S_IFDIR)  # 0: packed where files have no type


@dataclass(frozen=True)
class Entry:
    """A member of an archive: a file where it can be opened, else a folder."""

    name: str
    size: int
    open: Callable[[], IO[bytes] | None] | None


@contextlib.contextmanager
def entries(archive: Path) -> Iterator[Iterator[Entry]]:
    """The members of an archive while it is open, of the kind that its name says."""
    name = archive.name.lower()
    if not name.endswith(KINDS):
        raise UserError(f"{archive} is no .tar, .tar.gz, .tgz or .zip: unpack it by hand.")
    try:
        file = archive.open("rb")
    except OSError as error:
        raise UserError(f"{archive} cannot be read: {error.strerror}. Fetch it again.") from error
    with file:
        if name.endswith(".zip"):
            yield _zipped(file)
        else:
            yield _tarred(file if name.endswith(".tar") else gzip.GzipFile(fileobj=file))


def short(name: str) -> str:
    return repr(name[:100])


def _zipped(file: io.BufferedIOBase) -> Iterator[Entry]:
    archive = zipfile.ZipFile(file)
    # `zipfile` takes a directory that breaks off for a shorter one.
    file.seek(-END - len(archive.comment), io.SEEK_END)
    count = int.from_bytes(file.read(END)[10:12], "little")
    if count not in (MANY, len(archive.infolist()) & MANY):
        raise ValueError(f"its directory has {len(archive.infolist())} of {count} members")
    for info in archive.infolist():
        if stat.S_IFMT(info.external_attr >> 16) not in PLAIN:
            raise ValueError(f"{short(info.filename)} is a link or a device")
        if info.flag_bits & ENCRYPTED:
            raise ValueError(f"{short(info.filename)} is encrypted")
        if info.compress_type not in STREAMED:
            raise ValueError(f"{short(info.filename)} is compressed in an unusual way")
        content = None if info.is_dir() else functools.partial(archive.open, info)
        yield Entry(info.orig_filename, info.file_size if content else 0, content)


class Ration(io.RawIOBase):
    """A stream of which only so much is read between refills."""

    def __init__(self, stream: io.BufferedIOBase):
        self.stream = stream
        self.left = RATION

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        return self.stream.seek(place, whence)

    def tell(self) -> int:
        return self.stream.tell()

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= self.left:
            raise ValueError(f"a header of {size} bytes")
        self.left -= size
        return self.stream.read(size)


def _tarred(file: io.BufferedIOBase) -> Iterator[Entry]:
    ration = Ration(file)
    archive = tarfile.TarFile(fileobj=ration)
    while member := archive.next():
        ration.left = RATION
        if not (member.isreg() or member.isdir()) or member.issparse():
            raise ValueError(f"{short(member.name)} is a link, a device or a file with holes")
        # `tarfile` takes a size that is no number for none.
        if member.size < 0 or int(member.pax_headers.get("size", member.size)) != member.size:
            raise ValueError(f"{short(member.name)} has no size")
        content = None if member.isdir() else functools.partial(archive.extractfile, member)
        yield Entry(member.name, member.size if content else 0, content)
    # `tarfile` takes a header that it cannot read, or none, for the end.
    ration.left = sys.maxsize
    ration.seek(archive.offset)
    if ration.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):
        raise ValueError(f"it is cut off or spoilt at byte {archive.offset}")
    while ration.read(RATION):
        pass  # gzip's checksum is behind the padding
