"""What holds for any predictions whatever."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pseudocore.metrics import accuracy, brier, ece, nll

N, CLASSES = 12, 3  # one shape, so that everything is compiled once

of_probs = {"accuracy": accuracy, "brier": brier, "ece": ece}
metrics = {**of_probs, "nll": lambda probs, labels: nll(jnp.log(probs), labels)}
metrics = {name: jax.jit(metric) for name, metric in metrics.items()}
highest = {"accuracy": 1.0, "brier": 2.0, "ece": 1.0, "nll": np.inf}

logits = arrays(np.float32, (N, CLASSES), elements=st.floats(-8, 8, width=32))
truths = arrays(np.int32, N, elements=st.integers(0, CLASSES - 1))
orders = st.permutations(range(N))
quick = settings(max_examples=30, deadline=None)


@pytest.mark.parametrize("name", metrics)
@quick
@given(logits, truths, orders)
def test_the_order_of_the_points_does_not_count(name, logits, labels, order):
    probs, index = jax.nn.softmax(logits), np.array(order)
    labels = jnp.asarray(labels)
    moved = metrics[name](probs[index], labels[index])
    np.testing.assert_allclose(metrics[name](probs, labels), moved, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", metrics)
@quick
@given(logits, truths)
def test_it_stays_in_its_range(name, logits, labels):
    value = metrics[name](jax.nn.softmax(logits), jnp.asarray(labels))
    assert 0 <= value <= highest[name] + 1e-6


@pytest.mark.parametrize("name", ["brier", "nll"])
@quick
@given(logits, truths)
def test_it_is_proper_on_the_sample(name, logits, labels):
    """No constant prediction scores better than the frequencies of the labels."""
    labels = jnp.asarray(labels)
    frequencies = jnp.broadcast_to(jnp.bincount(labels, length=CLASSES) / N, (N, CLASSES))
    constant = jnp.broadcast_to(jax.nn.softmax(logits)[0], (N, CLASSES))
    assert metrics[name](frequencies, labels) <= metrics[name](constant, labels) + 1e-6
