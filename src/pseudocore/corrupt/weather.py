"""Weather: snow, frost, fog, and the light of another hour."""

import numpy as np
from jaxtyping import Float

from pseudocore.corrupt.base import Corruption, Pictures, from_bytes, to_bytes
from pseudocore.corrupt.colour import grey, value, with_value
from pseudocore.corrupt.ferns import frost_textures
from pseudocore.corrupt.line import motion
from pseudocore.corrupt.plasma import plasma
from pseudocore.corrupt.resample import zoom

SNOW_ANGLES = (-135.0, -45.0)  # degrees: from above, from either side


def snow(
    random: np.random.Generator,
    x: Pictures,
    mean: float,
    sd: float,
    enlarged: float,
    threshold: float,
    radius: float,
    sigma: float,
    keep: float,
) -> Pictures:
    """keep x + (1 - keep) max(x, 1.5 grey + .5) + flakes + flakes turned by 180 degrees.

    Flakes are N(mean, sd) pixels, enlarged, those below the threshold set to 0, blurred by motion.
    """
    drawn = random.standard_normal(x.shape[:3], np.float32) * np.float32(sd) + np.float32(mean)
    layer = zoom(drawn, enlarged)
    layer = np.where(layer < threshold, 0, layer).astype(x.dtype)[..., None]
    angles = random.uniform(*SNOW_ANGLES, len(x))
    flakes = motion(from_bytes(to_bytes(layer)), angles, radius, sigma)
    whitened = keep * x + (1 - keep) * np.maximum(x, 1.5 * grey(x) + 0.5)
    return whitened + flakes + flakes[:, ::-1, ::-1]


def frost(
    random: np.random.Generator,
    x: Pictures,
    keep: float,
    add: float,
    textures: Float[np.ndarray, "textures side_y side_x 3"] | None = None,
) -> Pictures:
    """keep x + add t, t a random crop of a random texture.

    The benchmark blends photographs of frost. These textures are drawn (`ferns.py`): numbers for
    frost can be compared with published ones in kind only. With `textures` those are cropped. A
    texture smaller than the image is repeated.
    """
    textures = frost_textures() if textures is None else textures
    n, height, width, _ = x.shape
    _, side_y, side_x, _ = textures.shape
    which = random.integers(len(textures), size=n)[:, None, None]
    top = random.integers(max(side_y - height, 0) + 1, size=n)[:, None, None]
    left = random.integers(max(side_x - width, 0) + 1, size=n)[:, None, None]
    rows = (top + np.arange(height)[:, None]) % side_y
    columns = (left + np.arange(width)) % side_x
    return keep * x + add * textures[which, rows, columns]


def fog(random: np.random.Generator, x: Pictures, strength: float, decay: float) -> Pictures:
    """(x + strength plasma) m / (m + strength), m the largest value of the image.

    The map is the corner of one whose side is the next power of 2: 32 for 32 pixels.
    """
    n, height, width, _ = x.shape
    size = 1 << (max(height, width) - 1).bit_length()
    haze = plasma(random, n, size, decay)[:, :height, :width, None]
    largest = x.max(axis=(1, 2, 3), keepdims=True)
    return (x + strength * haze) * (largest / (largest + strength))


def brightness(random: np.random.Generator, x: Pictures, more: float) -> Pictures:
    """V' = min(1, V + more), hue and saturation kept."""
    return with_value(x, np.minimum(1, value(x) + np.float32(more)))


# CIFAR-10-C (Hendrycks and Dietterich, ICLR 2019), make_cifar_c.py.
WEATHER = {
    "snow": Corruption(
        snow,
        (
            (0.1, 0.2, 1.0, 0.6, 8.0, 3.0, 0.95),
            (0.1, 0.2, 1.0, 0.5, 10.0, 4.0, 0.9),
            (0.15, 0.3, 1.75, 0.55, 10.0, 4.0, 0.9),
            (0.25, 0.3, 2.25, 0.6, 12.0, 6.0, 0.85),
            (0.3, 0.3, 1.25, 0.65, 14.0, 12.0, 0.8),
        ),
    ),
    "frost": Corruption(frost, ((1.0, 0.2), (1.0, 0.3), (0.9, 0.4), (0.85, 0.4), (0.75, 0.45))),
    "fog": Corruption(fog, ((0.2, 3.0), (0.5, 3.0), (0.75, 2.5), (1.0, 2.0), (1.5, 1.75))),
    "brightness": Corruption(brightness, ((0.05,), (0.1,), (0.15,), (0.2,), (0.3,))),
}
