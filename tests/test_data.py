"""Weighted points, and the sources that draw them."""

import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest

from pseudocore.augment import Augment
from pseudocore.data import Augmented, Augmenting, Batching, Data, Minibatches, Whole, labelled
from pseudocore.model import Model
from pseudocore.networks import Linear

KEYS = 4000


class Shift(Augment):
    """x -> x + one random number."""

    def __call__(self, key, x):
        return x + jr.normal(key)


@pytest.fixture(scope="module")
def data() -> Data:
    """Eleven points of unequal weight."""
    keys = jr.split(jr.key(0), 2)
    even = labelled(jr.normal(keys[0], (11, 2)), jnp.arange(11) % 3, 3)
    return Data(even.x, even.y, jr.uniform(keys[1], (11,), minval=0.5, maxval=2.0))


def same(one: Data, other: Data) -> bool:
    pairs = zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True)
    return all(bool(jnp.array_equal(a, b)) for a, b in pairs)


class TestData:
    def test_labels_become_probabilities_and_the_mass_is_shared(self):
        u = labelled(jnp.zeros((4, 2)), jnp.array([2, 0, 1, 2]), 3, mass=6.0)
        np.testing.assert_array_equal(u.y, jnp.eye(3)[jnp.array([2, 0, 1, 2])])
        np.testing.assert_array_equal(u.w, jnp.full(4, 1.5))
        assert len(u) == 4
        assert float(u.mass) == 6

    def test_the_mass_is_one_unless_told(self):
        assert float(labelled(jnp.zeros((4, 2)), jnp.arange(4) % 3, 3).mass) == 1

    def test_no_points_have_no_mass(self):
        empty = labelled(jnp.zeros((0, 2)), jnp.zeros(0, jnp.int32), 3)
        assert (len(empty), float(empty.mass)) == (0, 0)

    def test_another_mass_keeps_the_proportions(self, data):
        heavier = data.with_mass(50.0)
        assert float(heavier.mass) == pytest.approx(50)
        np.testing.assert_allclose(heavier.w / data.w, 50 / data.mass, rtol=1e-6)
        assert same(Data(data.x, data.y, heavier.w), heavier)

    def test_it_draws_itself(self, data):
        assert data.draw(jr.key(0)) is data
        assert data.plain is data


class TestAugmented:
    def test_only_the_points_change_and_anew_for_every_key(self, data):
        source = Augmented(data, Shift())
        one, again, other = (source.draw(jr.key(seed)) for seed in (0, 0, 1))
        assert same(one, again)
        assert same(Data(data.x, one.y, one.w), data)
        moved = one.x - data.x
        np.testing.assert_allclose(moved, moved[0, 0], rtol=1e-5)
        assert not jnp.isclose(one.x, other.x).any()
        assert source.plain is data


class TestMinibatches:
    def test_a_batch_has_no_repeats_and_weights_n_over_b(self, data):
        batch = Minibatches(data, 4).draw(jr.key(0))
        index = np.argmax((batch.x[:, None] == data.x[None]).all(axis=-1), axis=1)
        assert len(set(index.tolist())) == len(batch) == 4
        np.testing.assert_array_equal(batch.x, data.x[index])
        np.testing.assert_array_equal(batch.y, data.y[index])
        np.testing.assert_allclose(batch.w, data.w[index] * 11 / 4, rtol=1e-6)
        assert Minibatches(data, 4).plain is data

    def test_no_batch_ever_repeats_a_point(self, data):
        batches = jax.vmap(Minibatches(data, 8).draw)(jr.split(jr.key(0), 500))
        assert all(len(np.unique(x, axis=0)) == 8 for x in np.asarray(batches.x))

    def test_points_of_equal_weight_keep_their_mass(self, data):
        even = Data(data.x, data.y, jnp.full(11, 2.0))
        assert float(Minibatches(even, 4).draw(jr.key(0)).mass) == pytest.approx(22)

    @pytest.mark.parametrize("size", [11, 100])
    def test_a_batch_of_all_is_all(self, data, size: int):
        batch = Minibatches(data, size).draw(jr.key(0))
        order = jnp.argsort(batch.x[:, 0]), jnp.argsort(data.x[:, 0])
        np.testing.assert_array_equal(batch.x[order[0]], data.x[order[1]])
        np.testing.assert_allclose(batch.w[order[0]], data.w[order[1]], rtol=1e-6)

    def test_the_log_likelihood_of_a_batch_is_that_of_all_on_average(self, data):
        model = Model.of(Linear(), data)
        theta = 3 * model.init(jr.key(1))

        @jax.jit
        @jax.vmap
        def estimate(key):
            return model.loglik(theta, Minibatches(data, 4).draw(key))

        estimates = np.asarray(estimate(jr.split(jr.key(2), KEYS)), np.float64)
        error, mean = estimates.std() / KEYS**0.5, estimates.mean()
        truth = float(model.loglik(theta, data))
        assert abs(mean - truth) < 4 * error
        assert abs(mean * 4 / 11 - truth) > 50 * error, "without N/B it would have passed"


def test_a_view_is_how_a_chain_sees_the_points(data):
    assert Whole()(data) is data
    augmented, batches = Augmenting(Shift())(data), Batching(4)(data)
    assert isinstance(augmented, Augmented)
    assert isinstance(batches, Minibatches)
    assert (augmented.plain, batches.plain) == (data, data)
    assert len(batches.draw(jr.key(0))) == 4
