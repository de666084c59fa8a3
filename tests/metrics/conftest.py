"""Predictions that are wrong often enough, and sure enough, for every metric to have work to do."""

import jax.numpy as jnp
import numpy as np
import pytest


@pytest.fixture(scope="session")
def predictions():
    """probs (300 x 5) right seven times in ten however sure, and the labels.

    So the model is too modest where it doubts and too sure where it does not: gaps of both signs.
    """
    rng = np.random.default_rng(0)
    logits = 2 * rng.standard_normal((300, 5))
    probs = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    labels = np.where(rng.random(300) < 0.7, probs.argmax(axis=1), rng.integers(0, 5, 300))
    return jnp.asarray(probs, jnp.float32), jnp.asarray(labels)
