"""Three gradients that Proposition 1 takes for one, and the directions it compares them with.

Signs are those of l, the log-likelihood: g = ∇_θ l, and a student steps to θ_0 + η g_u. Every
function is a gradient in the points of u, whose labels and weights stay as they are.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import jax.random as jr
from jaxtyping import Array, Float

from pseudocore.data import Data
from pseudocore.divergences import Divergence, Match
from pseudocore.model import Joint
from pseudocore.posterior import Gaussian
from pseudocore.types import Points, PRNGKey, Scalar, Theta


def slope(loss: Callable[[Data], Scalar], u: Data) -> Points:
    """∂ loss / ∂ the points of u."""
    return jax.grad(lambda points: loss(Data(points, u.y, u.w)))(u.x)


def steps(key: PRNGKey, size: int) -> Float[Array, "size size"]:
    """√p times the rows of a random orthogonal matrix.

    With their negatives they have mean 0 and covariance I like N(0, I), but exactly.
    """
    rows, _ = jnp.linalg.qr(jr.normal(key, (size, size)))
    return jnp.sqrt(size) * rows


def covariance(
    model: Joint, u: Data, x: Data, centre: Theta, noise: Float[Array, "draws p"]
) -> Points:
    """-Cov[∂_u l_u, l_x - l_u] over centre ± noise: what BPC-rKL descends."""

    def at(theta: Theta):
        ascent = slope(lambda u: model.loglik(theta, u), u)
        return ascent, model.loglik(theta, x) - model.loglik(theta, u)

    ascents, gaps = jax.lax.map(at, jnp.concatenate([centre + noise, centre - noise]))
    # Both are centred: where σ is small, rounding would make more of what all draws share.
    return -jnp.tensordot(gaps - gaps.mean(), ascents - ascents.mean(axis=0), 1) / len(gaps)


def student(model: Joint, u: Data, start: Theta, rate: Scalar) -> Theta:
    """θ_0 + η g_u(θ_0)."""
    return start + rate * jax.grad(model.loglik)(start, u)


def path(model: Joint, u: Data, x: Data, start: Theta, rate: Scalar) -> Points:
    """d/du (l_u - l_x)(θ(u)) - ∂_u l_u: the proof's route, at the mean of q_u.

    ∂_u log Z(u) = E[∂_u l_u] holds θ fixed; the rest follows θ(u).
    """
    held = student(model, u, start, rate)
    followed = slope(lambda u: model.loglik(student(model, u, start, rate), u), u)
    return followed + direct(model, u, x, start, rate) - slope(lambda u: model.loglik(held, u), u)


def direct(model: Joint, u: Data, x: Data, start: Theta, rate: Scalar) -> Points:
    """∇_u KL(q_u || π_x) under a flat prior: -d/du l_x(θ(u)), as the entropy of q_u is fixed."""
    return slope(lambda u: -model.loglik(student(model, u, start, rate), x), u)


def descent(
    divergence: Divergence, key: PRNGKey, model: Joint, u: Data, x: Data, q_u: Gaussian
) -> Points:
    """The gradient of a divergence that compares nothing with an expert."""
    return slope(lambda u: divergence(key, Match(model, u, x, q_u, q_u, q_u.centre)), u)
