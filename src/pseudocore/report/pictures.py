"""Synthetic images as pictures: every pixel a crisp square, one row a class."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Float, Int
from PIL import Image, ImageDraw, ImageFont

from pseudocore.store.files import write_atomically

# Said under every grid. Clipping, not a stretch of each image: one scale for before and after, so
# that a faint image looks faint. What clipping hides is counted by `clipped_share`.
CLIPPED = "Pixels are shown on the scale of the real images; values beyond it are clipped."
CLEAR = (0, 0, 0, 0)
# Readable on white and on black, for a picture does not know what is behind it.
GREY = (128, 128, 128, 255)
HEADING = 24
TILE = 96  # about how large an image is shown: small ones are magnified


@dataclass(frozen=True)
class Pictures:
    """The points of one method as a picture, before and after learning."""

    name: str
    before: Image.Image
    after: Image.Image
    note: str = ""


def to_display(pixels: Float[np.ndarray, "n h w c"]) -> Float[np.ndarray, "n h w c"]:
    """Pixels on the scale [0, 1] of the real images, clipped at its ends."""
    return np.clip(pixels, 0.0, 1.0)


def clipped_share(pixels: Float[np.ndarray, "n h w c"]) -> float:
    """The share of pixel values that `to_display` clips."""
    # One grey level of slack: rounding at the ends of the scale is not clipping.
    return float(np.mean((pixels < -1 / 255) | (pixels > 1 + 1 / 255)))


def grid(
    images: Float[np.ndarray, "n h w c"], labels: Int[np.ndarray, " n"], scale: int = 0
) -> Image.Image:
    """One row a class, or one row in all where each class has one image; a pixel is scale²."""
    n, height, width, channels = images.shape
    scale = scale or max(1, TILE // max(height, width, 1))
    if channels not in (1, 3):
        raise ValueError(
            f"A picture has 1 or 3 channels, not {channels}: choose which ones to show."
        )
    if not n or not (images.min() >= 0 and images.max() <= 1):
        raise ValueError("A picture needs images with pixels in [0, 1]: call to_display first.")
    rows = _rows(labels)
    gap = max(2, scale // 3)
    down, across = height * scale, width * scale
    columns = max(len(row) for row in rows)
    size = (columns * (across + gap) - gap, len(rows) * (down + gap) - gap)
    sheet = Image.new("RGBA", size, CLEAR)
    for i, row in enumerate(rows):
        for j, index in enumerate(row):
            tile = _tile(images[index]).resize((across, down), Image.Resampling.NEAREST)
            sheet.paste(tile, (j * (across + gap), i * (down + gap)))
    return sheet


def before_after(before: Image.Image, after: Image.Image) -> Image.Image:
    """Both, one under the other, each with its name above it."""
    size = (max(before.width, after.width), before.height + after.height + 2 * HEADING)
    sheet = Image.new("RGBA", size, CLEAR)
    draw, top = ImageDraw.Draw(sheet), 0
    for name, picture in (("before", before), ("after", after)):
        draw.text((0, top + 4), name, fill=GREY, font=ImageFont.load_default(14))
        sheet.paste(picture, (0, top + HEADING))
        top += HEADING + picture.height
    return sheet


def save_png(path: Path, picture: Image.Image) -> None:
    """The picture as a PNG, its folder made if need be."""
    content = io.BytesIO()
    picture.save(content, format="PNG", optimize=True)
    write_atomically(path, content.getvalue())


def _rows(labels: Int[np.ndarray, " n"]) -> Sequence[Sequence[int]]:
    rows = [np.flatnonzero(labels == label).tolist() for label in np.unique(labels)]
    alone = all(len(row) == 1 for row in rows)
    return [[row[0] for row in rows]] if alone else rows


def _tile(image: Float[np.ndarray, "h w c"]) -> Image.Image:
    levels = np.rint(image * 255).astype(np.uint8)
    return Image.fromarray(np.broadcast_to(levels, (*levels.shape[:2], 3)).copy()).convert("RGBA")
