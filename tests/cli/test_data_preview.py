"""data preview: a picture of pictures, its rows and the names beside them."""

import numpy as np
import pytest
from PIL import Image

GREY = (128, 128, 128)
COLOURS = {"ant": (250, 0, 0), "buffalo": (0, 250, 0), "cat": (0, 0, 250)}
TILE, GAP, BETWEEN = 96, 4, 6  # 8 pixels are magnified 12 times; gaps across and down


@pytest.fixture
def folder(tmp_path):
    """Three classes, each of one colour; of the last there is only one picture in train."""
    for part, count in (("train", 5), ("test", 2)):
        for name, colour in COLOURS.items():
            place = tmp_path / "mine" / part / name
            place.mkdir(parents=True)
            for number in range(1 if (part, name) == ("train", "cat") else count):
                level = np.array(colour) * (part == "train") + number
                Image.fromarray(np.full((8, 8, 3), level, np.uint8)).save(place / f"{number}.png")
    return tmp_path / "mine"


@pytest.fixture
def out(tmp_path):
    return tmp_path / "deep" / "sheet.png"


def preview(call, data, out, *flags):
    told = call("data", "preview", data, "--data.resize", "Cover(8)", "--out", out, *flags)
    assert (told.code, told.out) == (0, ""), told.err
    assert f"The contact sheet is {out}." in told.err
    with Image.open(out) as sheet:
        assert (sheet.format, sheet.mode) == ("PNG", "RGBA")
        return np.asarray(sheet)


def margin_of(sheet, columns):
    return sheet.shape[1] - columns * TILE - (columns - 1) * GAP


def shown(sheet, margin, row, column):
    """The one colour of a tile; None where there is none."""
    top, left = row * (TILE + BETWEEN), margin + column * (TILE + GAP)
    tile = sheet[top : top + TILE, left : left + TILE]
    assert (tile == tile[0, 0]).all()
    return tuple(tile[0, 0, :3].tolist()) if tile[0, 0, 3] else None


@pytest.mark.parametrize("each", [1, 3, 9])
def test_a_row_a_class_with_its_name_beside_it(call, folder, out, each):
    sheet = preview(call, folder, out, "--each", each)
    columns = min(each, 5)
    margin = margin_of(sheet, columns)
    assert sheet.shape[0] == 3 * TILE + 2 * BETWEEN
    assert 50 < margin < 90  # the longest name, buffalo
    for row, colour in enumerate(COLOURS.values()):
        tiles = [shown(sheet, margin, row, column) for column in range(columns)]
        there = [tile for tile in tiles if tile]
        assert len(there) == (1 if row == 2 else columns)
        assert len(set(there)) == len(there)  # no picture twice
        for tile in there:
            assert np.argmax(tile) == np.argmax(colour)
        middle = row * (TILE + BETWEEN) + TILE // 2
        written = sheet[..., 3] * (np.arange(len(sheet))[:, None] // (TILE + BETWEEN) == row)
        lines, letters = np.nonzero(written[:, :margin])
        assert abs(lines.mean() - middle) < 6
        assert letters.min() > 0  # nothing is cut off
        assert margin - 12 < letters.max() < margin  # next to its row
        assert (sheet[lines, letters, :3] == GREY).all()


def test_the_test_part_and_another_seed(call, folder, out):
    sheet = preview(call, folder, out, "--part", "test", "--each", 2)
    margin = margin_of(sheet, 2)
    levels = [shown(sheet, margin, row, column) for row in range(3) for column in (0, 1)]
    assert levels == [(n, n, n) for _ in range(3) for n in (0, 1)]
    seeds = {preview(call, folder, out, "--each", 2, "--seed", n).tobytes() for n in range(9)}
    again = {preview(call, folder, out, "--each", 2, "--seed", n).tobytes() for n in range(9)}
    assert seeds == again
    assert len(seeds) > 1


def test_arrays_of_numbers_are_shown_too(call, tmp_path, out):
    x, y = np.linspace(0, 1, 6 * 64).reshape(6, 8, 8), np.arange(6) % 2
    np.savez(tmp_path / "mine.npz", x_train=x, y_train=y, x_test=x, y_test=y)
    told = call("data", "preview", tmp_path / "mine.npz", "--out", out)
    assert told.code == 0, told.err
    with Image.open(out) as sheet:
        assert sheet.height == 2 * TILE + BETWEEN
        corner = sheet.getpixel((sheet.width - 1, sheet.height - 1))
    assert corner == (255, 255, 255, 255)


def test_notes_are_said(call, folder, out):
    told = call("data", "preview", folder / "train", "--data.cut", 0.2, "--out", out)
    assert "Pictures of 8 x 8 pixels were brought to 32 x 32 by Cover(32)." in told.err
    assert "There is no test folder: 0.2 of every class, 2 pictures, is tested" in told.err


def test_what_is_no_picture_is_refused(call, refused, tmp_path, out):
    random, y = np.random.default_rng(0), np.arange(6) % 2
    for shape, said in (((5,), "(5,)"), ((8, 8, 2), "(8, 8, 2)"), ((8, 8, 3, 2), "(8, 8, 3, 2)")):
        x = random.random((6, *shape))
        np.savez(tmp_path / "mine.npz", x_train=x, y_train=y, x_test=x, y_test=y)
        told = call("data", "preview", tmp_path / "mine.npz", "--out", out)
        refused(told, f"Points of shape {said} are no pictures of 1 or 3 channels", "data check")
    assert not out.parent.exists()


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("--part val", "no part 'val'"),
        ("--part tets", "Did you mean 'test'?"),
        ("--each 0", "--each 0 must be at least 1"),
        ("--each -3", "--each -3 must be at least 1"),
        ("--seed -1", "--seed -1 at least 0"),
        ("--data.resize Cover(0)", "size=0 must be at least 1"),
        ("--data.resize Covr(3)", "Did you mean 'Cover'?"),
    ],
)
def test_wrong_flags_are_refused(call, refused, folder, out, flags, said):
    refused(call("data", "preview", folder, "--out", out, *flags.split()), said)
    assert not out.parent.exists()


def test_a_folder_in_the_way_is_named(call, refused, folder):
    (folder / "a.png").mkdir()
    there = folder / "a.png"
    refused(call("data", "preview", folder, "--out", there), f"{there} is in the way", "--out")
    (folder / "a.png").rmdir()


def test_what_is_written_is_a_png_and_called_so(call, refused, folder, tmp_path):
    words = "data", "preview", folder, "--out", tmp_path / "sheet.jpg"
    refused(call(*words), "sheet.jpg is no name of a PNG")
