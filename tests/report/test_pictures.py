import numpy as np
import pytest
from PIL import Image

from pseudocore.report.pictures import (
    HEADING,
    before_after,
    clipped_share,
    grid,
    save_png,
    to_display,
)


def flat(*levels: float, channels: int = 1) -> np.ndarray:
    """2x3 images of one level each."""
    return np.stack([np.full((2, 3, channels), level) for level in levels])


def test_one_image_a_class_makes_one_row_in_the_order_of_the_classes() -> None:
    picture = grid(flat(1.0, 0.0, 0.5), np.array([2, 0, 1]), scale=6)
    assert picture.size == (3 * 18 + 2 * 2, 12)
    assert [picture.getpixel((x, 5)) for x in (0, 20, 40)] == [
        (0, 0, 0, 255),
        (128, 128, 128, 255),
        (255, 255, 255, 255),
    ]
    assert picture.getpixel((18, 5)) == (0, 0, 0, 0)


def test_more_make_a_row_a_class_and_what_is_missing_is_clear() -> None:
    picture = grid(flat(0.0, 1.0, 1.0), np.array([0, 1, 0]), scale=6)
    assert picture.size == (2 * 18 + 2, 2 * 12 + 2)
    assert picture.getpixel((25, 5)) == (255, 255, 255, 255)
    assert picture.getpixel((5, 20)) == (255, 255, 255, 255)
    assert picture.getpixel((25, 20)) == (0, 0, 0, 0)


def test_every_pixel_becomes_a_crisp_square() -> None:
    image = np.array([[0.0, 1.0], [0.5, 0.25]])[None, :, :, None]
    shown = np.asarray(grid(image, np.array([0]), scale=5))[..., 0]
    expected = np.kron(np.array([[0, 255], [128, 64]]), np.ones((5, 5)))
    np.testing.assert_array_equal(shown, expected)


def test_colours_are_kept() -> None:
    image = np.zeros((1, 2, 2, 3))
    image[..., 0] = 1
    assert grid(image, np.array([0]), scale=1).getpixel((0, 0)) == (255, 0, 0, 255)


@pytest.mark.parametrize("level", [-0.1, 1.1, float("nan")])
def test_pixels_out_of_range_are_refused(level) -> None:
    with pytest.raises(ValueError, match="to_display"):
        grid(flat(level), np.array([0]))


def test_two_channels_are_refused() -> None:
    with pytest.raises(ValueError, match="channels, not 2"):
        grid(flat(0.0, channels=2), np.array([0]))


def test_to_display_clips_what_no_pixel_can_be() -> None:
    pixels = np.random.default_rng(0).uniform(size=(2, 4, 4, 3))
    np.testing.assert_array_equal(to_display(pixels), pixels)
    np.testing.assert_array_equal(to_display(np.full((1, 1, 1, 1), 9.0)), 1.0)
    np.testing.assert_array_equal(to_display(np.full((1, 1, 1, 1), -9.0)), 0.0)


@pytest.mark.parametrize(("side", "shown"), [(8, 96), (32, 96), (96, 96), (128, 128)])
def test_small_images_are_magnified_and_large_ones_stay(side, shown) -> None:
    image = np.zeros((1, side, side, 1))
    assert grid(image, np.array([0])).size == (shown, shown)


def test_clipped_share_counts_what_was_hidden() -> None:
    pixels = np.array([-0.5, 0.0, 1.0, 1.5]).reshape(1, 2, 2, 1)
    assert clipped_share(pixels) == 0.5


def test_before_stands_above_after() -> None:
    before, after = grid(flat(0.0), np.array([0]), 20), grid(flat(1.0), np.array([0]), 20)
    both = before_after(before, after)
    assert both.size == (60, 2 * (40 + HEADING))
    assert both.getpixel((5, HEADING + 5)) == (0, 0, 0, 255)
    assert both.getpixel((5, 2 * HEADING + 45)) == (255, 255, 255, 255)


def test_save_png_makes_the_folder(tmp_path) -> None:
    picture = grid(flat(0.5), np.array([0]), 4)
    save_png(tmp_path / "new" / "u.png", picture)
    with Image.open(tmp_path / "new" / "u.png") as read:
        assert np.array_equal(np.asarray(read), np.asarray(picture))
