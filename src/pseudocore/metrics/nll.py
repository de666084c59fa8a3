"""The negative log-likelihood of the Bayesian model average."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from pseudocore.types import Labels, Scalar


def nll(log_probs: Float[Array, "n classes"], labels: Labels) -> Scalar:
    """-(1/n) Σ_i log p_i,y_i, with log p = log mean_s softmax(logits_s).

    It takes logarithms, so nothing is clipped: a sure and wrong prediction costs what it costs.
    """
    return -jnp.take_along_axis(log_probs, labels[:, None], axis=1).mean()
