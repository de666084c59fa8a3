"""Experts: trajectories of training on the whole data, an inference on x that is remembered."""

import abc

import equinox as eqx
import jax
import jax.random as jr
from jaxtyping import Array, Float

from pseudocore.checks import at_least
from pseudocore.errors import UserError
from pseudocore.posterior import Fixed, Gaussian, Posterior, Spread
from pseudocore.types import PRNGKey, Theta


class Recall(eqx.Module):
    """Where an inference on x began, and the posterior it reached from there."""

    start: Theta
    q_x: Posterior


class Memory(eqx.Module):
    """Inferences on the real data, remembered."""

    @abc.abstractmethod
    def recall(self, key: PRNGKey) -> Recall:
        """One of them, at random."""


class Expert(Memory):
    """Parameters at every epoch of many trainings: τ = θ_*^(0), θ_*^(1), ..."""

    trajectories: Float[Array, "experts epochs p"]
    starts: int = eqx.field(static=True)  # T+: the first epoch is drawn from 0 .. T+ - 1
    ahead: int = eqx.field(static=True)  # L_x: the target lies this many epochs later
    spread: Spread = Fixed()

    def __check_init__(self):
        at_least(self, 1, "starts")
        at_least(self, 0, "ahead")
        last, kept = self.starts - 1 + self.ahead, self.trajectories.shape[1] - 1
        if last > kept:
            raise UserError(
                f"starts={self.starts} and ahead={self.ahead} look at epoch {last}, the "
                f"trajectories end at {kept}: train longer, or lower one of the two."
            )

    def recall(self, key: PRNGKey) -> Recall:
        """A random expert from a random epoch r: start θ_*^(r), q_x around θ_*^(r + L_x)."""
        key_expert, key_epoch = jr.split(key)
        expert = jr.randint(key_expert, (), 0, self.trajectories.shape[0])
        epoch = jr.randint(key_epoch, (), 0, self.starts)
        size = (1, self.ahead + 1, self.trajectories.shape[2])
        path = jax.lax.dynamic_slice(self.trajectories, (expert, epoch, 0), size)[0]
        return Recall(path[0], Gaussian(path[-1], self.spread(path)))
