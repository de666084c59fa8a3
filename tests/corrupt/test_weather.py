"""Weather against closed forms where the draw is taken out, and the statistics of the draws."""

import colorsys
import itertools
import math

import numpy as np
import pytest
from scipy import ndimage, stats

from pseudocore.corrupt import CORRUPTIONS, SEVERITIES, corrupt
from pseudocore.corrupt.ferns import frost_textures
from pseudocore.corrupt.line import motion
from pseudocore.corrupt.plasma import plasma
from pseudocore.corrupt.weather import fog, frost, snow

every_severity = pytest.mark.parametrize("severity", SEVERITIES)


@pytest.mark.parametrize("keep", [0.95, 0.8])
def test_without_flakes_snow_whitens(random, x, keep):
    out = snow(random, x, -5.0, 0.1, 1.0, 0.5, 8.0, 3.0, keep)
    grey = 0.299 * x[..., 0] + 0.587 * x[..., 1] + 0.114 * x[..., 2]
    white = np.maximum(x, 1.5 * grey[..., None] + 0.5)
    np.testing.assert_allclose(out, keep * x + (1 - keep) * white, atol=1e-6)


@pytest.mark.parametrize("severity", [1, 2])  # the others enlarge the flakes
def test_as_much_snow_as_a_cut_gaussian_holds(random, severity):
    black = np.zeros((300, 32, 32, 3), np.float32)
    mean, sd, _, threshold, _, _, keep = CORRUPTIONS["snow"].constants[severity - 1]
    cut = (threshold - mean) / sd
    flakes = mean * stats.norm.sf(cut) + sd * stats.norm.pdf(cut)
    out = CORRUPTIONS["snow"](random, black, severity)
    expected = (1 - keep) * 0.5 + 2 * flakes
    assert out.mean() == pytest.approx(expected, abs=0.03 * flakes + 0.002)


@every_severity
def test_flakes_are_enlarged_then_cut_then_blurred_as_bytes(severity):
    mean, sd, enlarged, threshold, radius, sigma, keep = CORRUPTIONS["snow"].constants[severity - 1]
    random = np.random.default_rng(4)
    layer = mean + sd * random.standard_normal((6, 32, 32), np.float32).astype(float)
    angles = random.uniform(-135, -45, 6)
    kept = math.ceil(32 / enlarged)
    first = (32 - kept) // 2
    middle = layer[:, first : first + kept, first : first + kept]
    layer = ndimage.zoom(middle, (1, enlarged, enlarged), order=1)
    trim = (layer.shape[1] - 32) // 2
    layer = layer[:, trim : trim + 32, trim : trim + 32]
    layer = np.floor(np.where(layer < threshold, 0, np.minimum(layer, 1)) * 255) / 255
    flakes = motion(layer[..., None].astype(np.float32), angles, radius, sigma)
    black = np.zeros((6, 32, 32, 3), np.float32)
    out = CORRUPTIONS["snow"](np.random.default_rng(4), black, severity)
    expected = (1 - keep) * 0.5 + flakes + flakes[:, ::-1, ::-1]
    apart = np.abs(out - expected)
    assert apart.max() < 2.1 / 255
    assert (apart > 1e-6).mean() < 0.001


@every_severity
def test_snow_falls_the_same_upside_down_and_has_no_colour(random, severity):
    black = np.zeros((20, 32, 32, 3), np.float32)
    out = CORRUPTIONS["snow"](random, black, severity)
    np.testing.assert_allclose(out, out[:, ::-1, ::-1], atol=1e-6)
    np.testing.assert_array_equal(out[..., 0], out[..., 2])


@every_severity
def test_snow_falls_downwards(random, severity):
    """Neighbours one above the other are more alike than those side by side."""
    out = CORRUPTIONS["snow"](random, np.zeros((100, 32, 32, 3), np.float32), severity)[..., 0]
    down, across = (np.abs(np.diff(out, axis=axis)).mean() for axis in (1, 2))
    assert down < 0.8 * across


@every_severity
def test_frost_is_a_blend(random, x, severity):
    keep, add = [(1.0, 0.2), (1.0, 0.3), (0.9, 0.4), (0.85, 0.4), (0.75, 0.45)][severity - 1]
    flat = np.full((1, 40, 40, 3), 0.6, np.float32)
    out = frost(random, x, keep, add, flat)
    np.testing.assert_allclose(out, keep * x + add * 0.6, atol=1e-6)
    ours = CORRUPTIONS["frost"](np.random.default_rng(2), x, severity)
    texture = (ours - keep * x) / add
    assert -1e-5 < texture.min() < texture.max() < 1 + 1e-5


def test_frost_is_a_random_crop_of_a_random_texture(random):
    rows, columns = np.indices((50, 60)) / 100
    textures = np.stack([np.stack([rows, columns, rows * 0 + k / 2], axis=2) for k in (0, 1)])
    out = frost(random, np.zeros((600, 32, 32, 3), np.float32), 1.0, 1.0, textures)
    top, left, which = np.rint(out[:, 0, 0] * [100, 100, 2]).astype(int).T
    assert (set(top), set(left), set(which)) == (set(range(19)), set(range(29)), {0, 1})
    for i in range(5):
        crop = textures[which[i], top[i] : top[i] + 32, left[i] : left[i] + 32]
        np.testing.assert_allclose(out[i], crop, atol=1e-6)


