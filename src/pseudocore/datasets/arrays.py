"""What arrays of a person's own mean: rows or images, which axis is which, which scale."""

import dataclasses

import numpy as np

from pseudocore.datasets.base import Raw
from pseudocore.datasets.checks import check_numbers
from pseudocore.datasets.parts import Part
from pseudocore.errors import UserError

COLOURS = (1, 3)  # channels that images usually have
BYTE = 255.0
NEAR = 0.1  # how near to mean 0 and deviation 1 standardised numbers lie


@dataclasses.dataclass(frozen=True)
class Reading:
    """How the images of a dataset are to be understood, decided on train and used for all."""

    channels_first: bool = False
    white: float = 1.0
    notes: tuple[str, ...] = ()

    def __call__(self, values: np.ndarray) -> np.ndarray:
        if values.ndim == 3:
            values = values[..., None]
        if values.ndim != 4:
            return values
        if self.channels_first:
            values = values.transpose(0, 2, 3, 1)
        if self.white == BYTE and values.dtype.kind in "iu":
            return np.ascontiguousarray(values.astype(np.uint8, copy=False))
        return values.astype(np.float32) / np.float32(self.white)


def understood(train: Part, test: Part, where: str) -> Raw:
    """Train and test, images as (n, height, width, channels), bytes or 0 to 1 if they can be."""
    reading = reading_of(train.values, where)
    if test.values.ndim in (3, 4) and test.values.size:
        check_scale(test.values, reading.white)
    classes = len(np.unique(train.labels)) if train.labels.dtype.kind in "biu" else 2
    first, second = (Part(reading(part.values), part.labels) for part in (train, test))
    names = tuple(map(str, range(classes)))
    return Raw(first, second, names, "as stored", reading.white, notes=reading.notes)


def reading_of(values: np.ndarray, where: str) -> Reading:
    """What train's values look like; guesses are said in notes."""
    if values.ndim not in (3, 4) or values.size == 0:
        return Reading()
    first, notes = layout(values.shape)
    scaled, said = scale(values, where)
    return Reading(first, scaled, (*notes, *said))


def layout(shape: tuple[int, ...]) -> tuple[bool, tuple[str, ...]]:
    """Whether channels come before height and width, and what to say of it."""
    if len(shape) == 3:
        return False, ()
    first, last = (shape[axis] in COLOURS for axis in (1, 3))
    size = " x ".join(map(str, shape[1:]))
    if first and not last:
        return True, (f"Images of {size} are read as channels x height x width (NCHW).",)
    doubt = "; were it NCHW, give (n, height, width, channels)" if first and last else ""
    return False, (f"Images of {size} are read as height x width x channels (NHWC){doubt}.",)


def scale(values: np.ndarray, where: str) -> tuple[float, tuple[str, ...]]:
    """Which value is white, by the range of all, and what to say of it."""
    if values.dtype == np.uint8:
        return BYTE, ()
    check_numbers("train", values)
    low, high = float(values.min()), float(values.max())
    if low >= 0 and 1 < high <= BYTE:
        white = BYTE if high > BYTE / 2 else high
        return white, (f"Values from {low:.3g} to {high:.3g}: {white:.3g} is read as white.",)
    refuse_standardised(values, low, high, where)
    if low < 0 or high > 1:
        return 1.0, (f"Values from {low:.3g} to {high:.3g} are no pixels: pictures show 0 to 1.",)
    return 1.0, ()


def check_scale(test: np.ndarray, white: float) -> None:
    """Refuse test images on another scale than those of train, which are what is looked at."""
    low, high = float(test.min()), float(test.max())
    darker, brighter = white > 1 and 0 < high <= 1, white == 1 < high and test.dtype == np.uint8
    beyond = white == BYTE and test.dtype.kind in "iu" and (low < 0 or high > BYTE)
    if darker or brighter or beyond:
        raise UserError(
            f"The test images run from {low:.3g} to {high:.3g}, and those of train have black at 0 "
            f"and white at {white:.3g}: give both on the scale 0 to {white:.3g}."
        )


def refuse_standardised(values: np.ndarray, low: float, high: float, where: str) -> None:
    """Numbers with mean 0 and deviation 1 were pixels once: what they were has to travel too."""
    mean, deviation = float(values.mean(dtype=np.float64)), float(values.std(dtype=np.float64))
    if low < 0 and abs(mean) < NEAR and abs(deviation - 1) < NEAR:
        raise UserError(
            f"The images in {where} run from {low:.2f} to {high:.2f} with mean {mean:.2f} and "
            f"deviation {deviation:.2f}: they are standardised already, and what black and white "
            "were is lost. Give the pixels, x * deviation + mean: standardising is done here, and "
            "recorded."
        )
