"""How often the most probable class is the true one."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from pseudocore.types import Labels, Scalar


def hits(probs: Float[Array, "n classes"], labels: Labels) -> Float[Array, " n"]:
    """1[argmax_c p_ic = y_i], and nan where a probability is not a number.

    argmax points at a nan as if it were the largest: a diverged sampler would score like a guess.
    """
    hit = (probs.argmax(axis=1) == labels).astype(probs.dtype)
    return jnp.where(jnp.isnan(probs).any(axis=1), jnp.nan, hit)


def accuracy(probs: Float[Array, "n classes"], labels: Labels) -> Scalar:
    """(1/n) Σ_i 1[argmax_c p_ic = y_i]; of equal probabilities the first class is taken."""
    return hits(probs, labels).mean()
