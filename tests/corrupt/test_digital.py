"""Contrast, saturation, elastic transforms, pixels and JPEG against what nobody here wrote."""

import colorsys
import io

import numpy as np
import pytest
from PIL import Image
from scipy import ndimage

from pseudocore.corrupt import CORRUPTIONS, SEVERITIES, corrupt
from pseudocore.corrupt.digital import elastic_transform, skewed
from pseudocore.corrupt.resample import mirror, read, reflect

every_severity = pytest.mark.parametrize("severity", SEVERITIES)


@every_severity
def test_contrast_about_the_mean_of_each_channel(images, severity):
    factor = [0.75, 0.5, 0.4, 0.3, 0.15][severity - 1]
    x = images.astype(float)
    mean = x.mean(axis=(1, 2), keepdims=True)
    # Within rounding of a whole number, one less may be cut off.
    ours = corrupt(images, "contrast", severity, 0)
    np.testing.assert_allclose(ours, mean + factor * (x - mean) - 0.5, atol=0.501)


@every_severity
def test_saturate_is_colorsys(random, x, severity):
    factor, more = [(0.3, 0), (0.1, 0), (1.5, 0), (2, 0.1), (2.5, 0.2)][severity - 1]
    out = CORRUPTIONS["saturate"](random, x, severity)
    for pixel, ours in zip(
        x[:, ::8, ::8].reshape(-1, 3), out[:, ::8, ::8].reshape(-1, 3), strict=True
    ):
        h, s, v = colorsys.rgb_to_hsv(*pixel.tolist())
        theirs = colorsys.hsv_to_rgb(h, min(1, factor * s + more), v)
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


@every_severity
def test_pixelate_is_pillows(images, severity):
    small = [30, 28, 27, 24, 20][severity - 1]
    for image, ours in zip(images, corrupt(images, "pixelate", severity, 0), strict=True):
        coarse = Image.fromarray(image).resize((small, small), Image.Resampling.BOX)
        np.testing.assert_array_equal(ours, coarse.resize((32, 32), Image.Resampling.BOX))


def test_pixelate_keeps_height_and_width_apart():
    images = np.random.default_rng(0).integers(0, 256, (2, 20, 40, 3), np.uint8)
    for image, ours in zip(images, corrupt(images, "pixelate", 5, 0), strict=True):
        coarse = Image.fromarray(image).resize((26, 13), Image.Resampling.BOX)
        np.testing.assert_array_equal(ours, coarse.resize((40, 20), Image.Resampling.BOX))


@every_severity
def test_jpeg_is_pillows(images, severity):
    quality = [80, 65, 58, 50, 40][severity - 1]
    for image, ours in zip(images, corrupt(images, "jpeg_compression", severity, 0), strict=True):
        file = io.BytesIO()
        Image.fromarray(image).save(file, "JPEG", quality=quality)
        np.testing.assert_array_equal(ours, Image.open(file))


@pytest.mark.parametrize(("fold", "mode"), [(mirror, "mirror"), (reflect, "reflect")])
def test_reading_is_scipys(random, x, fold, mode):
    at = random.uniform(-70, 100, (2, len(x), 32, 32))
    ours = read(x, at[0], at[1], fold)
    for i in range(len(x)):
        for c in range(3):
            theirs = ndimage.map_coordinates(x[i, :, :, c], at[:, i], order=1, mode=mode)
            np.testing.assert_allclose(ours[i, :, :, c], theirs, atol=1e-4)


def test_nothing_elastic_is_the_identity(random, x):
    np.testing.assert_allclose(elastic_transform(random, x, 0.0, 0.0, 0.0), x, atol=1e-6)


def by_scipy(x: np.ndarray, down: np.ndarray, right: np.ndarray, mode: str) -> np.ndarray:
    out = np.empty_like(x)
    for i, c in np.ndindex(len(x), 3):
        at = np.stack([down[i], right[i]])
        out[i, :, :, c] = ndimage.map_coordinates(x[i, :, :, c], at, order=1, mode=mode)
    return out


