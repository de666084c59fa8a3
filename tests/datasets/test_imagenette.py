"""ImageNette is its second version, whole, or refused."""

import shutil

import numpy as np
import pytest
from tests.datasets import made

from pseudocore.datasets import Folder, ImageNette, Squash, named
from pseudocore.errors import UserError

TINY = Squash(4)


@pytest.fixture(scope="module")
def raw(imagenette):
    return ImageNette(str(imagenette), TINY).read()


@pytest.fixture
def small(tmp_path):
    return made.imagenette(tmp_path, 20, 10)


def test_all_pictures_are_read_with_the_names_of_their_classes(raw):
    assert (len(raw.train), len(raw.test)) == (9469, 3925)
    assert raw.classes[:3] == ("tench", "English springer", "cassette player")
    assert raw.classes[-1] == "parachute"
    counts = np.bincount(raw.train.labels)
    np.testing.assert_array_equal(counts, [947] * 9 + [946])
    assert raw.train.values.shape == (9469, 4, 4, 3)


def test_the_constants_are_imagenets(raw):
    assert raw.standardise.mean == (0.485, 0.456, 0.406)
    assert raw.standardise.deviation == (0.229, 0.224, 0.225)
    assert ImageNette().resize == Squash(128)


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ((20, 10), r"has 20 training and 10 validation.* 9469 and 3925\. Fetch"),
        ((20, 500), r"20 training and 500 .*3925\. That is the split of version 1"),
    ],
    ids=["a copy of a part", "version 1"],
)
def test_other_counts_are_named(tmp_path, counts, said):
    made.imagenette(tmp_path, *counts)
    with pytest.raises(UserError, match=rf"{said}.*data get imagenette"):
        ImageNette(str(tmp_path)).read()


def test_the_remedy_for_other_counts_works(small):
    """What the message says to type must not end in the same message."""
    with pytest.raises(UserError) as error:
        ImageNette(str(small)).read()
    assert f"--data {small}." in str(error.value)
    data = named(str(small))
    assert type(data) is Folder
    assert len(data.read().train) == 20


@pytest.mark.parametrize("part", ["train", "val"])
def test_foreign_classes_are_named(small, part):
    (small / part / "n03888257").rename(small / part / "n02086240")
    with pytest.raises(UserError, match=r"not the ten classes of ImageNette .*\(n02086240, n0388"):
        ImageNette(str(small)).read()


def test_a_missing_part_is_named(small):
    shutil.rmtree(small / "val")
    with pytest.raises(UserError, match="not the ten classes of ImageNette in train and val"):
        ImageNette(str(small)).read()


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(UserError, match=r"no .*none.*data get imagenette"):
        ImageNette(str(tmp_path / "none")).read()
