"""A whole array of images, corrupted: checked, cut into blocks, seeded, brought back to bytes."""

import numpy as np

from pseudocore.corrupt.base import SEVERITIES, from_bytes, to_bytes
from pseudocore.corrupt.table import CORRUPTIONS
from pseudocore.errors import UserError, unknown

BLOCK = 1000  # images that share a generator
SMALLEST = 3  # pixels a side: with fewer, `elastic_transform` has no three points to move


def corrupt(
    images: np.ndarray,
    name: str,
    severity: int,
    seed: int,
    textures: np.ndarray | None = None,
) -> np.ndarray:
    """Bytes (n, height, width, 1 or 3), corrupted; the draws are those of (seed, name, severity).

    Block b, the images from 1000 b to 1000 b + 999, draws from
    `numpy.random.default_rng([seed, place of the name in CORRUPTIONS, severity, b])`. So images
    before a multiple of 1000 do not depend on those after it; a block that is cut short has draws
    of its own.

    A grey image is corrupted as an RGB copy, whose first channel comes back; `saturate` therefore
    changes nothing in it. `textures`, bytes (k, height, width, 3), are for `frost` alone, in the
    place of those drawn here. The constants are meant for 32 pixels a side.
    """
    check(images, name, severity, seed)
    options = {} if textures is None else {"textures": checked_textures(textures, name)}
    number = list(CORRUPTIONS).index(name)
    channels = images.shape[3]
    result = np.empty_like(images)
    for block, first in enumerate(range(0, len(images), BLOCK)):
        chosen = slice(first, first + BLOCK)
        x = from_bytes(images[chosen])
        x = np.repeat(x, 3, axis=3) if channels == 1 else x
        random = np.random.default_rng([seed, number, severity, block])
        changed = CORRUPTIONS[name](random, x, severity, **options)
        result[chosen] = to_bytes(changed)[..., :channels]
    return result


def check(images: np.ndarray, name: str, severity: int, seed: int) -> None:
    """Refuse what cannot be corrupted, and corruptions that are not there."""
    if name not in CORRUPTIONS:
        raise unknown("corruption", name, CORRUPTIONS)
    if severity not in SEVERITIES:
        raise UserError(f"There is no severity {severity}. Choose 1, 2, 3, 4 or 5.")
    if seed < 0:
        raise UserError(f"seed {seed} is negative. Choose 0 or more.")
    if images.ndim != 4 or images.shape[3] not in (1, 3):
        raise UserError(
            f"Images of shape {images.shape} cannot be corrupted. "
            "Give (n, height, width, channels) with 1 channel or 3."
        )
    if images.dtype != np.uint8:
        raise UserError(
            f"Images of type {images.dtype} cannot be corrupted. "
            "Give bytes: for values in 0..1, (255 * x).round().astype('uint8')."
        )
    if min(images.shape[1:3]) < SMALLEST:
        raise UserError(
            f"Images of {images.shape[1]} x {images.shape[2]} pixels are too small to corrupt. "
            f"Give at least {SMALLEST} a side."
        )


def checked_textures(textures: np.ndarray, name: str) -> np.ndarray:
    """Textures in 0..1, where they are of any use."""
    if name != "frost":
        raise UserError(f"{name} has no textures. Leave them out, or choose frost.")
    if textures.dtype != np.uint8 or textures.ndim != 4 or textures.shape[3] != 3:
        raise UserError(
            f"Textures of shape {textures.shape} and type {textures.dtype} cannot be blended in. "
            "Give bytes (k, height, width, 3)."
        )
    if 0 in textures.shape:
        raise UserError(f"Textures of shape {textures.shape} are empty. Give at least one.")
    return from_bytes(textures)
