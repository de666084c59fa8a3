"""What an augmentation asks of its batch and its numbers, with the remedy where it is not met."""

import math
from typing import Any

import equinox as eqx

from pseudocore.augment.base import Augment
from pseudocore.errors import UserError
from pseudocore.types import Images, Points


def images_of(augment: Augment, x: Points) -> Images:
    """The batch itself, if it is one of images."""
    if x.ndim != 4:
        raise UserError(
            f"{type(augment).__name__} takes images (n, height, width, channels), "
            f"not points of shape {x.shape}. For points that are not images use Unchanged()."
        )
    return x


def within(augment: Augment, name: str, low: float, high: float) -> None:
    """The field `name` is a number in [low, high]."""
    value = getattr(augment, name)
    if not (low <= value <= high and math.isfinite(value)):
        raise UserError(
            f"{type(augment).__name__}({name}={value}): choose {name} from {low} to {high}."
        )


def strength(default: float) -> Any:
    """A field that holds a plain float, so that equal values compile once and print as code."""
    return eqx.field(default=default, converter=float, static=True)
