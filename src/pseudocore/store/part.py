"""What has arrived of a file from the web, and of which version of the file."""

import dataclasses
import hashlib
import http.client
import json
import os
import re
import shutil
from email.message import Message
from pathlib import Path

from pseudocore.errors import UserError
from pseudocore.store.files import explained_download as explained

MIB = 2**20
RANGE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")


class Broken(Exception):
    """What was sent does not complete the file; another try may."""


@dataclasses.dataclass(frozen=True)
class Part:
    """What has arrived of a file, and beside it the version of the file that it is of."""

    target: Path

    @property
    def path(self) -> Path:
        return self.target.with_name(f"{self.target.name}.part")

    @property
    def note(self) -> Path:
        return self.target.with_name(f"{self.target.name}.part.json")

    @property
    def size(self) -> int:
        with explained(self.path):
            return self.path.stat().st_size if self.path.exists() else 0

    @property
    def version(self) -> str | None:
        """None where it is unknown; then only the checksum can tell two versions apart."""
        try:
            version = json.loads(self.note.read_bytes())["version"]
        except (OSError, ValueError, TypeError, KeyError):
            return None
        return version if isinstance(version, str) else None

    def wish(self) -> dict[str, str]:
        """The headers that ask for the rest, or for all where this version is gone."""
        if not self.size:
            return {}
        condition = {"If-Range": self.version} if self.version else {}
        return {"Range": f"bytes={self.size}-"} | condition

    def whole(self, rest: http.client.HTTPResponse) -> int | None:
        """The size of the file, told by a response that goes on where the part ends."""
        place = RANGE.match(rest.headers.get("Content-Range", ""))
        versions = {self.version, version_of(rest.headers)} - {None}
        if not place or int(place[1]) != self.size or len(versions) == 2:
            self.remove()
            raise Broken("the file there has changed")
        if place[2] != "*":
            return int(place[2])
        return None if rest.length is None else self.size + rest.length

    def limit(self, total: int | None) -> int:
        """How large the file may become, after making sure that there is room for it."""
        folder = self.path.parent
        with explained(folder):
            free = shutil.disk_usage(folder).free
        if total is None:
            return (free + self.size) // 2  # a stream without an end leaves the disk usable
        if total > free + self.size:
            raise UserError(
                f"{self.target} needs {(total - self.size) / MIB:.1f} MiB, {free / MIB:.1f} MiB "
                f"are free in {folder}. Free space there, then run the same command again."
            )
        return total

    def begin(self, version: str | None) -> None:
        # Emptied before it is renamed: old bytes under a new version would be taken for its own.
        with explained(self.path):
            self.path.write_bytes(b"")
        with explained(self.note):
            self.note.write_text(json.dumps({"version": version}))

    def checksum(self, like: str) -> str:
        with explained(self.path):
            return checksum_like(like, self.path)

    def remove(self) -> None:
        with explained(self.path):
            self.path.unlink(missing_ok=True)
            self.note.unlink(missing_ok=True)

    def finish(self) -> None:
        with explained(self.target):
            with self.path.open("rb+") as file:
                os.fsync(file.fileno())
            os.replace(self.path, self.target)
            self.note.unlink(missing_ok=True)


def version_of(headers: Message) -> str | None:
    """What a server calls the content it sends; a weak ETag vouches for no bytes."""
    tag = headers.get("ETag", "W/")
    return headers.get("Last-Modified") if tag.startswith("W/") else tag


def checksum_like(checksum: str, path: Path) -> str:
    """The checksum of a file, of the kind of `checksum`."""
    algorithm = checksum.partition(":")[0]
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, lambda: hashlib.new(algorithm, usedforsecurity=False))
    return f"{algorithm}:{digest.hexdigest()}"
