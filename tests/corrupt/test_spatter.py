"""Spatter: how much of it there is, its colours, and its shading image by image."""

import numpy as np
import pytest
from scipy import ndimage, stats

from pseudocore.corrupt import CORRUPTIONS
from pseudocore.corrupt.spatter import equalised, liquid, shading

SHAPE = (300, 32, 32)


@pytest.mark.parametrize("severity", [1, 2, 3, 4, 5])
def test_as_much_liquid_as_the_tail_of_a_gaussian(random, severity):
    mean, sd, sigma, threshold, _, _ = CORRUPTIONS["spatter"].constants[severity - 1]
    kernel = ndimage.gaussian_filter(np.eye(1, 41, 20).ravel(), sigma)
    spread = sd * (kernel**2).sum()  # of a weighted sum of independent draws, in two directions
    drops = liquid(random, SHAPE, mean, sd, sigma, threshold)[:, 4:-4, 4:-4]
    expected = stats.norm.sf((threshold - mean) / spread)
    assert (drops > 0).mean() == pytest.approx(expected, rel=0.1)
    assert drops[drops > 0].min() >= np.float32(threshold)


@pytest.mark.parametrize("severity", [1, 2, 3])
def test_water_is_pale_turquoise_of_its_strength(random, severity):
    x = np.full((40, 32, 32, 3), 0.1, np.float32)
    added = CORRUPTIONS["spatter"](random, x, severity) - x
    assert added.min() >= 0
    brightest = added.max(axis=(1, 2))
    wet = brightest[:, 0] > 0
    assert wet.mean() > 0.9
    np.testing.assert_allclose(
        brightest[wet] * 255, np.tile([175 / 2, 119, 119], (wet.sum(), 1)), atol=1e-3
    )


@pytest.mark.parametrize("severity", [4, 5])
def test_mud_is_brown_and_covers(severity):
    mean, sd, sigma, threshold, strength, _ = CORRUPTIONS["spatter"].constants[severity - 1]
    x = np.full((20, 32, 32, 3), 0.9, np.float32)
    out = CORRUPTIONS["spatter"](np.random.default_rng(5), x, severity)
    drops = liquid(np.random.default_rng(5), x.shape[:3], mean, sd, sigma, threshold)
    for image, drop in zip(out, drops, strict=True):
        cover = ndimage.gaussian_filter((drop > 0).astype(float), strength, mode="nearest")
        cover = np.where(cover < 0.8, 0, cover)[..., None]
        expected = 0.9 * (1 - cover) + cover * np.array([63, 42, 20]) / 255
        np.testing.assert_allclose(image, expected, atol=1e-5)
    assert (out < 0.5).any()


def test_shading_looks_at_one_image_at_a_time(random):
    wet = liquid(random, (30, 32, 32), 0.65, 0.1, 0.8, 0.7) > 0
    wet[3] = False
    alone = np.concatenate([shading(wet[i : i + 1]) for i in range(len(wet))])
    dry = ~wet.any(axis=(1, 2))
    np.testing.assert_allclose(shading(wet)[~dry], alone[~dry], atol=1e-6)
    assert shading(wet)[~dry].max(axis=(1, 2)).min() > 0


def test_shading_follows_the_distance():
    """A drop in the upper left: away from it the ground rises, brighter to the lower right."""
    wet = np.zeros((1, 32, 32), bool)
    wet[0, 4:7, 4:7] = True
    light = shading(wet)[0]
    assert light[12, 12] > 0
    assert light[12, 12] > light[2, 2]


def test_shading_is_its_steps(random):
    wet = liquid(random, (12, 32, 32), 0.65, 0.3, 1.0, 0.69) > 0
    wet[0] = False
    wet[0, 5:12, 8:20] = True  # a drop with an inside
    for mask, ours in zip(wet, shading(wet), strict=True):
        padded = np.pad(mask, 1, mode="edge")
        inside = padded[:-2, 1:-1] & padded[2:, 1:-1] & padded[1:-1, :-2] & padded[1:-1, 2:]
        distance = np.minimum(ndimage.distance_transform_edt(~(mask & ~inside)), 20)
        level = (ndimage.correlate(distance, np.ones((3, 3)), mode="mirror") / 9).astype(int)
        emboss = np.array([[-2, -1, 0], [-1, 1, 1], [0, 1, 2]])
        lit = ndimage.correlate(equalised(level[None])[0], emboss, mode="mirror")
        expected = ndimage.uniform_filter(np.clip(lit, 0, 1), 3, mode="mirror")
        np.testing.assert_allclose(ours, expected, atol=1e-5)


def test_equalised_is_the_share_of_pixels_below(random):
    levels = random.integers(2, 9, (3, 5, 7))
    levels[1] = 4
    ours = equalised(levels)
    for image, out in zip(levels[[0, 2]], ours[[0, 2]], strict=True):
        lowest = (image == image.min()).sum()
        for level in np.unique(image):
            share = ((image <= level).sum() - lowest) / (image.size - lowest)
            np.testing.assert_allclose(out[image == level], share, atol=1e-6)
    assert not ours[1].any()
