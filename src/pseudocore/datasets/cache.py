"""Decoded pictures, kept: the second start reads one file instead of thousands."""

import contextlib
import dataclasses
import hashlib
import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from pseudocore.datasets.pictures import Picture, Seen, decode_all
from pseudocore.datasets.resize import Resize
from pseudocore.progress import Say, silent
from pseudocore.store.files import PARTIAL
from pseudocore.store.mapped import mapped, read_mapped
from pseudocore.store.values import to_json

VERSION = 1  # of what is done to pictures: what older versions kept is not read any more
PLACE = "PSEUDOCORE_CACHE"
ABANDONED = 24 * 3600  # seconds after which no decoding is at work still
ABOUT = 256  # bytes for what was seen of the pictures, known only when all are decoded


@dataclasses.dataclass(frozen=True)
class Decoded:
    """Bytes (n, size, size, channels) of each part, and what the pictures were before."""

    parts: dict[str, np.ndarray]
    seen: Seen
    notes: tuple[str, ...] = ()

    @property
    def channels(self) -> str:
        return "RGB" if self.seen.colour else "gray"

    def values(self, part: str) -> np.ndarray:
        """One channel where no picture has colour."""
        return self.parts[part] if self.seen.colour else self.parts[part][..., :1]


def cache_folder() -> Path:
    """$PSEUDOCORE_CACHE, or where the system keeps such files."""
    named = os.environ.get(PLACE)
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pseudocore"


def decoded(
    parts: Mapping[str, Sequence[Picture]], resize: Resize, stamp: object, say: Say = silent
) -> Decoded:
    """The pictures, from the cache if these very files were decoded so before.

    `stamp` is other when one of the files is.
    """
    kind = f"{type(resize).__module__}.{type(resize).__qualname__}"
    key = json.dumps([VERSION, kind, to_json(resize), stamp], sort_keys=True)
    file = cache_folder() / f"pictures-{hashlib.sha256(key.encode()).hexdigest()[:32]}.safetensors"
    with contextlib.suppress(Exception):  # not there, or damaged: a header can say anything
        return remembered(file, parts)
    forget_abandoned()
    shapes = {name: (len(part), resize.size, resize.size, 3) for name, part in parts.items()}
    try:
        with mapped(file, {**shapes, "about": (ABOUT,)}) as arrays:
            seen = decode_parts(parts, resize, arrays, say)
            about = json.dumps(dataclasses.asdict(seen)).encode().ljust(ABOUT)
            arrays["about"][:] = np.frombuffer(about, np.uint8)
        return remembered(file, parts)
    except OSError as error:
        note = f"Decoded pictures are not kept ({error}): set {PLACE} to another folder."
        arrays = {name: np.empty(shape, np.uint8) for name, shape in shapes.items()}
        return Decoded(arrays, decode_parts(parts, resize, arrays, say), (note,))


def forget_abandoned() -> None:
    """Remove what decodings left that were killed."""
    with contextlib.suppress(OSError):
        for leftover in cache_folder().glob(f".*{PARTIAL}"):
            if time.time() - leftover.stat().st_mtime > ABANDONED:
                leftover.unlink()


def remembered(file: Path, parts: Mapping[str, Sequence[Picture]]) -> Decoded:
    """What a file of the cache holds of these parts."""
    arrays = read_mapped(file)
    about = json.loads(arrays.pop("about").tobytes())
    seen = Seen(about["colour"], tuple(about["smallest"]), tuple(about["largest"]))
    if [(name, len(array)) for name, array in arrays.items()] != [
        (name, len(part)) for name, part in parts.items()
    ]:
        raise ValueError(f"{file} holds other parts")
    return Decoded(dict(arrays), seen)


def decode_parts(
    parts: Mapping[str, Sequence[Picture]],
    resize: Resize,
    arrays: Mapping[str, np.ndarray],
    say: Say,
) -> Seen:
    """All parts at once, so that one message lists what is broken in any of them."""
    pictures = [picture for part in parts.values() for picture in part]
    rows = [row for name in parts for row in arrays[name]]
    return decode_all(pictures, resize, rows, say)
