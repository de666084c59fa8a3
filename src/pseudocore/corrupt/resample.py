"""Reading images between their pixels, and enlarging their middle: bilinear."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Int

from pseudocore.corrupt.base import Pictures, Planes


def mirror(index: Int[np.ndarray, "..."], side: int) -> Int[np.ndarray, "..."]:
    """d c b | a b c d | c b a: the edge is met once, as in OpenCV's REFLECT_101."""
    period = max(2 * (side - 1), 1)
    index = index % period
    return np.minimum(index, period - index)


def reflect(index: Int[np.ndarray, "..."], side: int) -> Int[np.ndarray, "..."]:
    """d c b a | a b c d | d c b a: the edge is met twice, as in SciPy's "reflect"."""
    index = index % (2 * side)
    return np.minimum(index, 2 * side - 1 - index)


def read(
    x: Pictures, down: Planes, right: Planes, fold: Callable[[np.ndarray, int], np.ndarray]
) -> Pictures:
    """out[p] = x[down(p), right(p)], whole indices outside the image folded back into it."""
    top, left = np.floor(down), np.floor(right)
    y_rest = (down - top)[..., None].astype(x.dtype)
    x_rest = (right - left)[..., None].astype(x.dtype)
    _, height, width, _ = x.shape
    rows = [fold(top.astype(int) + step, height) for step in (0, 1)]
    columns = [fold(left.astype(int) + step, width) for step in (0, 1)]
    image = np.arange(len(x))[:, None, None]
    upper, lower = (
        x[image, row, columns[0]] * (1 - x_rest) + x[image, row, columns[1]] * x_rest
        for row in rows
    )
    return upper * (1 - y_rest) + lower * y_rest


def zoom(planes: Planes, factor: float) -> Planes:
    """The middle of every plane, enlarged by `factor` to the size of the plane."""
    _, height, width = planes.shape
    rows, columns = (
        enlarging(side, factor).astype(planes.dtype, copy=False) for side in (height, width)
    )
    return rows @ planes @ columns.T


def enlarging(side: int, factor: float) -> Float[np.ndarray, "side side"]:
    """The weights that stretch the middle ⌈side / factor⌉ pixels and keep the middle `side`.

    First and last pixel keep their places in the stretch (`scipy.ndimage.zoom`, order 1).
    """
    kept = int(np.ceil(side / factor))
    stretched = round(kept * factor)
    place = np.arange(side) + (stretched - side) // 2
    at = (side - kept) // 2 + place * (kept - 1) / max(stretched - 1, 1)
    return np.maximum(0, 1 - np.abs(at[:, None] - np.arange(side)))
