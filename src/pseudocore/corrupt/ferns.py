"""Textures of frost, drawn: the photographs that the benchmark blends in are not at hand."""

import functools

import numpy as np
from jaxtyping import Float
from scipy import ndimage

from pseudocore.corrupt.plasma import plasma

Strokes = Float[np.ndarray, "_ 4"]  # y, x, angle, length
Texture = Float[np.ndarray, "side side 3"]

SEED = 2019  # of the drawing: the textures are the same five for every seed of the corruption
TEXTURES = 5  # as many photographs as the original picks from
SIDE = 256  # pixels; they wrap round
STEMS = 45
LENGTHS = (40.0, 140.0)  # of the stems, in pixels
SIDE_SHOOTS = (14, 7)  # on each side of a stem, and of a side shoot
DOTS = 48  # a stroke
ICE_ANGLE = np.pi / 3  # ice is hexagonal
# Ours, after the look of frosted windows: bluish grey, white where it is thick.
MEAN, SD = 0.5, 0.2
THIN, THICK = np.array([0.88, 0.97, 1.1]), np.array([1.0, 1.0, 1.0])


@functools.cache
def frost_textures() -> Float[np.ndarray, "textures side side 3"]:
    """Five drawn textures in 0..1, mean brightness .5, sd .2."""
    random = np.random.default_rng(SEED)
    textures = np.stack([frosted(random) for _ in range(TEXTURES)]).astype(np.float32)
    textures.setflags(write=False)  # every caller is given this one array
    return textures


def frosted(random: np.random.Generator) -> Texture:
    """Ferns of three generations over a cloudy film with grains."""
    stems = np.column_stack(
        [
            random.uniform(0, SIDE, (STEMS, 2)),
            random.uniform(0, 2 * np.pi, STEMS),
            random.uniform(*LENGTHS, STEMS),
        ]
    )
    shoots = grown(random, stems, SIDE_SHOOTS[0])
    needles = grown(random, shoots, SIDE_SHOOTS[1])
    ink = 1.5 * drawn(stems) + drawn(shoots) + 0.6 * drawn(needles)
    ferns = 1 - np.exp(-1.2 * ndimage.gaussian_filter(ink, 0.6, mode="wrap"))
    film, cover = plasma(random, 2, SIDE, 1.6).astype(float)
    grains = ndimage.gaussian_filter(random.standard_normal((SIDE, SIDE)), 0.6, mode="wrap")
    thickness = ferns * (0.4 + 0.8 * cover) + 0.5 * film + 0.12 * grains
    light = np.clip(MEAN + SD * (thickness - thickness.mean()) / thickness.std(), 0, 1)[..., None]
    return np.clip(light * (THIN + light * (THICK - THIN)), 0, 1)


def grown(random: np.random.Generator, parents: Strokes, pairs: int) -> Strokes:
    """Shoots on both sides of every stroke at the angle of ice, shorter towards its tip."""
    at = (np.arange(pairs) + 0.5) / pairs
    y, x, angle, length = (column[:, None, None] for column in parents.T)
    sides = np.array([-1.0, 1.0])[:, None]
    far = at * length
    shape = np.broadcast_shapes(far.shape, (len(parents), 2, pairs))
    turned = angle + sides * ICE_ANGLE + random.normal(0, 0.06, shape)
    reach = 0.45 * length * (1 - at) * random.uniform(0.5, 1.0, shape)
    columns = (y + far * np.sin(angle), x + far * np.cos(angle), turned, reach)
    return np.stack([np.broadcast_to(column, shape).ravel() for column in columns], axis=1)


def drawn(strokes: Strokes) -> Float[np.ndarray, "side side"]:
    """The length of ink in every pixel."""
    y, x, angle, length = (column[:, None] for column in strokes.T)
    far = (np.arange(DOTS) + 0.5) / DOTS * length
    rows, columns = (
        np.floor(place).astype(int) % SIDE
        for place in (y + far * np.sin(angle), x + far * np.cos(angle))
    )
    ink = np.broadcast_to(length / DOTS, far.shape)
    count = np.bincount((rows * SIDE + columns).ravel(), ink.ravel(), SIDE**2)
    return count.reshape(SIDE, SIDE)