def test_the_affine_part_mirrors_the_border(x):
    at = skewed(np.random.default_rng(6), x, 0.2 * 32)
    ours = elastic_transform(np.random.default_rng(6), x, 0.0, 0.0, 0.2)
    np.testing.assert_allclose(ours, by_scipy(x, *at, "mirror"), atol=1e-4)


def test_the_elastic_part_reflects_the_border(x):
    random = np.random.default_rng(6)
    random.uniform(size=(len(x), 3, 2))  # the corners, which stay where they are
    noise = random.uniform(-1, 1, (len(x), 2, 32, 32))
    down, right = (
        np.stack(
            [ndimage.gaussian_filter(image, 0.06 * 32, truncate=3) for image in noise[:, axis]]
        )
        for axis in (0, 1)
    )
    rows, columns = np.indices((32, 32))
    moved = by_scipy(x, rows + 0.5 * 32 * down, columns + 0.5 * 32 * right, "reflect")
    ours = elastic_transform(np.random.default_rng(6), x, 0.5, 0.06, 0.0)
    np.testing.assert_allclose(ours, moved, atol=1e-4)


def test_three_corners_move_by_what_they_may(random):
    """The map is affine; turned round, it moves three corners by U(-2, 2), the fourth by more."""
    n, reach, q = 4000, 2.0, 10
    down, right = skewed(random, np.zeros((n, 32, 32, 3), np.float32), reach)
    grid = np.stack([np.ones(1024), *(axis.ravel() for axis in np.indices((32, 32)))], axis=1)
    values = np.stack([down.reshape(n, -1), right.reshape(n, -1)], axis=2)
    affine = np.linalg.pinv(grid) @ values
    np.testing.assert_allclose(grid @ affine, values, atol=1e-6)
    # (right, down) as OpenCV counts: (q, q), (q, -q), (-q, -q) about (16, 16).
    for corner, moved in {(q, q): True, (-q, q): True, (-q, -q): True, (q, -q): False}.items():
        wanted = np.array(corner) + 16.0
        came = np.linalg.solve(affine[:, 1:].transpose(0, 2, 1), (wanted - affine[:, 0])[..., None])
        shifts = came[..., 0] - wanted
        if moved:
            assert np.abs(shifts).max() <= reach + 1e-6
            assert shifts.std() == pytest.approx(reach / np.sqrt(3), rel=0.03)
            assert np.abs(shifts.mean(axis=0)).max() < 0.08
        else:
            assert shifts.std() == pytest.approx(reach, rel=0.03)  # a sum of three


def test_the_affine_part_is_a_fraction_of_the_side(random):
    ramp = np.broadcast_to(np.arange(48)[:, None, None] / 48, (500, 48, 48, 3)).astype(np.float32)
    out = elastic_transform(random, ramp, 0.0, 0.0, 0.05)[:, 8:40, 8:40] * 48
    moved = out - ramp[:, 8:40, 8:40] * 48
    reach = 0.05 * 48
    assert reach * 0.8 < np.abs(moved[:, 16, 16]).max() < reach * 1.7


@pytest.mark.parametrize("severity", [3, 4, 5])
def test_elastic_fields_have_their_size_and_their_smoothness(random, severity):
    alpha, sigma, _ = CORRUPTIONS["elastic_transform"].constants[severity - 1]
    for axis in (0, 1):
        ramp = np.moveaxis(np.broadcast_to(np.arange(32) / 32, (300, 3, 32, 32)), 1, 3)
        ramp = np.swapaxes(ramp, 1, 2) if axis == 0 else ramp
        out = elastic_transform(random, ramp.astype(np.float32), alpha, sigma, 0.0)
        field = ((out - ramp) * 32)[:, 8:24, 8:24, 0]
        weights = ndimage.gaussian_filter(np.eye(1, 61, 30).ravel(), sigma * 32, truncate=3)
        spread = alpha * 32 / np.sqrt(3) * (weights**2).sum()
        assert field.std() == pytest.approx(spread, rel=0.03)
        # Neighbours go together as the kernel overlaps itself.
        expected = (weights[1:] * weights[:-1]).sum() / (weights**2).sum()
        found = (field[:, 1:] * field[:, :-1]).mean() / (field**2).mean()
        assert found == pytest.approx(expected, abs=0.03)
