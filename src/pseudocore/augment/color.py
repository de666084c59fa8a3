"""Changes of colour: every pixel keeps its place."""

from typing import final

import jax.numpy as jnp
import jax.random as jr
from jaxtyping import Array, Float

from pseudocore.augment.base import Augment
from pseudocore.augment.checks import images_of, strength, within
from pseudocore.types import Images, Points, PRNGKey

PerImage = Float[Array, " n"]


@final
class Color(Augment):
    """Brightness, then saturation, then contrast, each uniform about "no change" (+0, ×1, ×1).

    A field is the half-width of its interval: the defaults are U(-.5, .5), U(0, 2), U(.5, 1.5).
    """

    brightness: float = strength(0.5)
    saturation: float = strength(1.0)
    contrast: float = strength(0.5)

    def __check_init__(self):
        within(self, "brightness", 0.0, float("inf"))
        within(self, "saturation", 0.0, 1.0)
        within(self, "contrast", 0.0, 1.0)

    def __call__(self, key: PRNGKey, x: Points) -> Points:
        images = images_of(self, x)
        key_brightness, key_saturation, key_contrast = jr.split(key, 3)

        def about_zero(key: PRNGKey, width: float) -> PerImage:
            return jr.uniform(key, images.shape[:1], images.dtype, -width, width)

        images = brighten(images, about_zero(key_brightness, self.brightness))
        images = saturate(images, 1 + about_zero(key_saturation, self.saturation))
        return contrast(images, 1 + about_zero(key_contrast, self.contrast))


def brighten(images: Images, amounts: PerImage) -> Images:
    """x + b."""
    return images + _every_pixel(amounts)


def saturate(images: Images, factors: PerImage) -> Images:
    """m + s (x - m), m the mean of the pixel over its channels: nothing changes in a grey image."""
    return _about(images.mean(axis=3, keepdims=True), images, factors)


def contrast(images: Images, factors: PerImage) -> Images:
    """m + c (x - m), m the mean of the image."""
    return _about(images.mean(axis=(1, 2, 3), keepdims=True), images, factors)


def _about(centre: Float[Array, "n _ _ _"], images: Images, factors: PerImage) -> Images:
    return centre + _every_pixel(factors) * (images - centre)


def _every_pixel(values: PerImage) -> Float[Array, "n 1 1 1"]:
    return jnp.expand_dims(values, (1, 2, 3))
