"""The squared distance between the predicted and the true class probabilities."""

import jax
from jaxtyping import Array, Float

from pseudocore.types import Labels, Scalar


def brier(probs: Float[Array, "n classes"], labels: Labels) -> Scalar:
    """(1/n) Σ_i Σ_c (p_ic - 1[y_i = c])², in [0, 2]: summed over classes, not halved."""
    truth = jax.nn.one_hot(labels, probs.shape[1], dtype=probs.dtype)
    return ((probs - truth) ** 2).sum(axis=1).mean()
