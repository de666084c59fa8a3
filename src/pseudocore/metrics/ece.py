"""The expected calibration error, binned over the whole test set."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from pseudocore.errors import UserError
from pseudocore.metrics.accuracy import hits
from pseudocore.types import Labels, Scalar


def which_bin(top: Float[Array, " n"], bins: int) -> Int[Array, " n"]:
    """The b of the interval (b/bins, (b+1)/bins] that holds each top probability.

    Only inner edges are compared, so a mean of softmaxes that rounds above 1 is in the last bin.
    """
    if bins < 1:
        raise UserError(f"{bins} calibration bins hold no prediction. Ask for one bin or more.")
    inner = np.linspace(0, 1, bins + 1)[1:-1]
    return jnp.searchsorted(jnp.asarray(inner, top.dtype), top, side="left")


def ece(probs: Float[Array, "n classes"], labels: Labels, bins: int = 15) -> Scalar:
    """Σ_b (n_b/n) |acc_b - conf_b|, over bins of equal width of the top probability.

    n_b cancels: every term is |Σ_{i in b} (hit_i - top_i)| / n, so an empty bin needs no case.
    """
    top = probs.max(axis=1)
    gaps = jax.ops.segment_sum(hits(probs, labels) - top, which_bin(top, bins), bins)
    return jnp.abs(gaps).sum() / labels.shape[0]
