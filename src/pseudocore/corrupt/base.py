"""A corruption is a function of a generator and images, with the constants of five severities."""

import dataclasses
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from jaxtyping import Float, UInt8

Pictures: TypeAlias = Float[np.ndarray, "n height width 3"]  # red, green, blue in 0..1
Planes: TypeAlias = Float[np.ndarray, "n height width"]
Bytes: TypeAlias = UInt8[np.ndarray, "n height width channels"]

SEVERITIES = (1, 2, 3, 4, 5)


@dataclasses.dataclass(frozen=True)
class Corruption:
    """change(random, x, *constants[severity - 1]); what it puts outside 0..1 is clipped later."""

    change: Callable[..., np.ndarray]
    constants: tuple[tuple[float | int, ...], ...]

    def __call__(
        self,
        random: np.random.Generator,
        x: Pictures,
        severity: int,
        **options: np.ndarray,
    ) -> Pictures:
        return self.change(random, x, *self.constants[severity - 1], **options)


def from_bytes(images: Bytes) -> Float[np.ndarray, "n height width channels"]:
    """x / 255, which `to_bytes` undoes exactly."""
    return images.astype(np.float32) / np.float32(255)


def to_bytes(x: Float[np.ndarray, "n height width channels"]) -> Bytes:
    """⌊255 min(1, max(0, x))⌋: the original cuts the fraction off, so flat areas may lose one."""
    return (np.clip(x, 0, 1) * x.dtype.type(255)).astype(np.uint8)


def rounded(x: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """The nearest byte over 255, as ImageMagick hands an image back."""
    return np.rint(np.clip(x, 0, 1) * 255).astype(x.dtype) / x.dtype.type(255)
