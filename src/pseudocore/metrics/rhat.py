"""Have the chains met, and how many independent draws are they worth: split R-hat and ESS.

A chain that never moves, or holds a value that is not finite, has not converged: R-hat is then
infinite and the effective sample size zero, never nan, which passes every threshold it is held to.
One such chain among many is enough, and for R-hat one such half of a chain.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from pseudocore.errors import UserError
from pseudocore.types import Scalar

# Two draws in each half, the fewest that have a variance.
FEWEST = 4


def split_rhat(trace: Float[Array, "chains draws"]) -> Scalar:
    """sqrt(((n-1)/n W + B/n) / W) of the halves of all chains; an odd trace loses its middle draw.

    W is the mean variance within a half of n draws, B/n the variance of the means of the halves.
    """
    long_enough(trace)
    n = trace.shape[1] // 2
    halves = jnp.concatenate([trace[:, :n], trace[:, -n:]])
    within = halves.var(axis=1, ddof=1).mean()
    between = halves.mean(axis=1).var(ddof=1)
    rhat = jnp.sqrt((n - 1) / n + between / within)
    return jnp.where(moved(halves).all() & jnp.isfinite(rhat), rhat, jnp.inf)


def ess(trace: Float[Array, "chains draws"]) -> Scalar:
    """chains · draws / τ, with τ = -1 + 2 Σ_k P_k over Geyer's initial monotone sequence.

    P_k = ρ_2k + ρ_2k+1, up to the first that is not positive, and never let rise. As in Stan,
    τ >= 1 / log10(chains · draws), for draws that alternate could make it zero.
    """
    long_enough(trace)
    total = trace.size
    rho = autocorrelation(trace)
    pairs = rho[0::2] + rho[1::2]
    tau = -1 + 2 * (jnp.cumprod(pairs > 0) * jax.lax.cummin(pairs)).sum()
    tau = jnp.maximum(tau, 1 / np.log10(total))
    return jnp.where(moved(trace).all() & jnp.isfinite(rho).all(), total / tau, 0.0)


def autocorrelation(trace: Float[Array, "chains draws"]) -> Float[Array, " lags"]:
    """ρ_t = 1 - (W - γ_t) / V: γ_t the autocovariance, V the variance with the spread of chains.

    The number of lags is even. The sum over pairs of draws is a product of Fourier transforms.
    """
    chains, draws = trace.shape
    mean = trace.mean(axis=1, keepdims=True)
    power = jnp.abs(jnp.fft.rfft(trace - mean, 2 * draws)) ** 2
    covariance = jnp.fft.irfft(power, 2 * draws)[:, :draws].mean(axis=0) / draws
    within = covariance[0] * draws / (draws - 1)
    # One chain has no other to differ from.
    between = mean.var(ddof=1) if chains > 1 else 0.0
    rho = 1 - (within - covariance) / (covariance[0] + between)
    return rho.at[0].set(1.0)[: draws - draws % 2]


def moved(chains: Float[Array, "chains draws"]) -> Bool[Array, " chains"]:
    """Whether each chain takes two values; rounding may give a constant a variance above zero."""
    return chains.max(axis=1) > chains.min(axis=1)


def long_enough(trace: Float[Array, "chains draws"]) -> None:
    """Refuse a trace whose halves have no variance."""
    draws = trace.shape[1]
    if draws < FEWEST:
        raise UserError(f"{draws} draws a chain cannot be diagnosed. Keep at least {FEWEST}.")
