"""The digits that ship are scikit-learn's, cut into three parts the same way every time."""

import hashlib
from importlib.resources import files

import numpy as np
import pytest
from sklearn.datasets import load_digits

from pseudocore.datasets import Digits
from pseudocore.errors import UserError

# Of the test points and their labels, a byte each, in order.
TEST_PART = "16b2273eb19cdb8483c3610c59a8884a6865c54866bc68849b391234c8e13736"


@pytest.fixture(scope="module")
def split():
    return Digits().load()


def counts(data, split):
    """The pixel counts 0..16 of the points, as whole numbers, each row ending in its label."""
    levels = split.preprocess.undo(np.asarray(data.x)).reshape(len(data), 64) * 16
    np.testing.assert_allclose(levels, np.rint(levels), atol=1e-4)
    return np.column_stack([np.rint(levels).astype(int), np.asarray(data.y).argmax(-1)])


def rows(data, split):
    """The points as a multiset."""
    return sorted(map(tuple, counts(data, split).tolist()))


def parts(split):
    return split.train, split.held_out, split.test


def test_all_parts_together_are_the_digits_of_scikit_learn(split):
    theirs = load_digits()
    ours = np.concatenate([counts(part, split) for part in parts(split)])
    expected = np.column_stack([theirs.data.astype(int), theirs.target])
    assert len(ours) == 1797
    assert sorted(map(tuple, ours.tolist())) == sorted(map(tuple, expected.tolist()))


def test_the_parts_share_no_point(split):
    """No two of the digits are equal, so that equal points would be one point twice."""
    seen = [set(rows(part, split)) for part in parts(split)]
    assert sum(map(len, seen)) == len(set.union(*seen)) == 1797


def test_every_part_has_its_share_of_every_class(split):
    classes = np.bincount(load_digits().target)
    train, held_out, test = (np.asarray(part.y).sum(0) for part in parts(split))
    assert (np.abs(test - classes / 4) <= 0.5).all()
    assert (np.abs(held_out - 0.185 * (train + held_out)) <= 0.5).all()


@pytest.mark.parametrize("fraction", [0.0, 0.1, 0.5])
def test_held_out_is_the_fraction_of_train_that_is_cut(fraction):
    split = Digits(held_out=fraction).load()
    rest = len(split.train) + len(split.held_out)
    assert rest == 1347
    assert abs(len(split.held_out) - fraction * rest) <= 5  # half a point a class


def test_the_seed_chooses_what_is_held_out(split):
    again, other = Digits(seed=0).load(), Digits(seed=1).load()
    np.testing.assert_array_equal(again.held_out.x, split.held_out.x)
    np.testing.assert_array_equal(again.train.x, split.train.x)
    assert rows(other.held_out, other) != rows(split.held_out, split)
    assert len(other.held_out) == len(split.held_out)


def test_the_test_part_is_that_of_every_published_number(split):
    """It rests on NumPy's random numbers, which another version could draw in another order."""
    for data in (Digits(), Digits(held_out=0.4), Digits(seed=5)):
        np.testing.assert_array_equal(data.load().test.x, split.test.x)
    content = counts(split.test, split).astype(np.uint8).tobytes()
    assert hashlib.sha256(content).hexdigest() == TEST_PART


def test_the_statistics_are_those_of_train_with_the_held_out_part(split):
    x = np.concatenate([np.asarray(split.train.x), np.asarray(split.held_out.x)])
    assert x.mean() == pytest.approx(0, abs=1e-6)
    assert x.std() == pytest.approx(1, abs=1e-6)
    assert abs(np.asarray(split.test.x).mean()) > 1e-4, "those of the test part are not in them"
    other = Digits(held_out=0.5, seed=3).load()
    assert other.preprocess.standardise == split.preprocess.standardise


def test_points_are_images_of_one_channel_and_mass_one(split):
    for part in parts(split):
        assert part.x.shape[1:] == (8, 8, 1)
        assert part.y.shape[1:] == (10,)
        assert float(part.mass) == pytest.approx(1, abs=1e-5)
        np.testing.assert_array_equal(part.w, part.w[0])


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (Digits(held_out=-0.1), r"held_out=-0\.1 must be a fraction"),
        (Digits(held_out=1.0), r"held_out=1\.0 must be a fraction"),
        (Digits(held_out=0.999), r"held_out=0\.999 leaves none of the \d+ points of class 0"),
        (Digits(seed=-1), "seed=-1 must be at least 0"),
    ],
    ids=str,
)
def test_values_out_of_range_are_named(data, said):
    with pytest.raises(UserError, match=said):
        data.load()


def test_the_licence_travels_with_the_data():
    licence = files("pseudocore.datasets").joinpath("digits.LICENSE").read_text()
    for said in ("CC BY 4.0", "Alpaydin", "https://doi.org/10.24432/C50P49", "Changes"):
        assert said in licence
