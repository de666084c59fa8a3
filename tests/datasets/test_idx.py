"""MNIST and Fashion-MNIST: IDX files, whole or refused."""

import gzip
import struct

import numpy as np
import pytest
from tests.datasets import made

from pseudocore.datasets import FashionMnist, Mnist
from pseudocore.errors import UserError

IMAGES, LABELS = "train-images-idx3-ubyte", "train-labels-idx1-ubyte"


@pytest.fixture
def folder(tmp_path):
    made.mnist(tmp_path)
    return tmp_path


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize(
    ("kind", "first", "last"), [(Mnist, "0", "9"), (FashionMnist, "T-shirt/top", "Ankle boot")]
)
def test_points_and_labels_are_as_written(tmp_path, kind, first, last, packed):
    train, test = made.mnist(tmp_path, packed)
    raw = kind(str(tmp_path)).read()
    for part, expected in ((raw.train, train), (raw.test, test)):
        np.testing.assert_array_equal(part.values, expected.values[..., None])
        np.testing.assert_array_equal(part.labels, expected.labels)
    assert (raw.classes[0], raw.classes[-1], len(raw.classes)) == (first, last, 10)
    assert (raw.channels, raw.white, raw.standardise) == ("gray", 255, None)


def test_a_byte_is_where_the_format_puts_it(folder):
    """Row by row behind 16 bytes of header, the label behind 8."""
    content = bytearray((folder / IMAGES).read_bytes())
    content[16 + 3 * 784 + 5 * 28 + 7] = 200
    (folder / IMAGES).write_bytes(content)
    labels = bytearray((folder / LABELS).read_bytes())
    labels[8 + 3] = 9
    (folder / LABELS).write_bytes(labels)
    train = Mnist(str(folder)).read().train
    assert train.values[3, 5, 7, 0] == 200
    assert train.labels[3] == 9


def test_packed_and_plain_files_may_be_mixed_and_named_as_some_tools_do(folder):
    before = Mnist(str(folder)).read().train
    (folder / IMAGES).rename(folder / "train-images.idx3-ubyte")
    plain = folder / LABELS
    made.put(folder / f"{LABELS}.gz", gzip.compress(plain.read_bytes()))
    plain.unlink()
    after = Mnist(str(folder)).read().train
    np.testing.assert_array_equal(after.values, before.values)
    np.testing.assert_array_equal(after.labels, before.labels)


def test_a_plain_file_under_the_name_of_a_packed_one_is_read(folder):
    """Browsers unpack what they fetch and leave the name."""
    before = Mnist(str(folder)).read().train.labels
    (folder / LABELS).rename(folder / f"{LABELS}.gz")
    np.testing.assert_array_equal(Mnist(str(folder)).read().train.labels, before)


@pytest.mark.parametrize("name", [IMAGES, LABELS, "t10k-images-idx3-ubyte"])
@pytest.mark.parametrize(("kind", "get"), [(Mnist, "mnist"), (FashionMnist, "fashion-mnist")])
def test_a_missing_file_is_named_with_the_remedy(folder, name, kind, get):
    (folder / name).unlink()
    said = rf"no .*{name}, nor .*\.gz.*data get {get}, or name .*--data {get}:FOLDER"
    with pytest.raises(UserError, match=said):
        kind(str(folder)).read()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is no IDX file of bytes: it begins with "),
        (b"\0\0\x08", "is no IDX file of bytes: it begins with 000008"),
        (b"<html>not found</html>", "is no IDX file of bytes: it begins with 3c68746d"),
        (b"\0\0\x0d\x03" + bytes(12), "is no IDX file of bytes: it begins with 00000d03"),
        (b"\0\0\x08\x03\0\0", "cut short or damaged"),
        (b"\0\0\x08\x03" + bytes(8), "cut short or damaged"),
        (struct.pack(">BBBB3I", 0, 0, 8, 3, 2**31, 2**31, 4), "cut short or damaged"),
        (made.idx(made.levels(0, 2, 28, 28)) + b"\0", "should hold 2 x 28 x 28 bytes, and holds"),
        (made.idx(made.levels(0, 2, 28, 28))[:-1], "should hold 2 x 28 x 28 .* holds 1567"),
        (made.idx(made.levels(0, 20, 28)), r"holds shape \(20, 28\).*expected images"),
        (made.idx(made.levels(0, 20))[:4], "cut short or damaged"),
    ],
    ids=[
        "empty",
        "three bytes",
        "a web page",
        "floats",
        "half a header",
        "a header without its end",
        "more points than numbers",
        "a byte too many",
        "a byte too few",
        "two dimensions",
        "no sizes",
    ],
)
def test_a_file_that_is_not_whole_is_named(folder, content, said):
    (folder / IMAGES).write_bytes(content)
    with pytest.raises(UserError, match=rf"(?s)idx3-ubyte.*{said}.*[Ff]etch (it|them) again"):
        Mnist(str(folder)).read()


@pytest.mark.parametrize("share", [0.0005, 0.01, 0.5, 0.9999])
def test_half_a_download_is_named(tmp_path, share):
    made.mnist(tmp_path, packed=True)
    file = tmp_path / f"{IMAGES}.gz"
    content = file.read_bytes()
    file.write_bytes(content[: max(3, int(share * len(content)))])
    with pytest.raises(UserError, match=r"idx3-ubyte\.gz is cut short or damaged.*Fetch it again"):
        Mnist(str(tmp_path)).read()


@pytest.mark.parametrize("place", [15, 300, -6], ids=["in the stream", "further on", "in the sum"])
def test_a_flipped_bit_is_found(tmp_path, place):
    made.mnist(tmp_path, packed=True)
    file = tmp_path / f"{LABELS}.gz"
    image = tmp_path / f"{IMAGES}.gz"
    for one in (file, image):
        content = bytearray(one.read_bytes())
        content[min(place, len(content) - 1)] ^= 16
        one.write_bytes(content)
    with pytest.raises(UserError, match=r"ubyte\.gz is cut short or damaged"):
        Mnist(str(tmp_path)).read()


def test_labels_that_do_not_fit_the_images_are_refused(folder):
    (folder / LABELS).write_bytes(made.idx(np.zeros(19)))
    with pytest.raises(UserError, match=r"20 train points but labels of shape \(19,\)"):
        Mnist(str(folder)).load()
    (folder / LABELS).write_bytes((folder / IMAGES).read_bytes())
    with pytest.raises(UserError, match="expected images and one label each"):
        Mnist(str(folder)).read()
