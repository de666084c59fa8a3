"""Training epoch by epoch, against the same written as a plain loop."""

import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from tests.worlds.outer import blobs, separable

from pseudocore.augment import Augment
from pseudocore.data import Data
from pseudocore.model import Model
from pseudocore.networks import Linear
from pseudocore.train import Training, expert_keys, initial, train_epoch, train_experts

FEW = Data(blobs().x[:10], blobs().y[:10], blobs().w[:10])
TRAINING = Training(rate=0.2, batch=16)  # as the experts of `separable`


@pytest.mark.parametrize(("n", "batch"), [(10, 4), (8, 4), (3, 256), (1, 1), (257, 256)])
def test_batches_take_every_point_once_and_keep_the_last_smaller_one(n: int, batch: int):
    index, present = Training(batch=batch).batches(jr.key(0), n)
    assert index.shape == (-(-n // batch), min(batch, n))
    assert sorted(np.asarray(index[present])) == list(range(n))
    assert present[:-1].all()
    assert int(present[-1].sum()) == (n - 1) % batch + 1


def test_an_order_is_drawn_for_every_key():
    orders = [np.asarray(Training(batch=4).batches(jr.key(seed), 10)[0]) for seed in (0, 0, 1)]
    np.testing.assert_array_equal(orders[0], orders[1])
    assert (orders[0] != orders[2]).any()


def test_an_epoch_is_a_loop_of_sgd_on_the_mean_cross_entropy():
    """Softmax regression in numpy; ten points in batches of 4, 4 and 2."""
    training, model = Training(rate=0.5, batch=4), Model.of(Linear(), FEW)
    key, theta = jr.key(0), model.init(jr.key(1))
    reached, loss, accuracy = jax.jit(training.epoch)(key, model, FEW, theta)

    params = model.layout.unravel(theta)
    weight, bias = (np.asarray(params[part], np.float64) for part in ("weight", "bias"))
    order = np.asarray(training.batches(jr.split(key)[0], 10)[0]).ravel()[:10]
    losses, rights = [], []
    for batch in (order[:4], order[4:8], order[8:]):
        x, y = np.asarray(FEW.x, np.float64)[batch], np.asarray(FEW.y, np.float64)[batch]
        odds = np.exp(x @ weight + bias)
        probs = odds / odds.sum(axis=1, keepdims=True)
        losses.extend(-np.log((probs * y).sum(axis=1)))
        rights.extend(probs.argmax(axis=1) == y.argmax(axis=1))
        weight = weight - 0.5 * x.T @ (probs - y) / len(batch)
        bias = bias - 0.5 * (probs - y).mean(axis=0)

    after = model.layout.unravel(reached)
    np.testing.assert_allclose(after["weight"], weight, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(after["bias"], bias, rtol=1e-5, atol=1e-6)
    assert float(loss) == pytest.approx(np.mean(losses), rel=1e-5)
    assert float(accuracy) == pytest.approx(np.mean(rights))
    assert float(jnp.abs(reached - theta).max()) > 0.1


class Blank(Augment):
    """x -> 0."""

    def __call__(self, key, x):
        return 0 * x


def test_the_network_sees_augmented_points():
    """From blank points there is nothing to learn but the biases."""
    model = Model.of(Linear(), FEW)
    theta = model.init(jr.key(1))
    blank = Training(rate=0.5, batch=4, augment=Blank())
    reached, _, _ = jax.jit(blank.epoch)(jr.key(0), model, FEW, theta)
    before, after = model.layout.unravel(theta), model.layout.unravel(reached)
    np.testing.assert_array_equal(after["weight"], before["weight"])
    assert (after["bias"] != before["bias"]).all()


def test_experts_begin_apart_and_learn():
    problem, experts = separable(), separable().expert.trajectories
    assert experts.shape == (3, 5, problem.model.layout.size)
    assert jnp.isfinite(experts).all()
    first = jnp.abs(experts[:, None, 0] - experts[None, :, 0]).max(axis=-1)
    assert bool((first[~jnp.eye(3, dtype=bool)] > 0.1).all())
    assert (jnp.abs(jnp.diff(experts, axis=1)).max(axis=-1) > 1e-3).all()
    logits = jax.vmap(problem.model.logits, (0, None))(experts[:, -1], blobs().x)
    assert (logits.argmax(-1) == blobs().y.argmax(-1)).mean() > 0.95


def test_experts_repeat_to_the_bit():
    again = train_experts(jr.key(1), separable().model, blobs(), TRAINING, 3, 4)
    np.testing.assert_array_equal(again, separable().expert.trajectories)


def test_an_expert_does_not_depend_on_those_beside_it():
    """Number 1 of three, trained alone."""
    model, keys = separable().model, expert_keys(jr.key(1), range(1, 2))
    theta = initial(keys, model)
    for epoch in range(4):
        beside = separable().expert.trajectories[1, epoch]
        np.testing.assert_allclose(theta[0], beside, rtol=1e-4, atol=1e-5)
        theta, _, _ = train_epoch(TRAINING, keys, jnp.asarray(epoch), model, blobs(), theta)


def test_epochs_are_shuffled_anew():
    """The same epoch twice from one place reaches two places."""
    model, keys = separable().model, expert_keys(jr.key(1), range(1, 2))
    theta = initial(keys, model)
    ends = [train_epoch(TRAINING, keys, jnp.asarray(e), model, blobs(), theta)[0] for e in (0, 1)]
    assert float(jnp.abs(ends[0] - ends[1]).max()) > 1e-4
