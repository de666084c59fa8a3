"""Both CIFARs are read as their authors lay them out, or from class folders without loss."""

import pickle
import shutil

import numpy as np
import pytest
from tests.datasets import made

from pseudocore.datasets import Cifar10, Cifar100
from pseudocore.datasets.cifar import PIXELS
from pseudocore.datasets.inspect import inspect
from pseudocore.datasets.names import CIFAR10, CIFAR100
from pseudocore.errors import UserError

RECORD = 1 + PIXELS
NAMES = [*(f"data_batch_{i}.bin" for i in range(1, 6)), "test_batch.bin"]
MEAN, DEVIATION = (0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010)


def record(label, planes):
    return bytes([label]) + planes.tobytes()


def pixels(part, split):
    return split.preprocess.undo(np.asarray(part.x))


@pytest.fixture
def folder(tmp_path):
    """Six files of ten points, one of every class."""
    made.cifar10(tmp_path)
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


@pytest.fixture(scope="module")
def ten(tmp_path_factory):
    """The binary files, and the points in them."""
    folder = tmp_path_factory.mktemp("ten")
    return folder, *made.cifar10(folder)


@pytest.fixture(scope="module")
def hundred(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hundred")
    return folder, *made.cifar100(folder)


@pytest.fixture
def pictures(ten, tmp_path):
    """The same points as PNG files in class folders."""
    _, train, test = ten
    return made.class_folders(tmp_path / "png", {"train": train, "test": test}, CIFAR10)


def test_the_fine_label_is_the_second_byte(hundred):
    folder, train, test = hundred
    raw = Cifar100(str(folder)).read()
    for part, expected in ((raw.train, train), (raw.test, test)):
        np.testing.assert_array_equal(part.values, expected.values)
        np.testing.assert_array_equal(part.labels, expected.labels)
    assert raw.classes == CIFAR100
    assert (len(raw.classes), raw.classes[0], raw.classes[99]) == (100, "apple", "worm")
    assert raw.standardise.mean == MEAN, "the paper's code takes one set of constants for both"


@pytest.mark.parametrize(
    ("kind", "given", "names"), [(Cifar10, "ten", CIFAR10), (Cifar100, "hundred", CIFAR100)]
)
def test_class_folders_hold_the_same_points(kind, given, names, request, tmp_path):
    folder, train, test = request.getfixturevalue(given)
    made.class_folders(tmp_path, {"train": train, "test": test}, names)
    binary, pictures = kind(str(folder)).read(), kind(str(tmp_path)).read()
    for part in ("train", "test"):
        one, other = (
            made.multiset(*vars(getattr(raw, part)).values()) for raw in (binary, pictures)
        )
        assert one == other
    assert pictures.classes == binary.classes == names
    assert (pictures.standardise, pictures.channels) == (binary.standardise, binary.channels)
    assert pictures.notes == ()
    contents = {inspect(raw, "it", None).content for raw in (binary, pictures)}
    assert len(contents) == 1


@pytest.mark.parametrize("suffix", ["jpg", "jpeg", "JPG"])
def test_copies_as_jpeg_are_refused_with_what_to_do(pictures, suffix):
    file = pictures / "test" / "cat" / f"copy.{suffix}"
    made.put(file, made.jpeg(made.levels(0, 32, 32, 3)))
    with pytest.raises(
        UserError, match=rf"copy\.{suffix} is a JPEG.*data get cifar10.*--data .*png"
    ):
        Cifar10(str(pictures)).read()


@pytest.mark.parametrize("part", ["train", "test"])
def test_other_classes_are_refused(pictures, part):
    (pictures / part / "cat").rename(pictures / part / "lion")
    with pytest.raises(UserError, match=r"class folders .* not those of cifar10 \('cat'.*--data"):
        Cifar10(str(pictures)).read()


def test_class_folders_without_a_test_part_are_refused(pictures):
    shutil.rmtree(pictures / "test")
    with pytest.raises(UserError, match="not those of cifar10"):
        Cifar10(str(pictures)).read()


@pytest.mark.parametrize(
    ("kind", "given", "inside"),
    [(Cifar10, "ten", "cifar-10-batches-bin"), (Cifar100, "hundred", "cifar-100-binary")],
)
def test_the_folder_that_the_archive_unpacks_to_may_lie_inside(
    kind, given, inside, request, tmp_path
):
    folder, train, _ = request.getfixturevalue(given)
    shutil.copytree(folder, tmp_path / inside)
    np.testing.assert_array_equal(kind(str(tmp_path)).read().train.values, train.values)


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize(
    ("kind", "unpacks_to", "files", "archive"),
    [
        (
            Cifar10,
            "cifar-10-batches-py",
            ("data_batch_1", "test_batch", "batches.meta"),
            "cifar-10-binary.tar.gz",
        ),
        (Cifar100, "cifar-100-python", ("train", "test", "meta"), "cifar-100-binary.tar.gz"),
    ],
)
def test_pickles_are_refused_and_not_opened(
    kind, unpacks_to, files, archive, inside, tmp_path, capsys
):
    folder = tmp_path / unpacks_to if inside else tmp_path
    for file in files:
        made.put(folder / file, pickle.dumps(made.Trap()))
    with pytest.raises(UserError, match=rf"are pickles.*would run code.*{archive}.*data get"):
        kind(str(tmp_path)).read()
    assert capsys.readouterr().out == ""


def test_pickles_beside_the_binary_version_do_no_harm(ten, tmp_path):
    folder, train, _ = ten
    shutil.copytree(folder, tmp_path / "both")
    made.put(tmp_path / "both" / "data_batch_1", pickle.dumps(made.Trap()))
    raw = Cifar10(str(tmp_path / "both")).read()
    np.testing.assert_array_equal(raw.train.values, train.values)


def test_the_files_of_the_other_cifar_are_refused(ten, hundred, tmp_path):
    """A record of CIFAR-100 is a byte longer."""
    shutil.copy(hundred[0] / "train.bin", tmp_path / "data_batch_1.bin")
    with pytest.raises(UserError, match="not a multiple of 3073"):
        Cifar10(str(tmp_path)).read()
    shutil.copy(ten[0] / "data_batch_1.bin", tmp_path / "train.bin")
    with pytest.raises(UserError, match="not a multiple of 3074"):
        Cifar100(str(tmp_path)).read()
