"""The paper's variants of NLL and ECE, which reduce every test batch before they pool."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import logsumexp
from jaxtyping import Array, Float

from pseudocore.errors import UserError
from pseudocore.metrics.accuracy import hits
from pseudocore.metrics.ece import which_bin
from pseudocore.types import Labels, Scalar

BATCH = 128  # test images a batch in the authors' evaluation
BINS = 29  # the authors lay 30 edges on [0, 1]


def published_nll(batch_loglik: Float[Array, "draws batches"]) -> Scalar:
    """-mean_b log mean_s exp(l_sb), with l_sb the mean log-likelihood of test batch b under draw s.

    With batches of equal size it is never below the NLL of the model average: log-mean-exp over
    draws is convex, so (Jensen) its value at the batch mean is at most its mean over the batch. One
    draw, or draws that agree, give equality. A last, smaller batch counts as one batch, as
    published; then its points weigh more than the others and the inequality need not hold.
    """
    draws = batch_loglik.shape[0]
    return -(logsumexp(batch_loglik, axis=0) - jnp.log(draws)).mean()


def published_ece(probs: Float[Array, "n classes"], labels: Labels, batch: int = BATCH) -> Scalar:
    """mean_B Σ_b (n_Bb/n_B) |acc_Bb - conf_Bb|: binned within each test batch B, then averaged.

    The points are taken in the order given. With equal batches it is never below the pooled error
    on the same bins, because gaps of opposite sign no longer cancel between batches.
    """
    if batch < 1:
        raise UserError(f"A test batch of {batch} points is empty. The paper's is {BATCH}.")
    owner = np.arange(labels.shape[0]) // batch
    sizes = np.bincount(owner)
    top = probs.max(axis=1)
    cell = jnp.asarray(owner) * BINS + which_bin(top, BINS)
    gaps = jax.ops.segment_sum(hits(probs, labels) - top, cell, len(sizes) * BINS)
    return (jnp.abs(gaps).reshape(-1, BINS).sum(axis=1) / sizes).mean()
