"""Learn a coreset into a run's folder."""

import dataclasses
import time
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np

from pseudocore.augment.checks import check_takes
from pseudocore.data import Data, Minibatches
from pseudocore.datasets.base import Split
from pseudocore.engine.advice import to_train
from pseudocore.engine.control import Control
from pseudocore.engine.judging import check_view
from pseudocore.engine.meeting import changed, check_prepared, saw_the_same
from pseudocore.errors import UserError
from pseudocore.expert import Expert
from pseudocore.infer import Unroll
from pseudocore.learn import Learned, Learner, Problem, State, advance, diverged
from pseudocore.metrics import accuracy
from pseudocore.model import Model
from pseudocore.recipes.base import Recipe
from pseudocore.select import pixels
from pseudocore.store.coreset import CORESET, write_coreset
from pseudocore.store.run import Run
from pseudocore.store.source import spelt
from pseudocore.store.tensors import read_tensors, write_tensors
from pseudocore.store.trajectories import read_index, read_window
from pseudocore.store.values import to_json
from pseudocore.types import Theta

STATE, INITIAL = "state.safetensors", "initial.safetensors"
LOOKS = 50  # how often a run is looked at: metrics are logged and a stop is possible
LONGER = 10  # a student is stopped long before it has learned all that u has to teach
SAVE_EVERY = 30.0  # seconds of work that a kill may cost


@dataclasses.dataclass(frozen=True)
class Task:
    """A recipe whose data and experts are loaded and found to fit."""

    recipe: Recipe
    split: Split
    model: Model
    expert: Expert
    first: Data  # u before its first step

    @property
    def problem(self) -> Problem:
        return Problem(self.model, self.expert, Minibatches(self.split.train, self.recipe.batch))


def prepare(recipe: Recipe, experts: Path, control: Control) -> Task:
    """Load all that learning needs. Whatever is wrong with it shows here, with nothing written."""
    split = recipe.plan.data.load(control.say)
    first = begin(recipe, split)
    check_takes(recipe.augment, split.shape)
    for judge in (*recipe.judges, *([recipe.full] if recipe.full else [])):
        check_view(judge, split)
    model = Model.of(recipe.plan.network, split.train)
    expert = recall_experts(recipe, experts, model, split)
    return Task(recipe, split, model, expert, first)


def recall_experts(recipe: Recipe, folder: Path, model: Model, split: Split) -> Expert:
    """The experts of a folder, if they are of the recipe's network and data and long enough."""
    index = read_index(folder)
    wanted, theirs = to_json(recipe.plan), index["plan"]
    fits = {
        "network": theirs.get("network") == wanted["network"],
        "data": saw_the_same(index, split, theirs.get("data") == wanted["data"]),
    }
    for part, fit in fits.items():
        if not fit:
            raise UserError(
                f"The experts in {folder} have the {part} {spelt(theirs.get(part))}, the "
                f"recipe asks for {spelt(wanted[part])}{changed(theirs.get(part), wanted[part])}: "
                f"name others with --experts, or train them: {to_train(recipe.plan)}"
            )
    check_prepared(folder, index, split)
    if index["parameters"] != model.layout.size:
        raise UserError(
            f"The experts in {folder} have {index['parameters']} parameters, the recipe's network "
            f"{model.layout.size}: they are of another architecture. Name others with --experts."
        )
    window = read_window(folder, index, recipe.window)
    return Expert(jnp.asarray(window), recipe.starts, recipe.ahead, recipe.spread)


def begin(recipe: Recipe, split: Split) -> Data:
    """The first u."""
    check_size(recipe.ipc, split)
    key = jr.fold_in(jr.key(recipe.seed), 0)
    return recipe.initial(key, split.train, pixels(split.train), recipe.ipc)


def check_size(ipc: int, split: Split) -> None:
    """Refuse more points a class than the smallest has, by the class's name."""
    sizes = np.asarray(split.train.y.sum(axis=0)).astype(int)
    smallest = int(sizes.argmin())
    if ipc > sizes[smallest]:
        raise UserError(
            f"ipc {ipc} is more than the {sizes[smallest]} points of class "
            f"{split.names[smallest] if split.names else smallest}, the smallest of train without "
            f"what is held out. Choose ipc {sizes[smallest]} or less."
        )


