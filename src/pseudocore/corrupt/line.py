"""Blur along a line, the same reading as ImageMagick's motion blur."""

import math

import numpy as np
from jaxtyping import Float

from pseudocore.corrupt.base import rounded

Angles = Float[np.ndarray, " n"]
Images = Float[np.ndarray, "n height width channels"]


def line_weights(radius: float, sigma: float) -> Float[np.ndarray, " taps"]:
    """exp(-i² / 2σ²) for i = 0 .. 2 radius, of sum 1: one side of a Gaussian."""
    taps = np.arange(2 * math.ceil(radius) + 1)
    weights = np.exp(-(taps**2) / (2 * sigma**2))
    return weights / weights.sum()


def motion(x: Images, degrees: Angles, radius: float, sigma: float) -> Images:
    """Σ_i w_i x[p + i (sin a, cos a)], to whole pixels (down, right), then to whole bytes.

    Beyond the border stands its nearest pixel. ImageMagick works on bytes, hence the rounding.
    """
    weights = line_weights(radius, sigma).astype(x.dtype)
    angle = np.deg2rad(degrees)[:, None, None]
    image = np.arange(len(x))[:, None, None]
    down, right = np.arange(x.shape[1])[:, None], np.arange(x.shape[2])
    result = np.zeros_like(x)
    for i, weight in enumerate(weights):
        rows = np.clip(down + _whole(i * np.sin(angle)), 0, x.shape[1] - 1)
        columns = np.clip(right + _whole(i * np.cos(angle)), 0, x.shape[2] - 1)
        result += weight * x[image, rows, columns]
    return rounded(result)


def _whole(distance: Float[np.ndarray, "n 1 1"]) -> np.ndarray:
    """The nearest whole number, the lower one of two."""
    return np.ceil(distance - 0.5).astype(int)
