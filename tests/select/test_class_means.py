import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest

from pseudocore.data import labelled
from pseudocore.select import ClassMeans

key = jr.key(0)


def test_with_one_a_class_it_is_the_class_mean(data, features, classes):
    u = ClassMeans()(key, data, features, 1)
    means = [np.asarray(data.x)[index].mean(axis=0) for index in classes]
    np.testing.assert_allclose(u.x, means, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(("ipc", "sizes"), [(1, [7]), (2, [4, 3]), (3, [3, 2, 2]), (7, [1] * 7)])
def test_parts_are_disjoint_cover_the_class_and_are_of_equal_size(ipc, sizes):
    """The points are unit vectors, so a mean shows whom it averages."""
    x = jnp.eye(14)
    u = ClassMeans()(key, labelled(x, jnp.arange(14) % 2, 2), x, ipc)
    part = np.asarray(u.x) > 0
    np.testing.assert_array_equal(part.sum(axis=0), 1)
    np.testing.assert_array_equal(part.sum(axis=1), sizes * 2)
    np.testing.assert_allclose(u.x, part / part.sum(axis=1, keepdims=True), rtol=1e-6)
    owner = np.arange(14)[None] % 2 == np.repeat([0, 1], ipc)[:, None]
    assert (part <= owner).all()


def test_another_key_draws_other_parts(data, features):
    one, two = (ClassMeans()(jr.key(seed), data, features, 2) for seed in range(2))
    assert not np.allclose(one.x, two.x)


def test_features_are_not_read(data, features):
    one, two = (ClassMeans()(key, data, f, 3) for f in (features, -features))
    np.testing.assert_array_equal(one.x, two.x)
