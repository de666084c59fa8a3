"""A contact sheet: some points of every class of a dataset, a row a class, its name beside it."""

import math
from collections.abc import Sequence
from importlib.resources import files

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from pseudocore.datasets.base import Raw
from pseudocore.datasets.preprocess import scaled
from pseudocore.errors import UserError, unknown
from pseudocore.report.pictures import GREY, grid, to_display

FONT = "mpl-data/fonts/ttf/DejaVuSans.ttf"  # Pillow's own has no letters beyond ASCII
GAP = 6  # pixels between rows, and beside a name


def contact_sheet(raw: Raw, part: str, each: int, seed: int) -> Image.Image:
    """`each` random pictures of every class of one part."""
    parts = {"train": raw.train, "test": raw.test}
    if part not in parts:
        raise unknown("part", part, parts)
    if each < 1 or seed < 0:
        raise UserError(f"--each {each} must be at least 1, --seed {seed} at least 0.")
    values, labels = parts[part].values, parts[part].labels
    if values.ndim != 4 or values.shape[-1] not in (1, 3):
        raise UserError(
            f"Points of shape {values.shape[1:]} are no pictures of 1 or 3 channels: there is "
            "nothing to look at. pseudocore data check says what they are."
        )
    random = np.random.default_rng(seed)
    rows = []
    for label, name in enumerate(raw.classes):
        shown = np.sort(random.permutation(np.flatnonzero(labels == label))[:each])
        if len(shown):
            rows.append((name, grid(to_display(scaled(values[shown])), labels[shown])))
    return beside(rows)


def beside(rows: Sequence[tuple[str, Image.Image]]) -> Image.Image:
    """The rows one under the other, their names to their left."""
    font = ImageFont.truetype(str(files("matplotlib") / FONT), 13)
    margin = max(math.ceil(font.getlength(name)) for name, _ in rows) + 2 * GAP
    width = max(row.width for _, row in rows)
    height = sum(row.height + GAP for _, row in rows) - GAP
    sheet, top = Image.new("RGBA", (margin + width, height)), 0
    draw = ImageDraw.Draw(sheet)
    for name, row in rows:
        sheet.paste(row, (margin, top))
        place = (margin - GAP, top + row.height // 2)
        draw.text(place, name, fill=GREY, font=font, anchor="rm")
        top += row.height + GAP
    return sheet
