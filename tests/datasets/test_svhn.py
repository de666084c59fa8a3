"""Street View House Numbers: MATLAB files, axes and digits put right."""

import numpy as np
import pytest
from scipy.io import savemat
from tests.datasets import made

from pseudocore.datasets import Svhn
from pseudocore.errors import UserError


@pytest.fixture
def folder(tmp_path):
    made.svhn(tmp_path)
    return tmp_path


@pytest.mark.parametrize("compressed", [True, False])
def test_axes_are_turned_and_ten_is_zero(tmp_path, compressed):
    train, test = made.svhn(tmp_path, compressed)
    raw = Svhn(str(tmp_path)).read()
    for part, expected in ((raw.train, train), (raw.test, test)):
        np.testing.assert_array_equal(part.values, expected.values)
        np.testing.assert_array_equal(part.labels, expected.labels)
    assert raw.classes == tuple("0123456789")
    assert raw.channels == "RGB"
    assert raw.train.values.dtype == np.uint8


def test_a_pixel_lands_at_its_row_column_and_channel(folder):
    held = np.zeros((32, 32, 3, 2), np.uint8)
    held[4, 9, 2, 1] = 77
    savemat(folder / "test_32x32.mat", {"X": held, "y": np.array([[10], [3]], np.uint8)})
    test = Svhn(str(folder)).read().test
    assert test.values[1, 4, 9, 2] == 77
    assert test.values.sum() == 77
    np.testing.assert_array_equal(test.labels, [0, 3])


@pytest.mark.parametrize("name", ["train_32x32.mat", "test_32x32.mat"])
def test_a_missing_file_is_named_with_the_remedy(folder, name):
    (folder / name).unlink()
    with pytest.raises(UserError, match=rf"no .*{name}.*data get svhn.*--data svhn:FOLDER"):
        Svhn(str(folder)).read()


@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.parametrize("share", [0.0, 0.001, 0.05, 0.5, 0.99, 0.9999])
def test_a_file_that_is_cut_short_is_named(tmp_path, compressed, share):
    made.svhn(tmp_path, compressed)
    file = tmp_path / "train_32x32.mat"
    content = file.read_bytes()
    file.write_bytes(content[: int(share * len(content))])
    with pytest.raises(UserError, match=r"(?s)train_32x32\.mat .*Fetch it again"):
        Svhn(str(tmp_path)).read()


def test_a_damaged_file_is_named(folder):
    (folder / "train_32x32.mat").write_bytes(np.random.default_rng(0).bytes(5000))
    with pytest.raises(UserError, match=r"(?s)train_32x32\.mat is cut short or damaged .*again"):
        Svhn(str(folder)).read()


@pytest.mark.parametrize(
    "held",
    [
        {"y": np.ones((4, 1))},
        {"X": made.levels(0, 32, 32, 3, 4)},
        {"X": made.levels(0, 32, 32, 3, 4) / 255, "y": np.ones((4, 1))},
        {"X": made.levels(0, 32, 32, 12), "y": np.ones((4, 1))},
    ],
    ids=["no pixels", "no labels", "floats", "three axes"],
)
def test_other_contents_are_named(folder, held):
    savemat(folder / "train_32x32.mat", held)
    with pytest.raises(UserError, match=r"has no bytes X \(32, 32, 3, n\) with labels y"):
        Svhn(str(folder)).read()


def test_labels_beyond_the_digits_are_refused(folder):
    """11 is no digit, and must not become the 1."""
    labels = np.array([[11]] + [[digit] for digit in range(10)])
    savemat(folder / "train_32x32.mat", {"X": made.levels(0, 32, 32, 3, 11), "y": labels})
    with pytest.raises(UserError, match="labels hold 11"):
        Svhn(str(folder)).load()
