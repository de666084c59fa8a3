"""What `data check` says of a dataset: counts, copies, and whether it is the published one."""

import dataclasses
import json

import numpy as np
import pytest
from tests.datasets import made

from pseudocore.datasets import Digits
from pseudocore.datasets.base import Raw
from pseudocore.datasets.inspect import inspect
from pseudocore.datasets.known import KNOWN
from pseudocore.datasets.parts import Part
from pseudocore.errors import UserError

CLASSES = ("ape", "bee", "cat")


def raw(**changes):
    train = made.levels(0, 9, 4, 5, 3)
    labels = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2], np.int32)
    test = made.levels(1, 4, 4, 5, 3)
    held = Raw(Part(train, labels), Part(test, np.array([0, 1, 2, 2], np.int32)), CLASSES, "RGB")
    return dataclasses.replace(held, **changes)


def order(part, index):
    return Part(part.values[index], part.labels[index])


def with_pixel(part):
    values = part.values.copy()
    values[2, 1, 3, 0] ^= 1
    return Part(values, part.labels)


def with_label(part):
    labels = part.labels.copy()
    labels[0] = 1
    return Part(part.values, labels)


def test_counts_shape_and_statistics():
    found = inspect(raw(notes=("a note",)), "Folder", None)
    assert found.counts == {
        "train": {"ape": 4, "bee": 3, "cat": 2},
        "test": {"ape": 1, "bee": 1, "cat": 2},
    }
    assert (found.totals, found.shape, found.channels) == ((9, 4), (4, 5, 3), "RGB")
    assert (found.kind, found.name, found.faults, found.notes) == ("Folder", None, (), ("a note",))
    pixels = raw().train.values / 255
    np.testing.assert_allclose(found.mean, pixels.mean((0, 1, 2)), rtol=1e-12)
    np.testing.assert_allclose(found.deviation, pixels.std((0, 1, 2)), rtol=1e-12)


def test_a_class_that_is_not_tested_counts_nothing():
    test = Part(raw().test.values[:1], np.array([0]))
    assert inspect(raw(test=test), "it", None).counts["test"] == {"ape": 1, "bee": 0, "cat": 0}


def test_copies_are_counted_within_and_across():
    whole = raw()
    assert set(inspect(whole, "it", None).doubles.values()) == {0}
    train = order(whole.train, [0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 1])
    values = np.concatenate([whole.test.values, whole.test.values[:1], whole.train.values[:2]])
    test = Part(values, np.array([0, 1, 2, 2, 0, 0, 0]))
    assert inspect(raw(train=train, test=test), "it", None).doubles == {
        "within train": 3,
        "within test": 1,
        "of test in train": 2,
    }


def test_a_copy_under_another_label_is_a_copy():
    whole = raw()
    test = Part(whole.train.values[:1], np.array([2]))
    assert inspect(raw(test=test), "it", None).doubles["of test in train"] == 1


def test_content_is_that_of_the_points_in_any_order():
    whole = raw()
    base = inspect(whole, "it", None).content
    turned = raw(
        train=order(whole.train, np.random.default_rng(0).permutation(9)),
        test=order(whole.test, [3, 2, 1, 0]),
        classes=("x", "y", "z"),
        notes=("other",),
    )
    assert inspect(turned, "other", None).content == base
    wide = raw(train=Part(whole.train.values, whole.train.labels.astype(np.int64)))
    assert inspect(wide, "it", None).content == base


@pytest.mark.parametrize(
    "change",
    [
        lambda r: {"train": with_pixel(r.train)},
        lambda r: {"train": with_label(r.train)},
        lambda r: {"test": with_pixel(r.test)},
        lambda r: {"test": with_label(r.test)},
        lambda r: {"train": order(r.train, [0, 1, 2, 3, 4, 5, 6, 7, 8, 8])},
        lambda r: {"train": order(r.train, [1, 2, 3, 4, 5, 6, 7, 8])},
        lambda r: {"train": order(r.test, [0, 1, 2, 3]), "test": order(r.train, range(9))},
        lambda r: {"train": Part(r.train.values, r.train.labels[[1, 0, 2, 4, 3, 5, 6, 7, 8]])},
    ],
    ids=[
        "a pixel",
        "a label",
        "a pixel of test",
        "a label of test",
        "a copy more",
        "a point less",
        "parts exchanged",
        "labels exchanged",
    ],
)
def test_content_sees_every_change(change):
    whole = raw()
    other = raw(**change(whole))
    assert inspect(other, "it", None).content != inspect(whole, "it", None).content


KNOWN_DIGITS = dataclasses.replace(KNOWN["mnist"], counts=(1347, 450), shape="8 x 8", mean=())


@pytest.fixture
def digits(monkeypatch):
    """The digits as if they were published with this content."""
    held = Digits().read()
    found = inspect(held, "Digits", None)
    monkeypatch.setitem(
        KNOWN, "box", dataclasses.replace(KNOWN_DIGITS, mean=found.mean, content=found.content)
    )
    return held


def test_the_content_names_the_dataset(digits):
    for said in (None, "mnist", "box"):
        found = inspect(digits, "Digits", said)
        assert (found.name, found.faults) == ("box", ())


def test_faults_against_a_published_set(digits):
    values = digits.train.values.copy()
    values[0, 0, 0] += 1 / 16
    one = dataclasses.replace(digits, train=Part(values, digits.train.labels))
    assert inspect(one, "it", "box").faults == (
        "single points or labels differ from those published",
    )
    brighter = dataclasses.replace(
        digits, train=Part(digits.train.values + 0.001, digits.train.labels)
    )
    (fault,) = inspect(brighter, "it", "box").faults
    mean = digits.train.values.mean()
    assert fault == f"its channel means are {mean + 0.001:.4f}, published are {mean:.4f}"
    fewer = dataclasses.replace(digits, test=order(digits.test, range(449)))
    assert inspect(fewer, "it", "box").faults == (
        "it has 1347 + 449 points, published are 1347 + 450",
    )


def test_other_classes_and_channels_are_faults():
    found = inspect(raw(), "Cifar10", "mnist")
    assert found.name == "mnist"
    points, classes, means = found.faults
    assert points == "it has 9 + 4 points, published are 60000 + 10000"
    assert classes == "it has 3 classes, published are 10"
    assert means.startswith("its channel means are 0.")
    assert means.endswith("published are 0.1307")


def test_what_is_unknown_has_no_faults():
    assert inspect(raw(), "Folder", None).faults == ()


def test_what_cannot_be_counted_is_refused_in_words():
    for labels, said in (
        (np.array(["ape"] * 9), "labels are text"),
        (np.array([0] * 8 + [3]), "labels hold 3"),
        (np.zeros(8, int), "9 train points but labels of shape"),
        (np.zeros(9, int), "no points of 2 of its classes: bee, cat"),
    ):
        with pytest.raises(UserError, match=said):
            inspect(raw(train=Part(raw().train.values, labels)), "it", None)


def test_it_goes_into_json():
    found = inspect(raw(), "Folder", None)
    back = json.loads(json.dumps(found.to_json()))
    assert back["counts"] == found.counts
    assert tuple(back["mean"]) == found.mean
    assert back["content"] == found.content