def test_frost_takes_textures_of_bytes(images):
    white = np.full((2, 40, 40, 3), 255, np.uint8)
    out = corrupt(images, "frost", 2, 0, white)
    expected = np.minimum(1, images / 255 + 0.3) * 255
    np.testing.assert_allclose(out, expected, atol=1.01)


def test_the_drawn_textures_are_like_frost():
    textures = frost_textures()
    assert textures.shape == (5, 256, 256, 3)
    assert 0 <= textures.min() < textures.max() <= 1
    np.testing.assert_allclose(textures.mean(axis=(1, 2, 3)), 0.5, atol=0.02)
    np.testing.assert_allclose(textures.std(axis=(1, 2, 3)), 0.2, atol=0.02)
    assert (textures.mean(axis=(1, 2))[:, 2] > textures.mean(axis=(1, 2))[:, 0]).all()  # bluish
    pairs = np.corrcoef(textures[..., 1].reshape(5, -1)) - np.eye(5)
    assert np.abs(pairs).max() < 0.3


@every_severity
def test_fog_covers_white_by_its_map(random, severity):
    strength = [0.2, 0.5, 0.75, 1, 1.5][severity - 1]
    white = np.ones((50, 32, 32, 3), np.float32)
    haze = (CORRUPTIONS["fog"](random, white, severity) * (1 + strength) - 1) / strength
    np.testing.assert_allclose(haze.min(axis=(1, 2, 3)), 0, atol=1e-5)
    np.testing.assert_allclose(haze.max(axis=(1, 2, 3)), 1, atol=1e-5)
    np.testing.assert_array_equal(haze[..., 0], haze[..., 1])
    decay = [3, 3, 2.5, 2, 1.75][severity - 1]
    widths = [bumps(haze[..., 0], step).std() for step in (4, 2)]
    assert widths[0] / widths[1] == pytest.approx(decay**2, rel=0.15)


def test_fog_is_dimmed_by_the_largest_value(random):
    x = np.full((4, 32, 32, 3), 0.1, np.float32)
    x[:, 0, 0, 1] = np.array([0.2, 0.4, 0.6, 0.8])
    out = fog(random, x, 1.0, 3.0)[:, 1:, 1:, 0]
    largest = np.array([0.2, 0.4, 0.6, 0.8])
    haze = out / (largest / (largest + 1))[:, None, None] - 0.1
    assert (haze >= -1e-6).all()
    assert (haze.max(axis=(1, 2)) > 0.5).all()
    assert (haze <= 1 + 1e-6).all()


def test_no_fog_in_the_dark(random):
    assert not fog(random, np.zeros((1, 32, 32, 3), np.float32), 1.0, 2.0).any()


def bumps(heights: np.ndarray, step: int) -> np.ndarray:
    """What the middles of squares have over the mean of their four corners (the map wraps)."""
    corners = heights[:, ::step, ::step].astype(float)
    around = corners + np.roll(corners, -1, 1) + np.roll(corners, -1, 2)
    around += np.roll(corners, (-1, -1), (1, 2))
    return heights[:, step // 2 :: step, step // 2 :: step] - around / 4


@pytest.mark.parametrize("decay", [1.75, 2.0, 3.0])
def test_plasma_falls_by_the_square_of_its_decay(random, decay):
    heights = plasma(random, 400, 32, decay)
    assert heights.shape == (400, 32, 32)
    widths = [np.sqrt((bumps(heights, step) ** 2).mean(axis=(1, 2))) for step in (8, 4, 2)]
    for coarse, fine in itertools.pairwise(widths):
        assert np.sqrt((coarse**2).mean() / (fine**2).mean()) == pytest.approx(decay**2, rel=0.05)


def test_plasma_bumps_are_uniform_and_so_are_those_of_edges(random):
    heights = plasma(random, 200, 64, 2.0)
    scale = np.abs(bumps(heights, 2)).max(axis=(1, 2), keepdims=True)
    assert stats.kstest((bumps(heights, 2) / scale).ravel(), "uniform", (-1, 2)).statistic < 0.01
    # The others lie between two corners and two middles: above, below, left, right.
    h = heights.astype(float)
    four = sum(np.roll(h, shift, axis) for shift in (-1, 1) for axis in (1, 2))
    for row, column in ((1, 0), (0, 1)):
        edges = (h - four / 4)[:, row::2, column::2]
        assert stats.kstest((edges / scale).ravel(), "uniform", (-1, 2)).statistic < 0.01


@every_severity
def test_brightness_is_colorsys(random, x, severity):
    more = [0.05, 0.1, 0.15, 0.2, 0.3][severity - 1]
    out = CORRUPTIONS["brightness"](random, x, severity)
    for pixel, ours in zip(
        x[:, ::8, ::8].reshape(-1, 3), out[:, ::8, ::8].reshape(-1, 3), strict=True
    ):
        h, s, v = colorsys.rgb_to_hsv(*pixel.tolist())
        np.testing.assert_allclose(ours, colorsys.hsv_to_rgb(h, s, min(1, v + more)), atol=1e-5)
