"""A contact sheet: some points of every class of a dataset, a row a class, its name beside it."""

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from pseudocore.datasets.base import Raw
from pseudocore.datasets.preprocess import scaled
from pseudocore.errors import UserError, unknown
from pseudocore.report.pictures import GREY, grid, to_display

LETTER = 7  # pixels across, about
ROWS = 200  # classes on one sheet


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
    shown = [
        np.sort(random.permutation(np.flatnonzero(labels == label))[:each])
        for label in range(min(len(raw.classes), ROWS))
    ]
    chosen = np.concatenate(shown)
    picture = grid(to_display(scaled(values[chosen])), labels[chosen])
    return named(picture, [raw.classes[label] for label, rows in enumerate(shown) if len(rows)])


def named(picture: Image.Image, names: list[str]) -> Image.Image:
    """The names of the rows, to their left."""
    margin = LETTER * max(map(len, names)) + LETTER
    sheet = Image.new("RGBA", (picture.width + margin, picture.height))
    sheet.paste(picture, (margin, 0))
    draw, height = ImageDraw.Draw(sheet), picture.height / len(names)
    for row, name in enumerate(names):
        place = (margin - LETTER, int((row + 0.5) * height))
        draw.text(place, name, fill=GREY, font=ImageFont.load_default(13), anchor="rm")
    return sheet
