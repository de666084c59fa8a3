"""Picture files of any size and mode to bytes of one shape, on all cores."""

import dataclasses
import io
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from pseudocore.datasets.resize import Resize
from pseudocore.errors import UserError
from pseudocore.progress import Say, silent

# Files are read as what they are, whatever they are called; as these and nothing else, for some of
# Pillow's readers start other programs.
FORMATS = ("PNG", "JPEG", "BMP", "GIF", "TIFF", "WEBP", "PPM")
SUFFIXES = {".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".pgm", ".ppm"}
MOST_PIXELS = 64_000_000  # 8000 x 8000; a small file can claim to hold far more
DRAFT = 4  # JPEGs are decoded no larger than so many times the size that they are shrunk to
GREY = {"1", "L", "LA", "La", "I;16", "I;16B", "I;16L", "I"}
SHOWN = 10  # files that a message lists


@dataclasses.dataclass(frozen=True)
class Picture:
    """A file, or what lies in another file: its name for messages, and its content."""

    name: str
    source: Path | Callable[[], bytes]

    def open(self) -> Image.Image:
        content = self.source if isinstance(self.source, Path) else io.BytesIO(self.source())
        return Image.open(content, formats=FORMATS)


@dataclasses.dataclass(frozen=True)
class Seen:
    """What the pictures were before they were made alike: any colour, sizes by area."""

    colour: bool
    smallest: tuple[int, int]
    largest: tuple[int, int]


def decode_all(
    pictures: Sequence[Picture], resize: Resize, rows: Sequence[np.ndarray], say: Say = silent
) -> Seen:
    """Fill the rows, (size, size, 3) bytes each; an error lists what cannot be read."""
    colours, sizes, broken = set(), set(), []

    def one(number: int) -> str | None:
        try:
            rows[number][:], colour, size = decode(pictures[number], resize)
        except Exception as error:  # Pillow's decoders raise whatever they meet
            return f"{pictures[number].name} ({reason(error)})"
        colours.add(colour)
        sizes.add(size)
        return None

    with ThreadPoolExecutor() as pool:  # Pillow lets other threads run while it decodes
        for done, wrong in enumerate(pool.map(one, range(len(pictures))), 1):
            broken += [wrong] if wrong else []
            if done % 256 == 0 or done == len(pictures):
                say("pictures", done, len(pictures), {})
    if broken:
        raise UserError(unreadable(broken, len(pictures)))
    by_area = sorted(sizes, key=lambda size: (size[0] * size[1], size))
    return Seen(True in colours, by_area[0], by_area[-1])


def decode(picture: Picture, resize: Resize) -> tuple[np.ndarray, bool, tuple[int, int]]:
    """Bytes (size, size, 3), whether there was any colour, and the size before."""
    with picture.open() as opened:
        width, height = opened.size
        if width * height > MOST_PIXELS:
            raise ValueError(f"{width} x {height} pixels, more than {MOST_PIXELS // 10**6} million")
        opened.draft(None, (DRAFT * resize.size, DRAFT * resize.size))
        opened.load()
        fitted = resize(flat(upright(opened)))
        return np.asarray(fitted.convert("RGB")), fitted.mode != "L", (width, height)


def upright(picture: Image.Image) -> Image.Image:
    """A loaded picture turned as its EXIF says; where that is damaged, as it is stored."""
    try:
        return ImageOps.exif_transpose(picture)
    except Exception:  # the tags of photographs from the web are often broken, and rarely needed
        return picture


def flat(picture: Image.Image) -> Image.Image:
    """Any mode as L or RGB: transparent pixels show white, 16 bits become 8."""
    if picture.mode in ("I;16", "I;16B", "I;16L", "I"):
        return Image.fromarray((np.asarray(picture).clip(0, 65535) // 257).astype(np.uint8))
    if picture.mode == "F":
        raise ValueError("floating-point pixels have no known scale")
    if picture.mode in ("LA", "La", "PA", "RGBA", "RGBa") or "transparency" in picture.info:
        grey = picture.mode in GREY
        layer = picture.convert("RGBA")
        white = Image.new("RGBA", layer.size, "white")
        return Image.alpha_composite(white, layer).convert("L" if grey else "RGB")
    return picture.convert("L" if picture.mode in GREY else "RGB")


def reason(error: Exception) -> str:
    """Why a file cannot be read, in a few words."""
    if isinstance(error, Image.UnidentifiedImageError):
        return "no picture, or damaged at its beginning"
    if isinstance(error, Image.DecompressionBombError | Image.DecompressionBombWarning):
        return f"far too many pixels, more than {MOST_PIXELS // 10**6} million"
    if isinstance(error, PermissionError):
        return "no permission to read it"
    text = str(error).splitlines()
    return text[0][:100] if text else type(error).__name__


def unreadable(broken: Sequence[str], total: int) -> str:
    shown = "; ".join(broken[:SHOWN])
    more = f"; and {len(broken) - SHOWN} more" if len(broken) > SHOWN else ""
    return (
        f"{len(broken)} of {total} pictures cannot be read: {shown}{more}. Repair them, or move "
        "them out of the folder."
    )
