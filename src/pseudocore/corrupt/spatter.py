"""Spatter: drops of water, or of mud, on the lens."""

import numpy as np
from scipy import ndimage

from pseudocore.corrupt.base import Corruption, Pictures, Planes
from pseudocore.corrupt.blur import smooth
from pseudocore.types import Shape

WATER = np.array([175, 238, 238], np.float32) / 255  # pale turquoise
MUD = np.array([63, 42, 20], np.float32) / 255  # brown
MUD_FLOOR = 0.8  # thinner mud is none
FAR = 20  # pixels: the shading does not look farther from the edge of a drop
# Light from the upper left: what rises towards the lower right is bright.
EMBOSS = np.array([[-2, -1, 0], [-1, 1, 1], [0, 1, 2]], np.float32)


def spatter(
    random: np.random.Generator,
    x: Pictures,
    mean: float,
    sd: float,
    sigma: float,
    threshold: float,
    strength: float,
    mud: int,
) -> Pictures:
    """x + strength m water, or x (1 - m) + m mud; m from G_σ * N(mean, sd) above a threshold.

    The edge of a drop is read off its mask, and distances are exact; the original finds the edge
    with Canny's detector and approximates distances (OpenCV).
    """
    drops = liquid(random, x.shape[:3], mean, sd, sigma, threshold)
    if mud:
        cover = smooth((drops > 0).astype(np.float32), strength)
        cover = np.where(cover < MUD_FLOOR, 0, cover)[..., None]
        return x * (1 - cover) + cover * MUD
    light = drops * shading(drops > 0)
    brightest = light.max(axis=(1, 2), keepdims=True)
    light = light / np.where(brightest > 0, brightest, 1)
    return x + (strength * light[..., None] * WATER).astype(x.dtype)


def liquid(
    random: np.random.Generator,
    shape: Shape,
    mean: float,
    sd: float,
    sigma: float,
    threshold: float,
) -> Planes:
    """G_σ * N(mean, sd) where that is above the threshold, else 0."""
    drawn = mean + np.float32(sd) * random.standard_normal(shape, np.float32)
    smoothed = smooth(drawn, sigma)
    return np.where(smoothed < threshold, 0, np.minimum(smoothed, 1))


def shading(wet: np.ndarray) -> Planes:
    """emboss(equalise(distance from the edge of a drop)), in 0..1."""
    cross = ndimage.generate_binary_structure(2, 1)[None]
    edge = wet & np.logical_not(ndimage.binary_erosion(wet, cross, border_value=1))
    # Images are so far apart that no distance runs from one to another.
    distance = ndimage.distance_transform_edt(~edge, sampling=(1e6, 1, 1))
    near = np.minimum(np.asarray(distance, np.float32), FAR)
    level = equalised(_mean(near).astype(int))
    lit = ndimage.correlate(level, EMBOSS[None], mode="mirror")
    return _mean(np.clip(lit, 0, 1))


def equalised(levels: np.ndarray) -> Planes:
    """(F(level) - F(lowest)) / (1 - F(lowest)), F the share of an image's pixels up to a level."""
    n = len(levels)
    size = FAR + 1
    image = np.arange(n)[:, None, None]
    count = np.bincount((image * size + levels).ravel(), minlength=n * size).reshape(n, size)
    up_to = count.cumsum(axis=1)
    lowest = np.take_along_axis(count, (count > 0).argmax(axis=1)[:, None], axis=1)
    rest = np.maximum(up_to[:, -1:] - lowest, 1)
    share = np.maximum(up_to - lowest, 0) / rest
    return share.astype(np.float32)[image, levels]


def _mean(planes: Planes) -> Planes:
    """Over 3 × 3: the sum first, so that the mean of nine equal whole numbers is that number."""
    return ndimage.correlate(planes, np.ones((1, 3, 3)), mode="mirror") / np.float32(9)


# CIFAR-10-C (Hendrycks and Dietterich, ICLR 2019), make_cifar_c.py.
SPATTER = {
    "spatter": Corruption(
        spatter,
        (
            (0.62, 0.1, 0.7, 0.7, 0.5, 0),
            (0.65, 0.1, 0.8, 0.7, 0.5, 0),
            (0.65, 0.3, 1.0, 0.69, 0.5, 0),
            (0.65, 0.1, 0.7, 0.69, 0.6, 1),
            (0.65, 0.1, 0.5, 0.68, 0.6, 1),
        ),
    )
}
