"""Brightness, saturation and contrast against their formulas, and their ranges."""

import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from PIL import Image, ImageEnhance
from scipy.stats import kstest

from pseudocore.augment import Color
from pseudocore.augment.color import brighten, contrast, saturate

IMAGES = jnp.asarray(np.random.default_rng(0).standard_normal((3, 4, 5, 3)), jnp.float32)
FACTORS = jnp.array([0.0, 0.7, 2.0])


def test_brightness_adds():
    np.testing.assert_array_equal(brighten(IMAGES, jnp.zeros(3)), IMAGES)
    expected = IMAGES + np.array([0.5, -0.25, 0])[:, None, None, None]
    np.testing.assert_allclose(brighten(IMAGES, jnp.array([0.5, -0.25, 0])), expected, rtol=1e-6)


def test_saturation_scales_each_pixel_about_its_own_mean():
    out = saturate(IMAGES, FACTORS)
    np.testing.assert_allclose(out.mean(3), IMAGES.mean(3), atol=1e-6)
    np.testing.assert_allclose(out.std(3), FACTORS[:, None, None] * IMAGES.std(3), atol=1e-6)


def test_contrast_scales_each_image_about_its_own_mean():
    out = contrast(IMAGES, FACTORS)
    np.testing.assert_allclose(out.mean((1, 2, 3)), IMAGES.mean((1, 2, 3)), atol=1e-6)
    np.testing.assert_allclose(out.std((1, 2, 3)), FACTORS * IMAGES.std((1, 2, 3)), atol=1e-6)


@pytest.mark.parametrize("change", [saturate, contrast])
def test_a_factor_of_one_changes_nothing(change):
    np.testing.assert_allclose(change(IMAGES, jnp.ones(3)), IMAGES, atol=1e-6)


def test_saturation_leaves_grey_alone():
    grey = IMAGES[..., :1]
    np.testing.assert_array_equal(saturate(grey, FACTORS), grey)


def test_contrast_of_grey_is_pillows():
    pixels = np.random.default_rng(1).integers(80, 170, (6, 6), dtype=np.uint8)
    pillow = np.asarray(ImageEnhance.Contrast(Image.fromarray(pixels)).enhance(1.4), float)
    ours = contrast(jnp.asarray(pixels, jnp.float32)[None, :, :, None], jnp.array([1.4]))
    np.testing.assert_allclose(ours[0, :, :, 0], pillow, atol=1.5)  # Pillow rounds, twice


def drawn(color: Color, image: jax.Array) -> np.ndarray:
    """The changed first value of 2000 copies of one image."""
    images = jnp.broadcast_to(image, (2000, *image.shape))
    return np.asarray(jax.jit(color)(jr.key(0), images)[:, 0, 0, 0])


COLOURFUL = jnp.array([[[1.0, -1.0]]])
GREY = jnp.array([[[1.0], [-1.0]]])


@pytest.mark.parametrize(
    ("color", "image", "low", "high"),
    [
        (Color(0.5, 0, 0), GREY - 1, -0.5, 0.5),
        (Color(0, 1, 0), COLOURFUL, 0, 2),
        (Color(0, 0.2, 0), COLOURFUL, 0.8, 1.2),
        (Color(0, 0, 0.5), GREY, 0.5, 1.5),
    ],
    ids=["brightness", "saturation", "less saturation", "contrast"],
)
def test_the_strength_is_uniform_in_its_interval(color, image, low, high):
    values = drawn(color, image)
    assert kstest(values, "uniform", (low, high - low)).pvalue > 1e-3


def test_published_strengths_are_the_defaults():
    assert Color() == Color(brightness=0.5, saturation=1.0, contrast=0.5)


def test_brightness_comes_before_contrast():
    """The image mean that contrast keeps is the brightened one: contrast cannot change it."""
    out = jax.jit(Color(0.5, 0, 0.5))(jr.key(0), jnp.ones((50, 2, 2, 1)))
    np.testing.assert_allclose(out.std((1, 2, 3)), 0, atol=1e-6)
    assert 0.5 <= out.min() < out.max() <= 1.5


def test_brightness_saturation_and_contrast_are_drawn_apart():
    images = jnp.broadcast_to(jnp.array([[[3.0, 1.0], [-1.0, -3.0]]]), (2000, 1, 2, 2))
    out = np.asarray(jax.jit(Color())(jr.key(0), images))[:, 0]
    bright = out.mean((1, 2))
    strong = (out[:, 0] - out[:, 1]).mean(1) / 4
    colourful = (out[:, 0, 0] - out[:, 0, 1]) / 2 / strong
    correlations = np.corrcoef([bright, strong, colourful]) - np.eye(3)
    assert np.abs(correlations).max() < 0.1
