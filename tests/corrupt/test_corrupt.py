"""What all 19 share: names, constants, seeds, blocks, and what is refused."""

import numpy as np
import pytest

from pseudocore.corrupt import BENCHMARK, CORRUPTIONS, EXTRA, SEVERITIES, corrupt
from pseudocore.errors import UserError

# Typed again from make_cifar_c.py's facts, not read from the package.
CONSTANTS = {
    "gaussian_noise": [0.04, 0.06, 0.08, 0.09, 0.1],
    "shot_noise": [500, 250, 100, 75, 50],
    "impulse_noise": [0.01, 0.02, 0.03, 0.05, 0.07],
    "defocus_blur": [(0.3, 0.4), (0.4, 0.5), (0.5, 0.6), (1, 0.2), (1.5, 0.1)],
    "glass_blur": [(0.05, 1, 1), (0.25, 1, 1), (0.4, 1, 1), (0.25, 1, 2), (0.4, 1, 2)],
    "motion_blur": [(6, 1), (6, 1.5), (6, 2), (8, 2), (9, 2.5)],
    "zoom_blur": [1.06, 1.11, 1.15, 1.2, 1.25],
    "snow": [
        (0.1, 0.2, 1, 0.6, 8, 3, 0.95),
        (0.1, 0.2, 1, 0.5, 10, 4, 0.9),
        (0.15, 0.3, 1.75, 0.55, 10, 4, 0.9),
        (0.25, 0.3, 2.25, 0.6, 12, 6, 0.85),
        (0.3, 0.3, 1.25, 0.65, 14, 12, 0.8),
    ],
    "frost": [(1, 0.2), (1, 0.3), (0.9, 0.4), (0.85, 0.4), (0.75, 0.45)],
    "fog": [(0.2, 3), (0.5, 3), (0.75, 2.5), (1, 2), (1.5, 1.75)],
    "brightness": [0.05, 0.1, 0.15, 0.2, 0.3],
    "contrast": [0.75, 0.5, 0.4, 0.3, 0.15],
    "elastic_transform": [
        (0, 0, 0.08),
        (0.05, 0.2, 0.07),
        (0.08, 0.06, 0.06),
        (0.1, 0.04, 0.05),
        (0.1, 0.03, 0.03),
    ],
    "pixelate": [0.95, 0.9, 0.85, 0.75, 0.65],
    "jpeg_compression": [80, 65, 58, 50, 40],
    "speckle_noise": [0.06, 0.1, 0.12, 0.16, 0.2],
    "gaussian_blur": [0.4, 0.6, 0.7, 0.8, 1],
    "spatter": [
        (0.62, 0.1, 0.7, 0.7, 0.5, 0),
        (0.65, 0.1, 0.8, 0.7, 0.5, 0),
        (0.65, 0.3, 1, 0.69, 0.5, 0),
        (0.65, 0.1, 0.7, 0.69, 0.6, 1),
        (0.65, 0.1, 0.5, 0.68, 0.6, 1),
    ],
    "saturate": [(0.3, 0), (0.1, 0), (1.5, 0), (2, 0.1), (2.5, 0.2)],
}
FIXED = {  # nothing is drawn
    "defocus_blur",
    "zoom_blur",
    "brightness",
    "contrast",
    "pixelate",
    "jpeg_compression",
    "gaussian_blur",
    "saturate",
}
# Not: glass (blur hides the shuffle), motion (3 to 4 is level), frost and elastic (one of their
# constants falls), spatter (water, then mud), saturate (less, then more).
MONOTONE = set(CONSTANTS) - {
    "glass_blur",
    "motion_blur",
    "frost",
    "elastic_transform",
    "spatter",
    "saturate",
}
every_name = pytest.mark.parametrize("name", CONSTANTS)
every_severity = pytest.mark.parametrize("severity", SEVERITIES)


def change(images: np.ndarray, name: str, severity: int) -> float:
    return np.abs(corrupt(images, name, severity, 0).astype(float) - images).mean()


def test_the_published_names_in_the_published_order():
    assert tuple(CORRUPTIONS) == tuple(CONSTANTS) == BENCHMARK + EXTRA
    assert (len(BENCHMARK), len(EXTRA), SEVERITIES) == (15, 4, (1, 2, 3, 4, 5))