def distill(task: Task, run: Run, control: Control) -> None:
    """Learn until all steps are done, from where the folder's state stands."""
    recipe, split, problem, u = task.recipe, task.split, task.problem, task.first
    learner = Learner(recipe.divergence, recipe.optimiser.build(), recipe.augment)
    facts: dict[str, float] = {"classes": split.classes, "ipc": recipe.ipc}
    write_coreset(run.file(INITIAL), u, facts, split.preprocess)

    state = restored(run, learner.init(u, recipe.infer))
    saved_at = time.monotonic()
    stride = max(1, recipe.steps // LOOKS)
    while int(state.step) < recipe.steps:
        until = min((int(state.step) // stride + 1) * stride, recipe.steps)
        state, loss = stretch(recipe, learner, problem, state, until, stride, run)
        row = {"step": until, "loss": loss, "rate": inner_rate(state)}
        row |= student(state.learned, task)
        run.log(row)
        told = {name: value for name, value in row.items() if name != "step"}
        control.say(f"{recipe.divergence.name} {run.path.name}", until, recipe.steps, told)
        if control.signum or time.monotonic() - saved_at > SAVE_EVERY:
            save(run, state)
            saved_at = time.monotonic()
        control.stop_if_asked(f"step {until} of {recipe.steps} is saved")
    save(run, state)
    facts["rate"] = inner_rate(state)
    write_coreset(run.file(CORESET), state.learned.u, facts, split.preprocess)


def stretch(
    recipe: Recipe,
    learner: Learner,
    problem: Problem,
    state: State,
    until: int,
    room: int,
    run: Run,
) -> tuple[State, float]:
    """The state after step `until`, and the mean loss on the way; an end if one is not finite."""
    key = jr.fold_in(jr.key(recipe.seed), 1)
    steps = until - int(state.step)
    end = advance(learner, key, problem, state, jnp.asarray(until), room)
    if not bool(end.finite):
        save(run, end.state)
        raise UserError(
            f"{diverged(int(end.state.step) + 1)} They are {recipe.optimiser}, and the inner rate "
            f"{inner_rate(end.state):g}. The last good state, step "
            f"{int(end.state.step)}, is kept in {run.file(STATE)}."
        )
    return end.state, float(end.losses[:steps].mean())


def unrolled(learned: Learned) -> Unroll:
    """The inference of a recipe."""
    assert isinstance(learned.infer, Unroll)
    return learned.infer


def inner_rate(state: State) -> float:
    return float(unrolled(state.learned).rate)


def student(learned: Learned, task: Task) -> dict[str, float]:
    """How well a network trained on u, `LONGER` than a student, predicts held-out points."""
    held_out, start = task.split.held_out, task.expert.trajectories[0, 0]
    if len(held_out) == 0:
        return {}
    accuracy, nll = student_scores(learned, task.model, start, held_out)
    return {"held_out_acc": float(accuracy), "held_out_nll": float(nll)}


@eqx.filter_jit
def student_scores(learned: Learned, model: Model, start: Theta, held_out: Data):
    infer = unrolled(learned)
    longer = eqx.tree_at(lambda it: it.rate, Unroll(LONGER * infer.steps), infer.rate)
    theta = longer(jr.key(0), model, learned.u, start).mean()
    log_probs = jax.nn.log_softmax(model.logits(theta, held_out.x))
    labels = held_out.y.argmax(-1)
    chosen = jnp.take_along_axis(log_probs, labels[:, None], axis=1)
    return accuracy(jnp.exp(log_probs), labels), -chosen.mean()


def save(run: Run, state: State) -> None:
    """Everything that the next step needs."""
    leaves = {f"{i:03d}": np.asarray(leaf) for i, leaf in enumerate(jax.tree.leaves(state))}
    write_tensors(run.file(STATE), leaves, {})


def restored(run: Run, state: State) -> State:
    """The saved state, or the first one; the log is cut back to it."""
    if run.file(STATE).exists():
        leaves, structure = jax.tree.flatten(state)
        saved, _ = read_tensors(run.file(STATE), [f"{i:03d}" for i in range(len(leaves))])
        for leaf, array in zip(leaves, saved.values(), strict=True):
            if (leaf.shape, leaf.dtype) != (array.shape, array.dtype):
                raise UserError(
                    f"{run.file(STATE)} is of another recipe: delete it and start again."
                )
        state = jax.tree.unflatten(structure, [jnp.asarray(array) for array in saved.values()])
    step = int(state.step)
    run.keep_metrics(lambda row: row["step"] <= step)
    return state
