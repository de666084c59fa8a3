"""Confidence against accuracy, bin by bin: the picture behind the calibration error."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from pseudocore.metrics.accuracy import hits
from pseudocore.metrics.ece import which_bin
from pseudocore.types import Labels


def reliability(
    probs: Float[Array, "n classes"], labels: Labels, bins: int = 15
) -> Float[Array, "bins 3"]:
    """Mean confidence, accuracy and number of points of every bin; an empty bin has zeros."""
    top = probs.max(axis=1)
    columns = jnp.stack([top, hits(probs, labels), jnp.ones_like(top)], axis=1)
    sums = jax.ops.segment_sum(columns, which_bin(top, bins), bins)
    counts = sums[:, 2:]
    return jnp.concatenate([sums[:, :2] / jnp.maximum(counts, 1), counts], axis=1)
