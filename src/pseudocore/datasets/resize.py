"""How pictures of any size become squares of one."""

import abc

import equinox as eqx
from PIL import Image, ImageOps

from pseudocore.checks import at_least

FILTER = Image.Resampling.LANCZOS


class Resize(eqx.Module):
    """A picture to a square of `size` pixels; one that is such a square stays as it is."""

    size: eqx.AbstractVar[int]

    def __call__(self, picture: Image.Image) -> Image.Image:
        square = (self.size, self.size)
        return picture if picture.size == square else self.fit(picture, square)

    @abc.abstractmethod
    def fit(self, picture: Image.Image, square: tuple[int, int]) -> Image.Image:
        """The same picture as a square."""


class Cover(Resize):
    """The largest square in the middle of the picture: nothing is distorted, edges are lost."""

    size: int = eqx.field(static=True, default=32)

    def __check_init__(self):
        at_least(self, 1, "size", of="resize")

    def fit(self, picture: Image.Image, square: tuple[int, int]) -> Image.Image:
        return ImageOps.fit(picture, square, FILTER)


class Squash(Resize):
    """The whole picture, its sides made equal: nothing is lost, shapes are distorted."""

    size: int = eqx.field(static=True, default=32)

    def __check_init__(self):
        at_least(self, 1, "size", of="resize")

    def fit(self, picture: Image.Image, square: tuple[int, int]) -> Image.Image:
        return picture.resize(square, FILTER)
