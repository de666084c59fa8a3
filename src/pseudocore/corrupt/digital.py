"""What software does to images: contrast, saturation, stretching, coarse pixels, compression."""

import io
from collections.abc import Callable

import numpy as np
from PIL import Image
from scipy import ndimage

from pseudocore.corrupt.base import Corruption, Pictures, Planes, from_bytes
from pseudocore.corrupt.colour import saturation, with_saturation
from pseudocore.corrupt.resample import mirror, read, reflect


def contrast(random: np.random.Generator, x: Pictures, factor: float) -> Pictures:
    """m + factor (x - m), m the mean of a channel of an image."""
    mean = x.mean(axis=(1, 2), keepdims=True)
    return mean + np.float32(factor) * (x - mean)


def saturate(random: np.random.Generator, x: Pictures, factor: float, more: float) -> Pictures:
    """S' = min(1, factor S + more), hue and value kept."""
    wanted = np.float32(factor) * saturation(x) + np.float32(more)
    return with_saturation(x, np.minimum(1, wanted))


def elastic_transform(
    random: np.random.Generator, x: Pictures, alpha: float, sigma: float, affine: float
) -> Pictures:
    """x[A(p) + α G_σ * U(-1, 1)]: three points are moved by U(-affine, affine), then all by noise.

    Lengths are fractions of the shorter side. The image is read twice, as in the original; OpenCV
    rounds the first reading to 1/32 of a pixel, and here it is exact.
    """
    side = min(x.shape[1:3])
    moved = read(x, *skewed(random, x, affine * side), mirror)
    down, right = (axis.astype(np.float32) for axis in np.indices(x.shape[1:3]))
    noise = random.uniform(-1, 1, (len(x), 2, *x.shape[1:3])).astype(np.float32)
    width = sigma * side
    fields = ndimage.gaussian_filter(noise, (0, 0, width, width), mode="reflect", truncate=3)
    fields *= np.float32(alpha * side)
    return read(moved, down + fields[:, 0], right + fields[:, 1], reflect)


def skewed(random: np.random.Generator, x: Pictures, reach: float) -> tuple[Planes, Planes]:
    """Where to read so that three corners around the middle each move by U(-reach, reach)²."""
    n, height, width, _ = x.shape
    q = min(height, width) // 3
    middle = np.array([height // 2, width // 2])
    points = middle + np.array([[q, q], [-q, q], [-q, -q]])  # (down, right): all but bottom left
    moved = points + random.uniform(-reach, reach, (n, 3, 2))
    # The plane through three points: (y, x, 1) of where they went gives where they came from.
    plane = np.linalg.solve(np.concatenate([moved, np.ones((n, 3, 1))], axis=2), points[None])
    down, right = (axis.ravel() for axis in np.indices((height, width)))
    at = np.stack([down, right, np.ones_like(down)], axis=1) @ plane
    return at[..., 0].reshape(n, height, width), at[..., 1].reshape(n, height, width)


def pixelate(random: np.random.Generator, x: Pictures, scale: float) -> Pictures:
    """Shrunk to ⌊side scale⌋ and enlarged again, both by means over boxes (Pillow)."""
    _, height, width, _ = x.shape
    small = (int(width * scale), int(height * scale))

    def coarse(image: Image.Image) -> Image.Image:
        box = Image.Resampling.BOX
        return image.resize(small, box).resize((width, height), box)

    return _one_by_one(x, coarse)


def jpeg_compression(random: np.random.Generator, x: Pictures, quality: int) -> Pictures:
    """What is left of a JPEG of this quality (Pillow, with its default colour subsampling)."""

    def compressed(image: Image.Image) -> Image.Image:
        file = io.BytesIO()
        image.save(file, "JPEG", quality=quality)
        return Image.open(file)

    return _one_by_one(x, compressed)


def _one_by_one(x: Pictures, change: Callable[[Image.Image], Image.Image]) -> Pictures:
    images = np.rint(x * 255).astype(np.uint8)
    return from_bytes(np.stack([np.asarray(change(Image.fromarray(image))) for image in images]))


# CIFAR-10-C (Hendrycks and Dietterich, ICLR 2019), make_cifar_c.py.
DIGITAL = {
    "contrast": Corruption(contrast, ((0.75,), (0.5,), (0.4,), (0.3,), (0.15,))),
    "elastic_transform": Corruption(
        elastic_transform,
        (
            (0.0, 0.0, 0.08),
            (0.05, 0.2, 0.07),
            (0.08, 0.06, 0.06),
            (0.1, 0.04, 0.05),
            (0.1, 0.03, 0.03),
        ),
    ),
    "pixelate": Corruption(pixelate, ((0.95,), (0.9,), (0.85,), (0.75,), (0.65,))),
    "jpeg_compression": Corruption(jpeg_compression, ((80,), (65,), (58,), (50,), (40,))),
    "saturate": Corruption(saturate, ((0.3, 0.0), (0.1, 0.0), (1.5, 0.0), (2.0, 0.1), (2.5, 0.2))),
}
