"""Divergences between Gaussians with full covariances."""

import jax.numpy as jnp

from pseudocore.posterior import Correlated
from pseudocore.types import Scalar


def kl(p: Correlated, q: Correlated) -> Scalar:
    """KL(p || q) = ½ [tr(Σ_q⁻¹ Σ_p) - d - log det(Σ_q⁻¹ Σ_p) + (m_p - m_q)ᵀ Σ_q⁻¹ (m_p - m_q)]."""
    ratio = jnp.linalg.solve(q.factor, p.factor)  # |ratio|² is the trace, log |det|² the log det
    gap = jnp.linalg.solve(q.factor, p.centre - q.centre)
    logdet = 2 * jnp.linalg.slogdet(ratio)[1]
    return 0.5 * (jnp.sum(ratio**2) - len(gap) - logdet + jnp.sum(gap**2))


def w2(p: Correlated, q: Correlated) -> Scalar:
    """W_2² = |m_p - m_q|² + tr Σ_p + tr Σ_q - 2 tr (Σ_p^½ Σ_q Σ_p^½)^½.

    The last trace is the sum of the singular values of F_pᵀ F_q, for any factors of the two.
    """
    overlap = jnp.linalg.svd(p.factor.T @ q.factor, compute_uv=False).sum()
    traces = jnp.sum(p.factor**2) + jnp.sum(q.factor**2)
    return jnp.sum((p.centre - q.centre) ** 2) + traces - 2 * overlap
