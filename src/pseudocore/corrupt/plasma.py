"""Fractal height maps that look like clouds."""

import numpy as np

from pseudocore.corrupt.base import Planes


def plasma(random: np.random.Generator, n: int, size: int, decay: float) -> Planes:
    """n diamond-square maps of size × size (a power of 2), each spread over 0..1; they wrap round.

    Every level is the mean of four neighbours + U(-1, 1) w², w falling from level to level by
    `decay`: the original multiplies its wobble by draws of that width, so it counts twice.
    """
    heights = np.zeros((n, size, size), np.float32)
    wobble, step = 1.0, size
    while step > 1:
        _refine(random, heights, step, wobble**2)
        wobble, step = wobble / decay, step // 2
    heights -= heights.min(axis=(1, 2), keepdims=True)
    top = heights.max(axis=(1, 2), keepdims=True)
    return heights / np.where(top > 0, top, 1)


def _refine(random: np.random.Generator, heights: Planes, step: int, width: float) -> None:
    """Fill the middles of the squares of side `step`, then the middles of their sides."""
    half = step // 2

    def drawn(total: Planes) -> Planes:
        wobble = random.random(total.shape, np.float32) * 2 - 1
        return total / 4 + np.float32(width) * wobble

    corners = heights[:, ::step, ::step]
    across = corners + np.roll(corners, -1, axis=2)
    along = corners + np.roll(corners, -1, axis=1)
    middles = drawn(across + np.roll(across, -1, axis=1))
    heights[:, half::step, half::step] = middles
    heights[:, half::step, ::step] = drawn(along + middles + np.roll(middles, 1, axis=2))
    heights[:, ::step, half::step] = drawn(across + middles + np.roll(middles, 1, axis=1))
