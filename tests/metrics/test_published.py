from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import log_softmax, logsumexp

from pseudocore.errors import UserError
from pseudocore.metrics import ece, nll, published_ece, published_nll
from pseudocore.metrics.published import BINS


@pytest.fixture(scope="module")
def draws():
    """log-probabilities (7 draws x 60 points x 4 classes) that disagree, and the labels."""
    rng = np.random.default_rng(1)
    return log_softmax(3 * rng.standard_normal((7, 60, 4)), axis=2), rng.integers(0, 4, 60)


def both(log_probs, labels, batch):
    """The NLL as published, and that of the model average."""
    true = log_probs[:, np.arange(len(labels)), labels]
    edges = range(0, len(labels), batch)
    loglik = np.stack([true[:, a : a + batch].mean(axis=1) for a in edges], axis=1)
    average = logsumexp(log_probs, axis=0) - np.log(len(log_probs))
    return (
        float(published_nll(jnp.asarray(loglik, jnp.float32))),
        float(nll(jnp.asarray(average, jnp.float32), jnp.asarray(labels))),
    )


def test_nll_by_hand():
    """Two draws, two batches: log-mean-exp of (-1, -3) and of (-2, -2)."""
    loglik = jnp.array([[-1.0, -2.0], [-3.0, -2.0]])
    by_hand = -(np.log((np.exp(-1) + np.exp(-3)) / 2) + -2) / 2
    np.testing.assert_allclose(published_nll(loglik), by_hand, rtol=1e-6)


def test_nll_does_not_underflow():
    np.testing.assert_allclose(published_nll(jnp.full((3, 2), -500.0)), 500, rtol=1e-6)


@pytest.mark.parametrize("batch", [2, 5, 20, 60])
def test_it_is_never_below_the_nll_of_the_model_average(draws, batch):
    published, average = both(*draws, batch)
    assert published > average + 0.01


def test_the_two_agree_for_batches_of_one_point_and_for_one_draw(draws):
    log_probs, labels = draws
    np.testing.assert_allclose(*both(log_probs, labels, 1), rtol=1e-5)
    np.testing.assert_allclose(*both(log_probs[:1], labels, 20), rtol=1e-5)


def test_a_last_smaller_batch_can_turn_the_inequality():
    """Two sure draws that disagree on points 0-3 only; point 4, a batch alone, both foresee."""
    labels = np.zeros(5, int)
    log_probs = np.log(np.full((2, 5, 2), 0.5))
    log_probs[:, 4] = np.log([0.999, 0.001])
    published, average = both(log_probs, labels, 4)
    assert published < average


def loops(probs, labels, batch):
    """Bins (lower, upper] between 30 edges, gaps summed batch by batch, batches averaged."""
    edges = np.linspace(0, 1, 30).astype(np.float32)
    sums = []
    for start in range(0, len(labels), batch):
        p, y = probs[start : start + batch], labels[start : start + batch]
        top, hit = p.max(axis=1), p.argmax(axis=1) == y
        inside = [(top > a) & (top <= b) for a, b in pairwise(edges)]
        sums.append(sum(abs(hit[i].mean() - top[i].mean()) * i.mean() for i in inside if i.any()))
    return np.mean(sums)


@pytest.mark.parametrize("batch", [1, 100, 128, 300, 1000])
def test_ece_agrees_with_the_loops_of_the_text(predictions, batch):
    probs, labels = map(np.asarray, predictions)
    np.testing.assert_allclose(
        published_ece(*predictions, batch), loops(probs, labels, batch), rtol=1e-4
    )


def test_ece_takes_batches_of_128(predictions):
    assert published_ece(*predictions) == published_ece(*predictions, 128)
    assert published_ece(*predictions) != published_ece(*predictions, 127)


def test_with_equal_batches_ece_is_never_below_the_pooled_one(predictions):
    assert published_ece(*predictions, 100) > ece(*predictions, BINS) + 0.01
    np.testing.assert_allclose(published_ece(*predictions, 300), ece(*predictions, BINS), rtol=1e-5)


def test_ece_maps_over_draws_inside_jit(predictions):
    probs, labels = predictions
    stack = jnp.stack([probs, probs[:, ::-1]])
    got = jax.jit(jax.vmap(published_ece, in_axes=(0, None)))(stack, labels)
    np.testing.assert_allclose(got, [published_ece(p, labels) for p in stack], rtol=1e-5)


@pytest.mark.parametrize("batch", [0, -1])
def test_empty_batches_are_refused(predictions, batch):
    with pytest.raises(UserError, match=f"batch of {batch} points is empty"):
        published_ece(*predictions, batch)
