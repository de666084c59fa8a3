"""Changes of place: every pixel keeps its colour. What comes from outside the image is zero."""

from typing import final

import jax.numpy as jnp
import jax.random as jr
from jaxtyping import Array, Bool, Float, Int

from pseudocore.augment.base import Augment
from pseudocore.augment.checks import images_of, strength, within
from pseudocore.augment.interpolate import read_grid, read_points
from pseudocore.types import Images, Points, PRNGKey

PerImage = Float[Array, " n"]


@final
class Crop(Augment):
    """A shift by whole pixels, uniform in -k..k on each axis, k = `fraction` of the side."""

    fraction: float = strength(0.125)

    def __check_init__(self):
        within(self, "fraction", 0.0, 1.0)

    def __call__(self, key: PRNGKey, x: Points) -> Points:
        images = images_of(self, x)
        key_y, key_x = jr.split(key)

        def pixels(key: PRNGKey, side: int) -> Int[Array, " n"]:
            reach = int(side * self.fraction + 0.5)
            return jr.randint(key, images.shape[:1], -reach, reach + 1)

        _, height, width, _ = images.shape
        return shift(images, pixels(key_y, height), pixels(key_x, width))


@final
class Flip(Augment):
    """Left becomes right, each image with `probability`."""

    probability: float = strength(0.5)

    def __check_init__(self):
        within(self, "probability", 0.0, 1.0)

    def __call__(self, key: PRNGKey, x: Points) -> Points:
        images = images_of(self, x)
        return flip(images, jr.bernoulli(key, self.probability, images.shape[:1]))


@final
class Scale(Augment):
    """A zoom of each axis by its own factor, uniform in [1/ratio, ratio]."""

    ratio: float = strength(1.2)

    def __check_init__(self):
        within(self, "ratio", 1.0, float("inf"))

    def __call__(self, key: PRNGKey, x: Points) -> Points:
        images = images_of(self, x)
        shape = (2, images.shape[0])
        factors = jr.uniform(key, shape, images.dtype, 1 / self.ratio, self.ratio)
        return scale(images, factors[0], factors[1])


@final
class Rotate(Augment):
    """A turn about the centre by an angle uniform in ±`degrees`."""

    degrees: float = strength(15.0)

    def __check_init__(self):
        within(self, "degrees", 0.0, 180.0)

    def __call__(self, key: PRNGKey, x: Points) -> Points:
        images = images_of(self, x)
        shape = images.shape[:1]
        return rotate(images, jr.uniform(key, shape, images.dtype, -self.degrees, self.degrees))


def shift(images: Images, dy: Int[Array, " n"], dx: Int[Array, " n"]) -> Images:
    """out[i, j] = x[i - dy, j - dx]: down by dy, to the right by dx."""
    y, x = (_middle(images, axis) + _from_middle(images, axis) for axis in (1, 2))
    return read_grid(images, y - dy[:, None], x - dx[:, None])


def flip(images: Images, chosen: Bool[Array, " n"]) -> Images:
    """out[i, j] = x[i, width - 1 - j] where chosen."""
    return jnp.where(chosen[:, None, None, None], images[:, :, ::-1], images)


def scale(images: Images, factor_y: PerImage, factor_x: PerImage) -> Images:
    """out[p] = x[m + f (p - m)], m the middle: f = 1/2 shows the middle half, twice as large."""
    y, x = (
        _middle(images, axis) + factor[:, None] * _from_middle(images, axis)
        for axis, factor in ((1, factor_y), (2, factor_x))
    )
    return read_grid(images, y, x)


def rotate(images: Images, degrees: PerImage) -> Images:
    """out[p] = x[m + R (p - m)], m the middle: counterclockwise as one looks at it."""
    angles = jnp.deg2rad(degrees)[:, None, None]
    y, x = _from_middle(images, 1)[:, None], _from_middle(images, 2)
    cos, sin = jnp.cos(angles), jnp.sin(angles)
    return read_points(
        images,
        _middle(images, 1) + cos * y + sin * x,
        _middle(images, 2) - sin * y + cos * x,
    )


def _middle(images: Images, axis: int) -> float:
    return (images.shape[axis] - 1) / 2


def _from_middle(images: Images, axis: int) -> Float[Array, " side"]:
    """The place of every pixel of an axis, counted from the middle."""
    return jnp.arange(images.shape[axis], dtype=images.dtype) - _middle(images, axis)
