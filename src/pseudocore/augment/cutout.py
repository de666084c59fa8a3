"""Cutout: a square of nothing."""

from typing import final

import jax.numpy as jnp
import jax.random as jr
from jaxtyping import Array, Bool, Int

from pseudocore.augment.base import Augment
from pseudocore.augment.checks import images_of, strength, within
from pseudocore.types import Images, Points, PRNGKey

Pixel = Int[Array, " n"]


@final
class Cutout(Augment):
    """A zeroed square of `fraction` of the side, centred anywhere, clipped at the border."""

    fraction: float = strength(0.5)

    def __check_init__(self):
        within(self, "fraction", 0.0, 1.0)

    def __call__(self, key: PRNGKey, x: Points) -> Points:
        images = images_of(self, x)
        key_y, key_x = jr.split(key)
        _, height, width, _ = images.shape

        def centre(key: PRNGKey, side: int) -> Pixel:
            # An even size has its centre between two pixels, so there is one more place for it.
            places = side + 1 - self._size(side) % 2
            return jr.randint(key, images.shape[:1], 0, places)

        size = self._size(height), self._size(width)
        return cutout(images, centre(key_y, height), centre(key_x, width), size)

    def _size(self, side: int) -> int:
        return int(side * self.fraction + 0.5)


def cutout(images: Images, centre_y: Pixel, centre_x: Pixel, size: tuple[int, int]) -> Images:
    """Zero at the `size` pixels from centre - size // 2 on, on both axes."""
    rows = _covered(centre_y, size[0], images.shape[1])[:, :, None]
    columns = _covered(centre_x, size[1], images.shape[2])[:, None, :]
    return jnp.where((rows & columns)[..., None], 0, images)


def _covered(centre: Pixel, size: int, side: int) -> Bool[Array, "n side"]:
    from_first = jnp.arange(side) - (centre - size // 2)[:, None]
    return (from_first >= 0) & (from_first < size)
