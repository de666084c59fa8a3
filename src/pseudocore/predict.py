"""Bayesian model averages, streamed over draws and over the points."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from pseudocore.data import Data
from pseudocore.model import Model
from pseudocore.posterior import Empirical
from pseudocore.types import Theta

# The paper averages log-likelihoods over test batches of this size before it averages over draws.
PUBLISHED_BATCH = 128


class Prediction(eqx.Module):
    """What the draws of a chain say of some labelled points."""

    log_probs: Float[Array, "*chains n classes"]  # of the average over draws
    batch_loglik: Float[Array, "*chains draws batches"]  # mean log-likelihood of each batch of 128

    @property
    def loglik(self) -> Float[Array, "*chains draws"]:
        """A trace of every draw's log-likelihood, for convergence checks in function space."""
        return self.batch_loglik.mean(axis=-1)


def predict(model: Model, posterior: Empirical, data: Data, chunk: int = 512) -> Prediction:
    """log mean_s p(c | x_i, θ_s). Memory holds one chunk of points under one draw at a time."""
    count = posterior.draws.shape[0]

    def add(total: Float[Array, "n classes"], theta: Theta):
        log_probs = _log_probs(model, theta, data, chunk)
        loglik = jnp.sum(data.y * log_probs, axis=-1)
        return jnp.logaddexp(total, log_probs), batch_means(loglik, PUBLISHED_BATCH)

    nothing = jnp.full(data.y.shape, -jnp.inf, data.y.dtype)
    total, batch_loglik = jax.lax.scan(add, nothing, posterior.draws)
    return Prediction(total - jnp.log(count), batch_loglik)


def _log_probs(model: Model, theta: Theta, data: Data, chunk: int) -> Float[Array, "n classes"]:
    n = len(data)
    size = min(chunk, n)
    chunks = -(-n // size)
    padding = [(0, chunks * size - n)] + [(0, 0)] * (data.x.ndim - 1)
    padded = jnp.pad(data.x, padding).reshape(chunks, size, *data.x.shape[1:])
    log_probs = jax.lax.map(lambda x: jax.nn.log_softmax(model.logits(theta, x)), padded)
    return log_probs.reshape(chunks * size, -1)[:n]


def batch_means(values: Float[Array, " n"], size: int) -> Float[Array, " batches"]:
    """Means of consecutive batches; the last may be smaller."""
    count = -(-values.shape[0] // size)
    batch = jnp.arange(values.shape[0]) // size
    sums = jax.ops.segment_sum(values, batch, count)
    return sums / jax.ops.segment_sum(jnp.ones_like(values), batch, count)
