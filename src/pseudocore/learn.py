"""The outer loop, one for every method: recall an expert, infer from u, descend the divergence."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import optax
from jaxtyping import Array, Bool, Float, Int

from pseudocore.augment.base import Augment, Unchanged
from pseudocore.data import Augmented, Data, Source
from pseudocore.divergences.base import Divergence, Match
from pseudocore.errors import UserError
from pseudocore.expert import Memory
from pseudocore.infer.base import Infer
from pseudocore.model import Joint
from pseudocore.types import PRNGKey, Scalar


class Learned(eqx.Module):
    """Everything an optimiser may change: the coreset and the inference that is run on it."""

    u: Data
    infer: Infer

    def feasible(self) -> "Learned":
        """The nearest labels on the simplex, weights not below zero, a feasible inference."""
        y = jax.vmap(optax.projections.projection_simplex)(self.u.y)
        return Learned(Data(self.u.x, y, jnp.maximum(self.u.w, 0.0)), self.infer.feasible())


ROLES = {"x": "images", "y": "labels", "w": "weights", "rate": "rate"}


def roles(learned: Learned) -> Any:
    """The role of every learnable leaf, as labels for `optax.partition`."""
    return jax.tree_util.tree_map_with_path(lambda path, _: ROLES[path[-1].name], learned)


class Problem(eqx.Module):
    """What is learned from: a model, its experts, and real data (for reverse KL)."""

    model: Joint
    expert: Memory
    x: Source


class State(eqx.Module):
    """Where learning is."""

    step: Int[Array, ""]
    learned: Learned
    optimiser: Any


class Learner(eqx.Module):
    """u <- u - optimiser(∂D(π_u, π_x)/∂u), step by step.

    The randomness of a step depends on the run's key and the step's number alone, so a run that was
    stopped and continued is the run that was not.
    """

    divergence: Divergence
    optimiser: optax.GradientTransformation = eqx.field(static=True)
    augment: Augment = Unchanged()

    def init(self, u: Data, infer: Infer) -> State:
        numbers = jax.tree.map(lambda leaf: jnp.asarray(leaf, u.x.dtype), infer)
        learned: Any = Learned(u, numbers)
        return State(jnp.zeros((), jnp.int32), learned, self.optimiser.init(learned))

    def loss(self, key: PRNGKey, problem: Problem, learned: Learned) -> Scalar:
        key_recall, key_infer, key_divergence = jr.split(key, 3)
        recall = problem.expert.recall(key_recall)
        u = Augmented(learned.u, self.augment)
        q_u = learned.infer(key_infer, problem.model, u, recall.start)
        match = Match(problem.model, u, problem.x, q_u, recall.q_x, recall.start)
        return self.divergence(key_divergence, match)

    def step(self, key: PRNGKey, problem: Problem, state: State) -> tuple[State, Scalar]:
        """One update of everything learned, and the loss before it."""
        key_step = jr.fold_in(key, state.step)
        learned: Any = state.learned

        def loss(learned: Learned) -> Scalar:
            return self.loss(key_step, problem, learned)

        value, gradient = jax.value_and_grad(loss)(learned)
        updates, optimiser = self.optimiser.update(gradient, state.optimiser, learned)
        moved = eqx.apply_updates(learned, updates)
        # A part that was left alone is kept to the bit: projecting soft labels again rounds them.
        learned = jax.tree.map(
            lambda old, new, near: jnp.where((new == old).all(), old, near),
            learned,
            moved,
            moved.feasible(),
        )
        return State(state.step + 1, learned, optimiser), value


class Stretch(eqx.Module):
    """What happened between two looks at a run."""

    state: State
    losses: Float[Array, " room"]  # of the steps taken, then padding
    finite: Bool[Array, ""]


@eqx.filter_jit
def advance(
    learner: Learner, key: PRNGKey, problem: Problem, state: State, until: Array, room: int
) -> Stretch:
    """Steps up to number `until` (at most `room` of them), or to the last one that stayed finite.

    One compiled loop for any number of steps: where a run is interrupted cannot change a bit.
    """
    first = state.step

    def wanted(stretch: Stretch):
        return (stretch.state.step < until) & stretch.finite

    def step(stretch: Stretch) -> Stretch:
        state, loss = learner.step(key, problem, stretch.state)
        leaves = [loss, *jax.tree.leaves(state.learned)]
        finite = jnp.stack([jnp.isfinite(leaf).all() for leaf in leaves]).all()
        last_good = jax.tree.map(lambda a, b: jnp.where(finite, a, b), state, stretch.state)
        losses = stretch.losses.at[stretch.state.step - first].set(loss)
        return Stretch(last_good, losses, finite)

    begin = Stretch(state, jnp.zeros(room), jnp.asarray(True))
    return jax.lax.while_loop(wanted, step, begin)


def learn(
    key: PRNGKey, learner: Learner, problem: Problem, u: Data, infer: Infer, steps: int
) -> Learned:
    """The coreset after `steps` updates from u, in one go; `make_coreset` adds a run's folder."""
    if steps < 1:
        raise UserError(f"steps={steps} must be at least 1.")
    stretch = advance(learner, key, problem, learner.init(u, infer), jnp.asarray(steps), steps)
    if not stretch.finite:
        raise UserError(diverged(int(stretch.state.step) + 1))
    return stretch.state.learned


def diverged(step: int) -> str:
    return f"Step {step} turned non-finite: lower the optimiser's rates or the inner rate."
