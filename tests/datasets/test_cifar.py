"""CIFAR-10 is read as its authors lay it out: a label, then red, green and blue, row by row."""

import numpy as np
import pytest

from pseudocore.datasets import Cifar10
from pseudocore.datasets.cifar import PIXELS
from pseudocore.errors import UserError

RECORD = 1 + PIXELS
NAMES = [*(f"data_batch_{i}.bin" for i in range(1, 6)), "test_batch.bin"]
MEAN, DEVIATION = (0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010)


def levels(rng):
    """Red, green and blue planes."""
    return rng.integers(0, 256, (3, 32, 32), dtype=np.uint8)


def record(label, planes):
    return bytes([label]) + planes.tobytes()


def pixels(part, split):
    return split.preprocess.undo(np.asarray(part.x))


@pytest.fixture
def folder(tmp_path):
    """Six files of ten points, one of every class."""
    rng = np.random.default_rng(0)
    for name in NAMES:
        (tmp_path / name).write_bytes(b"".join(record(c, levels(rng)) for c in range(10)))
    return tmp_path


def test_a_pixel_lands_at_its_row_column_and_channel(folder):
    planes = np.zeros((3, 32, 32), np.uint8)
    planes[0, 2, 5], planes[1, 31, 0], planes[2, 7, 30] = 255, 51, 102
    (folder / "test_batch.bin").write_bytes(record(3, planes))
    split = Cifar10(str(folder)).load()
    expected = np.zeros((32, 32, 3))
    expected[2, 5, 0], expected[31, 0, 1], expected[7, 30, 2] = 1, 0.2, 0.4
    assert split.test.x.shape == (1, 32, 32, 3)
    np.testing.assert_array_equal(split.test.y.argmax(-1), [3])
    np.testing.assert_allclose(pixels(split.test, split)[0], expected, atol=1e-6)


def test_the_constants_are_the_papers(folder):
    content = np.frombuffer((folder / "test_batch.bin").read_bytes(), np.uint8)
    red = content.reshape(10, RECORD)[:, 1 : 1 + 1024].reshape(10, 32, 32) / 255
    split = Cifar10(str(folder)).load()
    assert split.preprocess.standardise.mean == MEAN
    assert split.preprocess.standardise.deviation == DEVIATION
    np.testing.assert_allclose(split.test.x[..., 0], (red - 0.4914) / 0.2023, atol=1e-5)


def test_train_is_all_five_files_in_order(folder):
    split = Cifar10(str(folder), held_out=0.0).load()
    labels = np.asarray(split.train.y).argmax(-1)
    np.testing.assert_array_equal(labels, np.tile(np.arange(10), 5))
    images = np.rint(255 * pixels(split.train, split)).astype(np.uint8)
    for i, name in enumerate(NAMES[:5]):
        planes = images[10 * i : 10 * i + 10].transpose(0, 3, 1, 2)
        content = b"".join(record(c, p) for c, p in enumerate(planes))
        assert content == (folder / name).read_bytes()


def test_a_part_of_every_class_is_held_out(folder):
    split = Cifar10(str(folder), held_out=0.2).load()
    np.testing.assert_array_equal(split.held_out.y.sum(0), np.full(10, 1.0))
    np.testing.assert_array_equal(split.train.y.sum(0), np.full(10, 4.0))
    again, other = (Cifar10(str(folder), held_out=0.2, seed=seed).load() for seed in (0, 1))
    np.testing.assert_array_equal(again.held_out.x, split.held_out.x)
    assert not np.array_equal(other.held_out.x, split.held_out.x)
    for part in (split.train, split.held_out, split.test):
        assert float(part.mass) == pytest.approx(1)


@pytest.mark.parametrize("name", [NAMES[0], NAMES[4], NAMES[5]])
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    with pytest.raises(UserError, match=rf"no .*{name}.*cifar-10-binary.*--data cifar10:FOLDER"):
        Cifar10(str(folder)).load()


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(
        UserError, match=r"no .*none.data_batch_1\.bin.*pseudocore data get cifar10"
    ):
        Cifar10(str(tmp_path / "none")).load()


@pytest.mark.parametrize("size", [0, 1, RECORD - 1, 10 * RECORD - 1, 10 * RECORD + 1])
def test_a_truncated_file_is_named(folder, size):
    path = folder / "data_batch_3.bin"
    path.write_bytes((path.read_bytes() + b"\0")[:size])
    with pytest.raises(UserError, match=rf"data_batch_3\.bin has {size} bytes.*Fetch it again"):
        Cifar10(str(folder)).load()


@pytest.mark.parametrize(("name", "part"), [(NAMES[1], "train"), (NAMES[5], "test")])
def test_a_label_beyond_the_ten_classes_is_named(folder, name, part):
    """The files of CIFAR-100 can have a fitting length."""
    content = bytearray((folder / name).read_bytes())
    content[4 * RECORD] = 10
    (folder / name).write_bytes(content)
    with pytest.raises(UserError, match=rf"The {part} labels hold 10: for 10 classes"):
        Cifar10(str(folder)).load()
