"""A folder is known by what lies in it."""

import numpy as np
import pytest
from tests.datasets import made

from pseudocore.datasets import (
    Cifar10,
    Cifar100,
    FashionMnist,
    Folder,
    ImageNette,
    Mnist,
    Npy,
    Parquet,
    Svhn,
    TinyImageNet,
    named,
)
from pseudocore.datasets.names import CIFAR10, CIFAR100, TINY_IMAGENET
from pseudocore.datasets.recognise import SIGNS
from pseudocore.errors import UserError

KINDS = {
    "data_batch_1.bin": Cifar10,
    "cifar-10-batches-bin": Cifar10,
    "data_batch_1": Cifar10,
    "cifar-10-batches-py": Cifar10,
    "cifar-100-binary": Cifar100,
    "cifar-100-python": Cifar100,
    "fine_label_names.txt": Cifar100,
    "file.txt~": Cifar100,
    "train_32x32.mat": Svhn,
    "tiny-imagenet-200": TinyImageNet,
    "wnids.txt": TinyImageNet,
    "x_train.npy": Npy,
    "y_train.npy": Npy,
    "train-images-idx3-ubyte": Mnist,
    "train-images-idx3-ubyte.gz": Mnist,
    "train-images.idx3-ubyte": Mnist,
    "data/train-00000-of-00001.parquet": Parquet,
    "holiday.png": Folder,
}


def pictures(folder, part, classes, suffix="png"):
    for name in classes:
        made.put(folder / part / name / f"1.{suffix}", b"")


@pytest.mark.parametrize("sign", KINDS)
def test_every_sign_names_its_dataset(tmp_path, sign):
    made.put(tmp_path / sign, b"")
    data = named(str(tmp_path))
    assert data == KINDS[sign](str(tmp_path))


def test_every_sign_is_in_this_suite():
    assert {sign for sign, _ in SIGNS} <= set(KINDS)


@pytest.mark.parametrize(
    ("place", "kind"),
    [("fashion-mnist", FashionMnist), ("FashionMNIST/raw", FashionMnist), ("MNIST/raw", Mnist)],
)
def test_the_two_mnists_are_told_apart_by_their_folders(tmp_path, place, kind):
    made.mnist(tmp_path / place)
    assert type(named(str(tmp_path / place))) is kind


@pytest.mark.parametrize(
    ("classes", "kind"),
    [(CIFAR10, Cifar10), (CIFAR100, Cifar100), (TINY_IMAGENET, TinyImageNet)],
    ids=["cifar10", "cifar100", "tiny-imagenet"],
)
def test_the_classes_of_a_published_set_name_it(tmp_path, classes, kind):
    for part in ("train", "test"):
        pictures(tmp_path, part, classes)
    assert named(str(tmp_path)) == kind(str(tmp_path))
    pictures(tmp_path, "train", ["unicorn"])
    assert named(str(tmp_path)) == Folder(str(tmp_path))


@pytest.mark.parametrize("part", ["train", "test"])
@pytest.mark.parametrize("name", [CIFAR10[0], CIFAR10[7]])
def test_cifar_as_jpeg_is_a_folder_of_pictures(tmp_path, part, name):
    """Wherever the first of them lies: what refuses a copy says to read it as pictures."""
    for one in ("train", "test"):
        pictures(tmp_path, one, CIFAR10)
    pictures(tmp_path, part, [name], "jpg")
    assert named(str(tmp_path)) == Folder(str(tmp_path))
    with pytest.raises(UserError, match=rf"is a JPEG.*--data {tmp_path}\."):
        Cifar10(str(tmp_path)).read()


def test_cifar_with_fewer_classes_to_test_on_is_a_folder_of_pictures(tmp_path):
    pictures(tmp_path, "train", CIFAR10)
    pictures(tmp_path, "test", CIFAR10[1:])
    assert named(str(tmp_path)) == Folder(str(tmp_path))


@pytest.mark.parametrize("counts", [(9469, 3925), (9468, 3926), (12894, 500)])
def test_imagenette_is_known_by_its_counts_too(tmp_path, counts):
    made.imagenette(tmp_path, *counts)
    expected = ImageNette if counts == (9469, 3925) else Folder
    assert type(named(str(tmp_path))) is expected


def test_hidden_folders_hide_no_dataset(tmp_path):
    for part in ("train", "test"):
        pictures(tmp_path, part, (*CIFAR10, ".ipynb_checkpoints"))
    assert type(named(str(tmp_path))) is Cifar10


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UserError, match=r"no folder .*none\. Check the path"):
        named(str(tmp_path / "none"))


def test_what_is_recognised_is_read(tmp_path):
    """From the sign to the points."""
    train, _ = made.cifar100(tmp_path / "cifar-100-binary")
    np.testing.assert_array_equal(named(str(tmp_path)).read().train.labels, train.labels)
