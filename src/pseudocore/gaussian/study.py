"""The paper's synthetic study: coresets of a Gaussian location, every divergence known exactly."""

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import optax
from jaxtyping import Array, Float

from pseudocore.checks import at_least, positive
from pseudocore.data import Data
from pseudocore.divergences import Divergence, ForwardKL, ReverseKL, Wasserstein
from pseudocore.errors import UserError
from pseudocore.expert import Memory, Recall
from pseudocore.gaussian.conjugate import Exact
from pseudocore.gaussian.distances import kl, w2
from pseudocore.gaussian.location import Location
from pseudocore.learn import Learner, Problem, roles
from pseudocore.posterior import Correlated
from pseudocore.types import PRNGKey, Theta

MEASURED = ("rKL", "W", "fKL")


class Study(eqx.Module):
    """100 points of N(θ, I) in 10 dimensions, θ ~ N(0, I); coresets start as noise from N(0, I).

    The paper gives the dimension, the number of points and the sizes. The rest is ours: Σ, Σ_0 and
    θ_0, the start, and Adam with a rate that falls to zero along a cosine.
    """

    dimensions: int = eqx.field(static=True, default=10)  # of θ and of every point
    points: int = eqx.field(static=True, default=100)  # N: real points
    sizes: tuple[int, ...] = eqx.field(static=True, default=(5, 20, 40, 60, 80, 100))  # M
    steps: int = eqx.field(static=True, default=1000)  # K: updates of the coreset
    looks: int = eqx.field(static=True, default=25)  # how often the divergences are measured
    draws: int = eqx.field(static=True, default=30)  # S, of the two KL
    rate: float = eqx.field(static=True, default=0.03)  # of Adam at the start

    def __check_init__(self):
        at_least(self, 1, "dimensions", "points", "steps", "looks")
        at_least(self, 2, "draws")
        positive(self, "rate")
        fitting = all(1 <= size <= self.points for size in self.sizes)
        if not self.sizes or not fitting or len(set(self.sizes)) < len(self.sizes):
            raise UserError(
                f"sizes={self.sizes} must be one or more from 1 to points={self.points}, each once."
            )
        if self.steps % self.looks:
            raise UserError(f"steps={self.steps} must be a multiple of looks={self.looks}.")

    @property
    def stride(self) -> int:
        """Steps between two looks."""
        return self.steps // self.looks

    @property
    def divergences(self) -> dict[str, Divergence]:
        """What coresets are trained with, by name."""
        trained = ReverseKL(self.draws), Wasserstein(), ForwardKL(self.draws)
        return {divergence.name: divergence for divergence in trained}

    def optimiser(self) -> optax.GradientTransformation:
        """Only the points are learned."""
        adam = optax.adam(optax.cosine_decay_schedule(self.rate, self.steps))
        still = optax.set_to_zero()
        return optax.partition({"images": adam, "labels": still, "weights": still}, roles)


class Known(Memory):
    """The posterior of the real data, where no expert needs to find it."""

    start: Theta
    q_x: Correlated

    def recall(self, key: PRNGKey) -> Recall:
        return Recall(self.start, self.q_x)


def world(study: Study, key: PRNGKey) -> tuple[Location, Correlated, Problem]:
    """A location drawn from its prior and points around it: model, posterior, what is learned."""
    key_theta, key_x = jr.split(key)
    origin, one = jnp.zeros(study.dimensions), jnp.eye(study.dimensions)
    model = Location.of(one, origin, one)
    x = jr.normal(key_theta, origin.shape) + jr.normal(key_x, (study.points, study.dimensions))
    data = unlabelled(x, jnp.ones(study.points))
    q_x = model.posterior(data)
    return model, q_x, Problem(model, Known(origin, q_x), data)


def unlabelled(x: Float[Array, "n d"], weights: Float[Array, " n"]) -> Data:
    return Data(x, jnp.ones((len(x), 1)), weights)


class Course(eqx.Module):
    """The three divergences along training, and what no points of these weights can undercut."""

    values: Float[Array, "*runs looks measures"]
    floor: Float[Array, "*runs measures"]


def distances(q_u: Correlated, q_x: Correlated) -> Float[Array, " measures"]:
    """KL(π_u || π_x), W_2² and KL(π_x || π_u), in the order of `MEASURED`."""
    return jnp.stack([kl(q_u, q_x), w2(q_u, q_x), kl(q_x, q_u)])


def floor(q_u: Correlated, q_x: Correlated) -> Float[Array, " measures"]:
    """The points move the mean of π_u anywhere and its covariance not at all: equal means."""
    return distances(Correlated(q_x.centre, q_u.factor), q_x)


@eqx.filter_jit
def train(
    study: Study, divergence: Divergence, weights: Float[Array, "runs m"], keys: Array
) -> Course:
    """A coreset for every run, all in one program; look 0 is the start.

    Points that weigh nothing change nothing, so one program serves coresets of every size.
    """
    learner = Learner(divergence, study.optimiser())

    def one(weight: Float[Array, " m"], key: PRNGKey) -> Course:
        key_world, key_u, key_steps = jr.split(key, 3)
        model, q_x, problem = world(study, key_world)
        u = unlabelled(jr.normal(key_u, (len(weight), study.dimensions)), weight)

        def step(_, state):
            return learner.step(key_steps, problem, state)[0]

        def look(state, _):
            value = distances(model.posterior(state.learned.u), q_x)
            return jax.lax.fori_loop(0, study.stride, step, state), value

        begin = learner.init(u, Exact())
        _, values = jax.lax.scan(look, begin, length=study.looks + 1)
        return Course(values, floor(model.posterior(u), q_x))

    return jax.vmap(one)(weights, keys)


def weighted(study: Study, size: int, weight: float) -> Float[Array, " points"]:
    """The weights of a coreset of this size."""
    return jnp.where(jnp.arange(study.points) < size, weight, 0.0)
