"""Reverse KL as gradient matching in the location world, where its gradient is known."""

import jax
import jax.numpy as jnp
import jax.random as jr

from pseudocore.data import Data
from pseudocore.gaussian.distances import kl
from pseudocore.gaussian.location import Location
from pseudocore.posterior import detach
from pseudocore.types import Points, PRNGKey, Scalar

D, M, N = 10, 5, 100  # dimensions, points of u, points of x


def world(key: PRNGKey, spread: Scalar) -> tuple[Location, Data, Data]:
    """Noise with variances from 1 to `spread`; u is noise around 0, x around 1, of equal mass."""
    key_turn, key_u, key_x = jr.split(key, 3)
    turn, _ = jnp.linalg.qr(jr.normal(key_turn, (D, D)))
    noise = (turn * spread ** jnp.linspace(0.0, 1.0, D)) @ turn.T
    model = Location.of(noise, jnp.zeros(D), 100.0 * spread * jnp.eye(D))
    return model, points(jr.normal(key_u, (M, D))), points(1.0 + jr.normal(key_x, (N, D)))


def points(x: Points) -> Data:
    return Data(x, jnp.ones((len(x), 1)), jnp.full(len(x), N / len(x)))


def exact(model: Location, u: Data, x: Data) -> Points:
    """∇_u KL(π_u || π_x) itself, in the points."""
    return jax.grad(lambda points: kl(model.posterior(moved(u, points)), model.posterior(x)))(u.x)


def weighted(model: Location, u: Data, x: Data) -> Points:
    """∇_u ½ (g_u - g_x)ᵀ Σ_u (g_u - g_x) at the mean of π_u; mean and Σ_u are held fixed."""
    q_u = detach(model.posterior(u))

    def distance(points: Points) -> Scalar:
        uphill = jax.grad(model.loglik)
        gap = uphill(q_u.centre, moved(u, points)) - uphill(q_u.centre, x)
        return 0.5 * gap @ q_u.covariance @ gap

    return jax.grad(distance)(u.x)


def moved(u: Data, points: Points) -> Data:
    return Data(points, u.y, u.w)
