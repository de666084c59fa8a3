"""Shift, flip, scale, rotate against numpy, scipy and Pillow; the ranges they are drawn from."""

import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from PIL import Image
from scipy import ndimage
from scipy.stats import chisquare, kstest

from pseudocore.augment import Crop, Flip, Rotate, Scale
from pseudocore.augment.geometry import flip, rotate, scale, shift

SHAPES = [(8, 8, 1), (7, 7, 2), (6, 9, 3)]
every_shape = pytest.mark.parametrize("shape", SHAPES, ids=str)


def random_images(n: int, shape: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((n, *shape))


def channelwise(oracle, image: np.ndarray) -> np.ndarray:
    """An oracle for one grey picture, for one of several channels."""
    return np.stack([oracle(channel) for channel in np.moveaxis(image, -1, 0)], axis=-1)


@every_shape
def test_shift_is_scipys(shape):
    moves = np.array([(0, 0), (1, 0), (0, -1), (-2, 3), (-4, -4), (20, 0)])
    x = random_images(len(moves), shape).astype(np.float32)
    out = jax.jit(shift)(jnp.asarray(x), jnp.asarray(moves[:, 0]), jnp.asarray(moves[:, 1]))
    for image, move, ours in zip(x, moves, out, strict=True):
        expected = channelwise(lambda c, move=move: ndimage.shift(c, move, order=0), image)
        np.testing.assert_array_equal(ours, expected)


def test_flip_is_numpys():
    x = random_images(2, (4, 5, 3)).astype(np.float32)
    out = flip(jnp.asarray(x), jnp.array([True, False]))
    np.testing.assert_array_equal(out[0], np.fliplr(x[0]))
    np.testing.assert_array_equal(out[1], x[1])


@every_shape
def test_scale_is_scipys(shape):
    factors = np.array([(1, 1), (1.2, 1), (1, 1 / 1.2), (0.9, 1.1), (0.5, 2.5), (1.07, 0.3)])
    x = random_images(len(factors), shape)
    with jax.enable_x64(True):
        out = np.asarray(jax.jit(scale)(jnp.asarray(x), *jnp.asarray(factors.T)))
    middle = (np.array(shape[:2]) - 1) / 2
    for image, factor, ours in zip(x, factors, out, strict=True):

        def zoom(channel, factor=factor):
            return ndimage.affine_transform(
                channel, factor, middle - factor * middle, order=1, mode="grid-constant"
            )

        np.testing.assert_allclose(ours, channelwise(zoom, image), atol=1e-12)


@every_shape
def test_rotate_is_scipys(shape):
    angles = np.array([0.0, 15, -15, 7.3, 45, 90, -120, 180])
    x = random_images(len(angles), shape)
    with jax.enable_x64(True):
        out = np.asarray(jax.jit(rotate)(jnp.asarray(x), jnp.asarray(angles)))
    for image, angle, ours in zip(x, angles, out, strict=True):

        def turn(channel, angle=angle):
            return ndimage.rotate(channel, angle, reshape=False, order=1, mode="grid-constant")

        np.testing.assert_allclose(ours, channelwise(turn, image), atol=1e-12)


def test_rotate_turns_counterclockwise_as_pillow_does():
    pixels = np.random.default_rng(2).integers(0, 255, (9, 9), dtype=np.uint8)
    grey = jnp.asarray(pixels, jnp.float32)[None, :, :, None]
    ours = jax.jit(rotate)(grey, jnp.array([12.0]))
    pillow = Image.fromarray(pixels).rotate(12, Image.Resampling.BILINEAR)
    inner = np.s_[2:-2, 2:-2]  # Pillow fills a border pixel outright, ours fades into zero
    np.testing.assert_allclose(ours[0, :, :, 0][inner], np.asarray(pillow)[inner], atol=1.5)


def test_neutral_parameters_change_no_bit():
    x = jnp.asarray(random_images(3, (9, 12, 2)), jnp.float32)
    zeros, ones = jnp.zeros(3), jnp.ones(3)
    nowhere = jnp.zeros(3, int)
    for same in (
        jax.jit(shift)(x, nowhere, nowhere),
        jax.jit(flip)(x, nowhere > 0),
        jax.jit(scale)(x, ones, ones),
        jax.jit(rotate)(x, zeros),
    ):
        assert jnp.array_equal(same, x)


def test_gradients_in_the_parameters_are_those_of_finite_differences():
    with jax.enable_x64(True):
        x = jnp.asarray(random_images(1, (6, 5, 2)))

        @jax.jit
        @jax.value_and_grad
        def smooth(p):
            return jnp.sum(jnp.sin(rotate(scale(x, 1 + p[None] / 90, 1 - p[None] / 80), p[None])))

        higher, lower = smooth(jnp.array(7.3 + 1e-6))[0], smooth(jnp.array(7.3 - 1e-6))[0]
        slope = smooth(jnp.array(7.3))[1]
        np.testing.assert_allclose(slope, (higher - lower) / 2e-6, rtol=1e-6)


# The parameters that were drawn, read off pictures made for it.


@pytest.mark.parametrize(("side", "reach"), [(8, 1), (20, 3)])
def test_crop_moves_by_every_whole_number_up_to_an_eighth(side: int, reach: int):
    n = 2000
    dot = jnp.zeros((n, side, side, 1)).at[:, side // 2, side // 2].set(1)
    moved = np.asarray(jax.jit(Crop())(jr.key(0), dot)).reshape(n, -1)
    places = np.arange(-reach, reach + 1)
    dy, dx = np.divmod(moved.argmax(1), side) - np.array([[side // 2], [side // 2]])
    assert (moved.sum(1) == 1).all()
    for move in (dy, dx):
        assert set(move) == set(places)
        assert chisquare([(move == place).sum() for place in places]).pvalue > 1e-3
    assert abs(np.corrcoef(dy, dx)[0, 1]) < 0.1


def test_flip_takes_half_of_the_images():
    n = 2000
    left = jnp.zeros((n, 1, 2, 1)).at[:, :, 0].set(1)
    flipped = int(Flip()(jr.key(0), left)[:, 0, 1, 0].sum())
    assert abs(flipped - n / 2) < 4 * np.sqrt(n / 4)
    assert (Flip(1)(jr.key(0), left) == left[:, :, ::-1]).all()


def slopes(augment) -> np.ndarray:
    """Rows and columns of the local Jacobian of where 2000 images are read: [n, source, target]."""
    y, x = jnp.meshgrid(jnp.arange(4.0), jnp.arange(4.0), indexing="ij")
    ramps = jnp.broadcast_to(jnp.stack([y, x], -1), (2000, 4, 4, 2))
    out = np.asarray(jax.jit(augment)(jr.key(0), ramps))
    down, right = out[:, 2, 1] - out[:, 1, 1], out[:, 1, 2] - out[:, 1, 1]
    return np.stack([down, right], -1)


@pytest.mark.parametrize("ratio", [1.2, 1.05])
def test_scale_draws_a_uniform_factor_an_axis(ratio: float):
    slope = slopes(Scale(ratio))
    interval = (1 / ratio, ratio - 1 / ratio)
    np.testing.assert_allclose(slope[:, [0, 1], [1, 0]], 0, atol=1e-5)
    for axis in (0, 1):
        assert kstest(slope[:, axis, axis], "uniform", interval).pvalue > 1e-3
    assert abs(np.corrcoef(slope[:, 0, 0], slope[:, 1, 1])[0, 1]) < 0.1


@pytest.mark.parametrize("degrees", [15.0, 4.0])
def test_rotate_draws_a_uniform_angle(degrees: float):
    slope = slopes(Rotate(degrees))
    angles = np.rad2deg(np.arctan2(slope[:, 0, 1], slope[:, 0, 0]))
    assert kstest(angles, "uniform", (-degrees, 2 * degrees)).pvalue > 1e-3
    np.testing.assert_allclose(np.linalg.det(slope), 1, atol=1e-5)


def test_published_strengths_are_the_defaults():
    assert (Crop(), Flip(), Scale(), Rotate()) == (Crop(0.125), Flip(0.5), Scale(1.2), Rotate(15.0))
