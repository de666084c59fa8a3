"""Hue, saturation, value: changes of one of the three in closed form, without the hue."""

import numpy as np
from jaxtyping import Float

from pseudocore.corrupt.base import Pictures

PerPixel = Float[np.ndarray, "n height width 1"]

LUMA = np.array([0.299, 0.587, 0.114], np.float32)  # ITU-R BT.601, as OpenCV's grey


def grey(x: Pictures) -> PerPixel:
    """.299 red + .587 green + .114 blue."""
    return (x @ LUMA)[..., None]


def value(x: Pictures) -> PerPixel:
    """V = max(red, green, blue)."""
    return x.max(axis=3, keepdims=True)


def saturation(x: Pictures) -> PerPixel:
    """S = (V - min(red, green, blue)) / V, and 0 for black."""
    v = value(x)
    return (v - x.min(axis=3, keepdims=True)) / np.where(v > 0, v, 1)


def with_value(x: Pictures, wanted: PerPixel) -> Pictures:
    """x V'/V; a black pixel becomes grey."""
    v = value(x)
    return np.where(v > 0, x * (wanted / np.where(v > 0, v, 1)), wanted)


def with_saturation(x: Pictures, wanted: PerPixel) -> Pictures:
    """V - (V - x) S'/S; a grey pixel has hue 0 by convention, so it turns red: V, V(1-S'), V(1-S').

    Red itself never changes in it: of a grey image saved as RGB, the first channel is unchanged.
    """
    v, s = value(x), saturation(x)
    less = v * wanted * np.array([0, 1, 1], x.dtype)
    return v - np.where(s > 0, (v - x) * (wanted / np.where(s > 0, s, 1)), less)
