"""The accept test of Metropolis, and the points that it chooses between."""

import jax
import jax.numpy as jnp
import jax.random as jr

from pseudocore.kernels.base import Info, State
from pseudocore.model import LogDensity
from pseudocore.types import PRNGKey, Scalar, Theta


class Point(State):
    """A point, with its log-density and gradient, which the next step need not compute again."""

    z: Theta
    value: Scalar
    gradient: Theta

    @classmethod
    def at(cls, target: LogDensity, z: Theta) -> "Point":
        return cls(z, *jax.value_and_grad(target)(z))


def choose(key: PRNGKey, log_ratio: Scalar, proposal: Point, state: Point) -> tuple[Point, Info]:
    """The proposal with probability min(1, exp(log_ratio)), never one that diverged."""
    # A nan would pass every threshold it is held to, and make the mean acceptance of a chain nan.
    sound = jnp.isfinite(proposal.value) & ~jnp.isnan(log_ratio)
    log_ratio = jnp.where(sound, log_ratio, -jnp.inf)
    probability = jnp.exp(jnp.minimum(0.0, log_ratio))
    accept = jr.uniform(key) < probability
    chosen = jax.tree.map(lambda new, old: jnp.where(accept, new, old), proposal, state)
    return chosen, Info(probability, -chosen.value)
