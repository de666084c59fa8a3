"""What an augmentation asks of its batch and its numbers, with the remedy where it is not met."""

from typing import Any

import equinox as eqx
import jax
import jax.random as jr

from pseudocore.augment.base import Augment
from pseudocore.checks import within as within
from pseudocore.errors import UserError
from pseudocore.types import Images, Points, Shape


def images_of(augment: Augment, x: Points) -> Images:
    """The batch itself, if it is one of images."""
    if x.ndim != 4:
        raise UserError(
            f"{type(augment).__name__} takes images (n, height, width, channels), "
            f"not points of shape {x.shape}. For points that are not images use Unchanged()."
        )
    return x


def check_takes(augment: Augment, shape: Shape) -> None:
    """Let an augmentation refuse points of this shape now, with nothing computed."""
    jax.eval_shape(augment, jr.key(0), jax.ShapeDtypeStruct((1, *shape), jax.numpy.float32))


def takes(augment: Augment, shape: Shape) -> bool:
    """Whether an augmentation is one of points of this shape."""
    try:
        check_takes(augment, shape)
    except UserError:
        return False
    return True


def strength(default: float) -> Any:
    """A field that holds a plain float, so that equal values compile once and print as code."""
    return eqx.field(default=default, converter=float, static=True)
