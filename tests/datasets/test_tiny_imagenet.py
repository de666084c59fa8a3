"""Tiny ImageNet: the official 200 classes, whatever a copy added."""

import shutil

import numpy as np
import pytest
from tests.datasets import made

from pseudocore.datasets import Squash, TinyImageNet
from pseudocore.datasets.names import TINY_IMAGENET
from pseudocore.errors import UserError

TINY = Squash(4)


@pytest.fixture
def folder(tmp_path):
    return made.tiny_imagenet(tmp_path)


def read(folder):
    return TinyImageNet(str(folder), TINY).read()


def test_the_annotations_say_the_classes_of_val(folder):
    """Names and classes of val run against each other."""
    other = made.levels(5, 64, 64, 3)
    file = folder / "val" / "images" / "val_197.JPEG"
    file.unlink()
    made.put(file, made.jpeg(other))
    raw = read(folder)
    assert raw.classes == TINY_IMAGENET
    assert (len(raw.train), len(raw.test)) == (400, 200)
    np.testing.assert_array_equal(raw.train.labels, np.repeat(np.arange(200), 2))
    np.testing.assert_array_equal(raw.test.labels, np.arange(200))
    (different,) = np.flatnonzero((raw.test.values != raw.test.values[0]).any((1, 2, 3)))
    assert different == 3, "the annotations count down from 200"
    assert raw.notes == ("Pictures of 64 x 64 pixels were brought to 4 x 4 by Squash(4).",)
    assert TinyImageNet().resize == Squash(64)


def test_the_folder_that_the_archive_unpacks_to_may_lie_inside(tmp_path):
    made.tiny_imagenet(tmp_path / "tiny-imagenet-200")
    assert len(read(tmp_path).train) == 400


def test_val_may_lie_in_class_folders(folder):
    shutil.rmtree(folder / "val")
    for name in TINY_IMAGENET:
        made.linked(folder / "one.JPEG", folder / "val" / name / "1.JPEG")
    np.testing.assert_array_equal(read(folder).test.labels, np.arange(200))


def test_what_a_copy_added_is_left_out_and_a_note_says_so(tmp_path):
    made.tiny_imagenet(tmp_path, (*TINY_IMAGENET, "n99999999", "n00000001"))
    raw = read(tmp_path)
    assert (len(raw.classes), len(raw.train), len(raw.test)) == (200, 400, 200)
    assert raw.notes[-1] == (
        "Left out, for the official 200 classes do not have them: n00000001, n99999999."
    )


@pytest.mark.parametrize("part", ["train", "val"])
def test_a_missing_class_is_named(folder, part):
    if part == "train":
        shutil.rmtree(folder / "train" / "n02124075")
    else:
        listed = folder / "val" / "val_annotations.txt"
        lines = listed.read_text().splitlines(keepends=True)
        listed.write_text("".join(line for line in lines if "n02124075" not in line))
    with pytest.raises(UserError, match=r"lacks 1 of the 200 classes, n02124075 among them: fetch"):
        read(folder)


def test_a_missing_picture_of_val_is_named(folder):
    (folder / "val" / "images" / "val_197.JPEG").unlink()
    with pytest.raises(
        UserError, match=r"1 of 600 pictures .*val/images/val_197\.JPEG \(.*No such"
    ):
        read(folder)


@pytest.mark.parametrize("part", ["train", "val"])
def test_a_missing_part_is_named(folder, part):
    shutil.rmtree(folder / part)
    with pytest.raises(UserError, match=rf"no .*{part}.*data get tiny-imagenet"):
        read(folder)


def test_annotations_that_are_cut_short_are_named(folder):
    listed = folder / "val" / "val_annotations.txt"
    listed.write_text(listed.read_text() + "val_201.JPE")
    with pytest.raises(UserError, match=r"val_annotations\.txt, line 201 .*val_201\.JPE.*again"):
        read(folder)
