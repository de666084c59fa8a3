"""Model averages against the same written with all draws and all points at once."""

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from scipy.special import log_softmax, logsumexp

from pseudocore.data import labelled
from pseudocore.model import Model
from pseudocore.networks import Linear
from pseudocore.posterior import Empirical
from pseudocore.predict import batch_means, predict

N, DRAWS, CLASSES = 300, 7, 4  # two batches of 128 and one of 44
RNG = np.random.default_rng(0)
X = RNG.standard_normal((N, 3)).astype(np.float32)
LABELS = RNG.integers(0, CLASSES, N).astype(np.int32)
DATA = labelled(jnp.asarray(X), jnp.asarray(LABELS), CLASSES)
MODEL = Model.of(Linear(), DATA)
THETA = 2 * jr.normal(jr.key(0), (DRAWS, MODEL.layout.size))


def log_probs_of_every_draw(theta: np.ndarray) -> np.ndarray:
    """(draws x n x classes), in float64. A flat θ holds the biases, then the weights."""
    theta = np.asarray(theta, np.float64)
    bias, weight = theta[:, :CLASSES], theta[:, CLASSES:].reshape(-1, 3, CLASSES)
    return log_softmax(X @ weight + bias[:, None], axis=-1)


@pytest.fixture(scope="module")
def oracle():
    """log mean_s p, and every draw's mean log-likelihood of each batch."""
    each = log_probs_of_every_draw(THETA)
    right = each[:, np.arange(N), LABELS]
    batches = [right[:, i : i + 128].mean(axis=1) for i in range(0, N, 128)]
    return logsumexp(each, axis=0) - np.log(DRAWS), np.stack(batches, axis=1)


@pytest.mark.parametrize("chunk", [1, 7, 128, 299, 300, 512])
def test_streamed_is_all_at_once_whatever_the_chunk(chunk, oracle):
    found = jax.jit(lambda: predict(MODEL, Empirical(THETA), DATA, chunk))()
    np.testing.assert_allclose(found.log_probs, oracle[0], rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(found.batch_loglik, oracle[1], rtol=1e-5)
    np.testing.assert_allclose(jnp.exp(found.log_probs).sum(axis=1), 1, rtol=1e-5)


def test_the_last_batch_is_divided_by_its_own_size():
    values = jnp.arange(10.0)
    np.testing.assert_allclose(batch_means(values, 4), [1.5, 5.5, 8.5])
    np.testing.assert_allclose(batch_means(values, 5), [2.0, 7.0])
    np.testing.assert_allclose(batch_means(values, 20), [4.5])


def test_the_average_survives_where_every_probability_is_zero_in_float32():
    """log-mean-exp, not log of a mean: exp(-300) is 0."""
    sure = jnp.zeros((2, MODEL.layout.size)).at[:, 0].set(jnp.array([300.0, 400.0]))
    found = predict(MODEL, Empirical(sure), DATA)
    np.testing.assert_allclose(found.log_probs[:, 1], -300 - np.log(2), rtol=1e-6)


def test_chains_are_a_leading_axis(oracle):
    """`loglik` is one number a draw and chain: once it averaged over draws instead of batches."""
    thetas = jnp.stack([THETA, THETA[::-1], 0.5 * THETA])
    found = jax.jit(jax.vmap(lambda draws: predict(MODEL, Empirical(draws), DATA, 100)))(thetas)
    assert found.log_probs.shape == (3, N, CLASSES)
    assert found.batch_loglik.shape == (3, DRAWS, 3)
    assert found.loglik.shape == (3, DRAWS)
    np.testing.assert_allclose(found.loglik[0], oracle[1].mean(axis=1), rtol=1e-5)
    np.testing.assert_allclose(found.loglik[1], found.loglik[0, ::-1], rtol=1e-5)
    np.testing.assert_allclose(found.log_probs[0], oracle[0], rtol=1e-5, atol=1e-5)


def test_images_are_chunked_along_points_only():
    """A pixel belongs to its own point, whatever the axes behind."""
    data = eqx.tree_at(lambda data: data.x, DATA, DATA.x.reshape(N, 1, 3, 1))
    model = Model.of(Linear(), data)
    plain = predict(MODEL, Empirical(THETA), DATA, 77)
    np.testing.assert_array_equal(
        predict(model, Empirical(THETA), data, 77).log_probs, plain.log_probs
    )


def working_memory(draws: int, chunk: int) -> int:
    """Bytes a compiled prediction needs beside what goes in and what comes out."""
    shape = jax.ShapeDtypeStruct((draws, MODEL.layout.size), jnp.float32)

    def average(theta):
        return predict(MODEL, Empirical(theta), DATA, chunk).log_probs

    return jax.jit(average).lower(shape).compile().memory_analysis().temp_size_in_bytes


def test_memory_does_not_grow_with_the_draws():
    """A thousand draws at once would hold 4.8 MB of logits."""
    few, many = working_memory(10, 100), working_memory(1000, 100)
    assert few < 100_000
    assert many - few < 1000 * 3 * 4 + 10_000  # the batch means of every draw, if they are kept
