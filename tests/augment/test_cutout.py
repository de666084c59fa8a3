"""The square that is cut out: its size, its places, its border."""

import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from scipy.stats import chisquare

from pseudocore.augment import Cutout
from pseudocore.augment.cutout import cutout


def numpy_cutout(image: np.ndarray, y: int, x: int, size: tuple[int, int]) -> np.ndarray:
    """The definition, pixel by pixel."""
    out = image.copy()
    for i, j in np.ndindex(*image.shape[:2]):
        inside_y = y - size[0] // 2 <= i <= y - size[0] // 2 + size[0] - 1
        inside_x = x - size[1] // 2 <= j <= x - size[1] // 2 + size[1] - 1
        if inside_y and inside_x:
            out[i, j] = 0
    return out


@pytest.mark.parametrize("size", [(4, 4), (3, 3), (2, 5), (0, 4)], ids=str)
def test_cuts_the_definition(size):
    y, x = (grid.ravel() for grid in np.mgrid[0:9, 0:8])
    images = np.random.default_rng(0).uniform(1, 2, (len(y), 8, 7, 2)).astype(np.float32)
    cut = jax.jit(cutout, static_argnums=3)
    out = cut(jnp.asarray(images), jnp.asarray(y), jnp.asarray(x), size)
    expected = [numpy_cutout(*row, size) for row in zip(images, y, x, strict=True)]
    np.testing.assert_array_equal(out, np.stack(expected))


# (side, the size of the square, how many places its centre has)
@pytest.mark.parametrize(("side", "size", "places"), [(8, 4, 9), (6, 3, 6)])
def test_every_centre_is_equally_likely(side: int, size: int, places: int):
    n = 3000
    out = np.asarray(jax.jit(Cutout())(jr.key(0), jnp.ones((n, side, side, 1))))[..., 0] == 0
    rows, columns = out.any(2), out.any(1)
    assert (out == rows[:, :, None] & columns[:, None, :]).all()
    assert rows.sum(1).max() == columns.sum(1).max() == size
    for covered in (rows, columns):
        kinds, counts = np.unique(covered, axis=0, return_counts=True)
        assert len(kinds) == places
        assert chisquare(counts).pvalue > 1e-3
    assert abs(np.corrcoef(rows.argmax(1), columns.argmax(1))[0, 1]) < 0.1


def test_a_wide_image_loses_half_of_each_side():
    out = np.asarray(jax.jit(Cutout())(jr.key(0), jnp.ones((500, 8, 20, 1))))[..., 0] == 0
    assert out.any(2).sum(1).max() == 4
    assert out.any(1).sum(1).max() == 10


def test_published_strength_is_the_default():
    assert Cutout() == Cutout(0.5)