@every_name
def test_the_constants_are_the_published_ones(name):
    rows = [row if isinstance(row, tuple) else (row,) for row in CONSTANTS[name]]
    assert CORRUPTIONS[name].constants == tuple(rows)


@every_name
@every_severity
def test_bytes_of_the_same_shape_the_same_for_a_seed(images, name, severity):
    before = images.copy()
    once, again = (corrupt(images, name, severity, 3) for _ in range(2))
    assert once.shape == images.shape
    assert once.dtype == np.uint8
    np.testing.assert_array_equal(once, again)
    np.testing.assert_array_equal(images, before)
    assert (once != images).any()


@every_name
def test_another_seed_is_another_draw_where_anything_is_drawn(images, name):
    same = np.array_equal(corrupt(images, name, 3, 0), corrupt(images, name, 3, 1))
    assert same == (name in FIXED)


@every_name
def test_a_block_of_1000_does_not_know_of_the_next(images, name):
    many = np.tile(images[:8, ::4, ::4], (150, 1, 1, 1))
    every = corrupt(many, name, 2, 0)
    np.testing.assert_array_equal(every[:1000], corrupt(many[:1000], name, 2, 0))
    if name not in FIXED:
        assert (every[1000:] != every[:200]).any()


def test_the_documented_seeds(images):
    random = np.random.default_rng([7, 2, 4, 0])  # seed, place, severity, block
    x = CORRUPTIONS["impulse_noise"](random, (images / 255).astype(np.float32), 4)
    np.testing.assert_array_equal(
        corrupt(images, "impulse_noise", 4, 7), (x * 255).astype(np.uint8)
    )


@pytest.mark.parametrize("name", sorted(FIXED))
def test_images_do_not_meet(images, name):
    alone = np.concatenate([corrupt(images[i : i + 1], name, 5, 0) for i in range(len(images))])
    np.testing.assert_array_equal(corrupt(images, name, 5, 0), alone)


@pytest.mark.parametrize("name", sorted(MONOTONE))
def test_a_higher_severity_changes_more(images, name):
    changes = [change(images[:9], name, severity) for severity in SEVERITIES]
    assert np.all(np.diff(changes) > 0), changes


@every_name
@every_severity
def test_sides_other_than_32(name, severity):
    for height, width in ((3, 3), (28, 20), (40, 64)):
        images = np.random.default_rng(0).integers(0, 256, (2, height, width, 3), np.uint8)
        assert corrupt(images, name, severity, 0).shape == images.shape


@every_name
def test_grey_images_are_the_first_channel_of_a_copy(images, name):
    grey = images[..., :1]
    out = corrupt(grey, name, 4, 0)
    copy = corrupt(np.repeat(grey, 3, axis=3), name, 4, 0)
    np.testing.assert_array_equal(out, copy[..., :1])
    if name == "saturate":
        np.testing.assert_array_equal(out, grey)


def test_no_images_are_no_images():
    assert corrupt(np.empty((0, 32, 32, 3), np.uint8), "fog", 1, 0).shape == (0, 32, 32, 3)


def test_what_is_refused(images):
    textures = images
    for wanted, call in {
        "Did you mean 'frost'": lambda: corrupt(images, "frots", 1, 0),
        "no severity 0": lambda: corrupt(images, "fog", 0, 0),
        "no severity 6": lambda: corrupt(images, "fog", 6, 0),
        "seed -1": lambda: corrupt(images, "fog", 1, -1),
        "float64": lambda: corrupt(images / 255, "fog", 1, 0),
        r"\(32, 32, 3\)": lambda: corrupt(images[0], "fog", 1, 0),
        "1 channel or 3": lambda: corrupt(images[..., :2], "fog", 1, 0),
        "2 x 32": lambda: corrupt(images[:, :2], "fog", 1, 0),
        "fog has no textures": lambda: corrupt(images, "fog", 1, 0, textures),
        "Give bytes": lambda: corrupt(images, "frost", 1, 0, textures / 255),
        "are empty": lambda: corrupt(images, "frost", 1, 0, textures[:0]),
    }.items():
        with pytest.raises(UserError, match=wanted):
            call()
