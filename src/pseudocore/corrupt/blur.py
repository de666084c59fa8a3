"""Blurs: Gaussian, through glass, out of focus, by motion, by zooming."""

import numpy as np
from jaxtyping import Float
from scipy import ndimage

from pseudocore.corrupt.base import Corruption, Pictures, from_bytes, to_bytes
from pseudocore.corrupt.line import motion
from pseudocore.corrupt.resample import zoom

ZOOM_STEP = 0.01
ALIAS_REACH = 1  # pixels: the anti-aliasing kernel is 3 × 3
MOTION_ANGLE = 45.0  # degrees to either side of "to the right"


def smooth(x: np.ndarray, sigma: float) -> np.ndarray:
    """G_σ * x on axes 1 and 2, cut at 4 σ; beyond the border stands its nearest pixel."""
    sigmas = (0, sigma, sigma, 0)[: x.ndim]
    return ndimage.gaussian_filter(x, sigmas, mode="nearest", truncate=4)


def gaussian_blur(random: np.random.Generator, x: Pictures, sigma: float) -> Pictures:
    """G_σ * x."""
    return smooth(x, sigma)


def glass_blur(
    random: np.random.Generator, x: Pictures, sigma: float, delta: int, iterations: int
) -> Pictures:
    """G_σ * shuffle(G_σ * x): each sweep, a pixel takes the colour of one U[-delta, delta) away.

    The original means to swap the two, but its NumPy statement swaps views of one array, which
    copies; so the published images hold copies. Its sweep runs from the last pixel to the first,
    so with its delta of 1 it reads only pixels it has not yet changed: the sweep is one gather.
    """
    pixels = from_bytes(to_bytes(smooth(x, sigma)))
    n, height, width, _ = x.shape
    image = np.arange(n)[:, None, None]
    # From delta + 1 on, not delta: where the original's sweep ends.
    down, right = (np.arange(delta + 1, side - delta + 1) for side in (height, width))
    inner = np.ix_(np.arange(n), down, right)
    for _ in range(iterations):
        moves = random.integers(-delta, delta, (2, n, len(down), len(right)))
        pixels[inner] = pixels[image, down[:, None] + moves[0], right + moves[1]]
    return smooth(pixels, sigma)


def defocus_blur(random: np.random.Generator, x: Pictures, radius: float, alias: float) -> Pictures:
    """disk * x, the image mirrored at its border."""
    kernel = disk(radius, alias).astype(x.dtype)
    return ndimage.correlate(x, kernel[None, :, :, None], mode="mirror")


def disk(radius: float, alias: float) -> Float[np.ndarray, "size size"]:
    """G_alias * [i² + j² ≤ radius²], of sum 1."""
    reach = int(radius) + ALIAS_REACH
    axis = np.arange(-reach, reach + 1)
    inside = (axis[:, None] ** 2 + axis**2 <= radius**2).astype(float)
    kernel = ndimage.gaussian_filter(inside, alias, radius=ALIAS_REACH, mode="constant")
    return kernel / kernel.sum()


def motion_blur(random: np.random.Generator, x: Pictures, radius: float, sigma: float) -> Pictures:
    """A one-sided Gaussian along a line at U(-45, 45) degrees, a line for each image."""
    angles = random.uniform(-MOTION_ANGLE, MOTION_ANGLE, len(x))
    return motion(x, angles, radius, sigma)


def zoom_blur(random: np.random.Generator, x: Pictures, maximum: float) -> Pictures:
    """(x + Σ_f zoom_f(x)) / (1 + number of f), f = 1, 1.01, ... up to the maximum.

    The maximum is left out as by `numpy.arange`, whose rounding lets 1.06 and 1.11 in, as it did
    in the original.
    """
    factors = np.arange(1, maximum, ZOOM_STEP)
    n, height, width, channels = x.shape
    planes = np.ascontiguousarray(x.transpose(0, 3, 1, 2)).reshape(-1, height, width)
    total = planes.copy()
    for factor in factors:
        total += zoom(planes, float(factor))
    mean = total / np.float32(1 + len(factors))
    return mean.reshape(n, channels, height, width).transpose(0, 2, 3, 1)


# CIFAR-10-C (Hendrycks and Dietterich, ICLR 2019), make_cifar_c.py.
BLUR = {
    "defocus_blur": Corruption(
        defocus_blur, ((0.3, 0.4), (0.4, 0.5), (0.5, 0.6), (1.0, 0.2), (1.5, 0.1))
    ),
    "glass_blur": Corruption(
        glass_blur, ((0.05, 1, 1), (0.25, 1, 1), (0.4, 1, 1), (0.25, 1, 2), (0.4, 1, 2))
    ),
    "motion_blur": Corruption(
        motion_blur, ((6.0, 1.0), (6.0, 1.5), (6.0, 2.0), (8.0, 2.0), (9.0, 2.5))
    ),
    "zoom_blur": Corruption(zoom_blur, ((1.06,), (1.11,), (1.15,), (1.20,), (1.25,))),
    "gaussian_blur": Corruption(gaussian_blur, ((0.4,), (0.6,), (0.7,), (0.8,), (1.0,))),
}
