"""A few steps of gradient descent, and a Gaussian around where they end."""

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
from jaxtyping import Array, Float

from pseudocore.data import Source
from pseudocore.infer.base import Infer
from pseudocore.model import Joint
from pseudocore.posterior import Fixed, Gaussian, Spread
from pseudocore.types import PRNGKey, Theta


class Unroll(Infer):
    """θ_t = θ_{t-1} + η ∇ log p(u; θ_{t-1}) for t = 1..L_u;  q_u = N(θ_{L_u}, Σ).

    Its gradient is exact through all steps: only θ_0..θ_L are stored, each step is computed again
    on the way back. The rate η is a leaf of the tree: a learner makes it an array, and an
    optimiser can learn it like the images.
    """

    steps: int = eqx.field(static=True, default=30)
    rate: float = 0.01
    spread: Spread = Fixed()

    def path(
        self, key: PRNGKey, model: Joint, source: Source, start: Theta
    ) -> tuple[Theta, Float[Array, "points p"]]:
        """The parameters at the end, and all of them: start, and those after every step."""

        @jax.checkpoint
        def descend(theta: Theta, key_draw: PRNGKey):
            uphill = jax.grad(model.loglik)(theta, source.draw(key_draw))
            theta = theta + self.rate * uphill
            return theta, theta

        end, path = jax.lax.scan(descend, start, jr.split(key, self.steps))
        # The end is given apart: differentiated as the last of the path, it would keep a second
        # copy of all points, which no one needs where the spread does not look at them.
        return end, jnp.concatenate([start[None], path])

    def feasible(self) -> "Unroll":
        """A rate that is not below zero."""
        return eqx.tree_at(lambda infer: infer.rate, self, jnp.maximum(self.rate, 0.0))

    def __call__(self, key: PRNGKey, model: Joint, source: Source, start: Theta) -> Gaussian:
        end, path = self.path(key, model, source, start)
        return Gaussian(end, self.spread(path))
