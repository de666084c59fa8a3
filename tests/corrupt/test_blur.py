"""Blurs against SciPy, one image and one colour at a time, and against plain loops."""

import math

import numpy as np
import pytest
from scipy import ndimage

from pseudocore.corrupt import CORRUPTIONS, SEVERITIES
from pseudocore.corrupt.blur import disk, glass_blur, motion_blur
from pseudocore.corrupt.line import line_weights, motion
from pseudocore.corrupt.resample import zoom

every_severity = pytest.mark.parametrize("severity", SEVERITIES)


def planewise(oracle, x: np.ndarray) -> np.ndarray:
    out = [[oracle(x[i, :, :, c]) for c in range(x.shape[3])] for i in range(len(x))]
    return np.moveaxis(np.array(out), 1, 3)


@every_severity
def test_gaussian_blur_is_scipys(random, x, severity):
    sigma = [0.4, 0.6, 0.7, 0.8, 1][severity - 1]
    ours = CORRUPTIONS["gaussian_blur"](random, x, severity)
    theirs = planewise(lambda plane: ndimage.gaussian_filter(plane, sigma, mode="nearest"), x)
    np.testing.assert_allclose(ours, theirs, atol=1e-6)


def test_glass_moves_every_inner_pixel_to_a_quarter_each(random):
    places = np.arange(32 * 32).reshape(32, 32)
    coded = np.stack([places // 32 * 8, places % 32 * 8, 0 * places], axis=2)  # exact as bytes
    x = np.repeat((coded / 255).astype(np.float32)[None], 200, axis=0)
    out = np.rint(glass_blur(random, x, 0.05, 1, 1) * 255).astype(int)[..., :2] // 8
    moves = out - coded[..., :2] // 8
    assert not moves[:, :2].any()
    assert not moves[:, :, :2].any()
    inner = moves[:, 2:, 2:].reshape(-1, 2)
    found, counts = np.unique(inner, axis=0, return_counts=True)
    np.testing.assert_array_equal(found, [(-1, -1), (-1, 0), (0, -1), (0, 0)])
    np.testing.assert_allclose(counts / len(inner), 0.25, atol=0.01)
    # A second sweep: the sum of two such moves, away from what the border keeps in its place.
    twice = np.rint(glass_blur(random, x, 0.05, 1, 2) * 255).astype(int)[..., :2] // 8
    moves = (twice - coded[..., :2] // 8)[:, 4:, 4:].reshape(-1, 2)
    for axis in (0, 1):
        share = [(moves[:, axis] == -k).mean() for k in (0, 1, 2)]
        np.testing.assert_allclose(share, [0.25, 0.5, 0.25], atol=0.01)


def test_glass_blurs_before_and_after(random, x):
    def oracle(plane: np.ndarray) -> np.ndarray:
        once = ndimage.gaussian_filter(plane, 0.4, mode="nearest")
        return ndimage.gaussian_filter(np.floor(once * 255) / 255, 0.4, mode="nearest")

    ours = glass_blur(random, x, 0.4, 1, 0)
    # Flat images are left out: where a value is a whole byte but for rounding, one may be cut off.
    apart = np.abs(ours[:9] - planewise(oracle, x[:9]))
    assert apart.max() < 1.01 / 255
    assert apart.mean() < 1e-4


@every_severity
def test_defocus_is_a_soft_disk(random, x, severity):
    radius, alias = [(0.3, 0.4), (0.4, 0.5), (0.5, 0.6), (1.0, 0.2), (1.5, 0.1)][severity - 1]
    grid = np.arange(-8, 9)
    hard = np.array([[float(i * i + j * j <= radius**2) for j in grid] for i in grid])
    side = math.exp(-1 / (2 * alias**2))
    soft = np.array([side, 1, side]) / (1 + 2 * side)
    kernel = ndimage.convolve(hard / hard.sum(), np.outer(soft, soft), mode="constant")
    assert disk(radius, alias).sum() == pytest.approx(1)
    theirs = planewise(lambda plane: ndimage.convolve(plane, kernel, mode="mirror"), x[:2])
    ours = CORRUPTIONS["defocus_blur"](random, x[:2], severity)
    np.testing.assert_allclose(ours, theirs, atol=1e-6)


def test_motion_of_a_point_is_a_line():
    x = np.zeros((3, 33, 33, 1), np.float32)
    x[:, 16, 16] = 1
    out = motion(x, np.array([0.0, 45.0, -90.0]), 6.0, 2.0)[..., 0]
    weights = line_weights(6.0, 2.0)
    assert len(weights) == 13
    np.testing.assert_allclose(weights[1] / weights[0], np.exp(-1 / 8))
    np.testing.assert_allclose(out.sum(axis=(1, 2)), 1, atol=13 * 0.5 / 255)
    whole = np.rint(255 * weights) / 255
    np.testing.assert_allclose(
        out[0, 16, 16:3:-1], whole, atol=1e-6
    )  # reads the right: trails left
    np.testing.assert_allclose(out[2, 16:29, 16], whole, atol=1e-6)  # reads above: falls
    # At 45 degrees two taps may meet in a pixel, so only the sum along the diagonal is kept.
    assert np.trace(out[1]) == pytest.approx(1, abs=0.03)
    assert out[1, 17:].sum() == 0


def test_motion_is_a_plain_loop(random, x):
    image, degrees, sigma = x[0], 31.0, 2.0
    expected = np.zeros_like(image)
    taps = [math.exp(-(i**2) / (2 * sigma**2)) for i in range(17)]
    for row in range(32):
        for column in range(32):
            for i, tap in enumerate(taps):
                down = round(i * math.sin(math.radians(degrees)))
                right = round(i * math.cos(math.radians(degrees)))
                pixel = image[min(row + down, 31), min(column + right, 31)]
                expected[row, column] += tap / sum(taps) * pixel
    ours = motion(image[None], np.array([degrees]), 8.0, sigma)[0]
    np.testing.assert_allclose(ours, expected, atol=0.501 / 255)


@every_severity
def test_motion_blur_draws_an_angle_an_image(random, severity):
    radius, sigma = CORRUPTIONS["motion_blur"].constants[severity - 1]
    x = np.zeros((400, 41, 41, 3), np.float32)
    x[:, 20, 20] = 1
    out = motion_blur(random, x, radius, sigma)[..., 0]
    places = np.arange(41) - 20
    down, right = (out.sum(axis=2) @ places, out.sum(axis=1) @ places)
    angles = np.rad2deg(np.arctan2(down, right))
    angles = (angles + 270) % 360 - 90  # it trails away from where it reads
    assert -60 < angles.min() < -35
    assert 35 < angles.max() < 60
    assert abs(angles.mean()) < 6
    # Along the line the mean distance is Σ i w_i.
    weights = line_weights(radius, sigma)
    length = np.hypot(down, right).mean()
    assert length == pytest.approx(weights @ np.arange(len(weights)), rel=0.1)


def clipped_zoom(plane: np.ndarray, factor: float) -> np.ndarray:
    side = len(plane)
    kept = math.ceil(side / factor)
    first = (side - kept) // 2
    large = ndimage.zoom(plane[first : first + kept, first : first + kept], factor, order=1)
    trim = (len(large) - side) // 2
    return large[trim : trim + side, trim : trim + side]


@pytest.mark.parametrize("factor", [1.0, 1.03, 1.1, 1.24, 1.75, 2.25])
def test_zoom_is_scipys(x, factor):
    ours = zoom(x[:3, :, :, 0], factor)
    theirs = np.stack([clipped_zoom(plane, factor) for plane in x[:3, :, :, 0]])
    np.testing.assert_allclose(ours, theirs, atol=1e-5)


@every_severity
def test_zoom_blur_is_the_mean_of_zooms(random, x, severity):
    copies = [7, 12, 15, 20, 25][severity - 1]
    planes = [x[0, :, :, 1]] + [clipped_zoom(x[0, :, :, 1], 1 + k / 100) for k in range(copies)]
    ours = CORRUPTIONS["zoom_blur"](random, x[:1], severity)[0, :, :, 1]
    np.testing.assert_allclose(ours, np.mean(planes, axis=0), atol=1e-5)
