"""What every selection promises. A newcomer adds one row to `everyone`."""

import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest

from pseudocore.data import Data, labelled
from pseudocore.errors import UserError
from pseudocore.select import ClassMeans, Herding, KCenter, RandomSubset, Select, pixels

subsets = [RandomSubset(), Herding(), KCenter()]
everyone = [*subsets, ClassMeans()]
ipcs = pytest.mark.parametrize("ipc", [1, 2, 6])
key = jr.key(0)


@pytest.fixture(params=everyone, ids=repr)
def select(request) -> Select:
    return request.param


@pytest.fixture(params=subsets, ids=repr)
def pick(request) -> Select:
    return request.param


@ipcs
def test_classes_are_balanced_and_in_order(select, data, features, ipc):
    u = select(key, data, features, ipc)
    assert u.x.shape == (3 * ipc, *data.x.shape[1:])
    assert (u.x.dtype, u.y.dtype) == (data.x.dtype, data.y.dtype)
    np.testing.assert_array_equal(u.y, np.repeat(np.eye(3), ipc, axis=0))


@ipcs
def test_weights_are_equal_and_sum_to_one(select, data, features, ipc):
    u = select(key, data, features, ipc)
    np.testing.assert_allclose(u.w, 1 / (3 * ipc), rtol=1e-6)


@ipcs
def test_chosen_points_are_points_of_their_class_and_none_is_taken_twice(
    pick, data, features, found, ipc
):
    u = pick(key, data, features, ipc)
    index = found(u)
    assert len(set(index)) == 3 * ipc
    np.testing.assert_array_equal(u.y, data.y[index])


def test_none_is_taken_twice_where_all_features_agree(pick, data, features, found):
    u = pick(key, data, jnp.full_like(features, 0.1), 6)
    assert len(set(found(u))) == 18


def test_the_same_key_repeats(select, data, features):
    one, two = (select(key, data, features, 2) for _ in range(2))
    np.testing.assert_array_equal(one.x, two.x)


def test_points_that_are_not_images_will_do(select, data, features):
    flat = Data(pixels(data), data.y, data.w)
    u, v = select(key, flat, features, 2), select(key, data, features, 2)
    np.testing.assert_array_equal(u.x, pixels(v))


@pytest.mark.parametrize("ipc", [0, -2])
def test_no_points_a_class_is_refused(select, data, features, ipc):
    with pytest.raises(UserError, match=f"ipc {ipc} asks for no points.*at least one"):
        select(key, data, features, ipc)


def test_more_points_than_the_smallest_class_has_are_refused(select, data, features):
    with pytest.raises(UserError, match=r"ipc 7 .* 6 points of class 1.*Choose ipc 6 or less"):
        select(key, data, features, 7)


def test_a_class_with_no_point_is_refused(select, data, features):
    empty = labelled(data.x, 2 * data.y.argmax(axis=1), classes=5)
    with pytest.raises(UserError, match=r"Class 1 has no point.*drop that column"):
        select(key, empty, features, 1)


def test_soft_labels_are_refused(select, data, features):
    soft = Data(data.x, data.y.at[4].set(jnp.array([0.5, 0.25, 0.25])), data.w)
    with pytest.raises(UserError, match=r"label of point 4 is soft.*hard-labelled"):
        select(key, soft, features, 1)


def test_features_of_other_points_are_refused(select, data, features):
    with pytest.raises(UserError, match="22 rows of features for 23 points"):
        select(key, data, features[1:], 1)


@pytest.mark.parametrize("select", [Herding(), KCenter()], ids=repr)
def test_features_that_are_not_finite_are_refused(select, data, features):
    with pytest.raises(UserError, match=r"not a finite number.*Check the network"):
        select(key, data, features.at[3, 1].set(jnp.nan), 1)


def test_pixels_are_the_points_laid_flat(data):
    np.testing.assert_array_equal(pixels(data), data.x.reshape(23, 6))


@pytest.mark.parametrize("select", [Herding(), KCenter()], ids=repr)
class TestGreedy:
    def test_the_key_decides_nothing_without_ties(self, select, data, features, found):
        runs = [found(select(jr.key(seed), data, features, 5)) for seed in range(5)]
        assert (np.array(runs) == runs[0]).all()

    def test_the_key_breaks_ties(self, select, data, features, found):
        level = jnp.zeros_like(features)
        runs = [found(select(jr.key(seed), data, level, 2)) for seed in range(5)]
        assert len({tuple(run) for run in runs}) > 1

    def test_a_larger_ipc_only_adds_points(self, select, data, features, found):
        few, many = (found(select(key, data, features, ipc)).reshape(3, ipc) for ipc in (3, 6))
        np.testing.assert_array_equal(few, many[:, :3])

    def test_half_precision_features_are_measured_in_double(self, select, data, features, found):
        """300² is beyond float16."""
        half = (300 * (features - 5)).astype(jnp.float16)
        one = found(select(key, data, half.astype(jnp.float32), 4))
        np.testing.assert_array_equal(found(select(key, data, half, 4)), one)

    def test_shifted_features_choose_the_same(self, select, data, features, found):
        one = found(select(key, data, features, 4))
        np.testing.assert_array_equal(found(select(key, data, 2 * features - 64, 4)), one)
