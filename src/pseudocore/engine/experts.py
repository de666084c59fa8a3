"""Train experts into a folder."""

import time
from pathlib import Path

import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np

from pseudocore.data import Data
from pseudocore.datasets.base import Opened
from pseudocore.datasets.stored import Stored
from pseudocore.engine.control import Control
from pseudocore.engine.train_stored import train_stored_epoch
from pseudocore.errors import UserError
from pseudocore.model import Model
from pseudocore.recipes.base import ExpertPlan
from pseudocore.store.run import Run
from pseudocore.store.source import to_python
from pseudocore.store.tensors import digest, read_tensors, write_tensors
from pseudocore.store.trajectories import (
    INDEX,
    expert_file,
    read_index,
    write_expert,
    write_index,
)
from pseudocore.train import expert_keys, initial, train_epoch

UNFINISHED = "unfinished.safetensors"
SAVE_EVERY = 60.0  # seconds of work that a kill may cost


def make_experts(
    plan: ExpertPlan, model: Model, opened: Opened, run: Run, control: Control
) -> None:
    """Train all experts that the folder does not hold yet, group by group."""
    if (run.path / INDEX).exists() and intact(run.path):
        return
    data = opened.train()
    for first in range(0, plan.count, plan.together):
        group = range(first, min(first + plan.together, plan.count))
        if all(expert_file(run.path, number).exists() for number in group):
            continue
        paths = train_group(plan, group, run, model, data, control)
        for number, path in zip(group, np.swapaxes(paths, 0, 1), strict=True):
            facts = {
                "network": to_python(plan.network),
                "seed": f"{plan.seed}",
                "number": f"{number}",
            }
            write_expert(run.path, number, path, facts)
    run.file(UNFINISHED).unlink(missing_ok=True)
    write_index(
        run.path, run.recipe, plan.count, model.layout.size, opened.fingerprint, opened.preprocess
    )


def intact(folder: Path) -> bool:
    """Whether every expert's file is the one that the index describes."""
    for entry in read_index(folder)["experts"]:
        file = folder / entry["file"]
        if not file.exists() or digest(file) != entry["sha256"]:
            raise UserError(
                f"{file} is missing or was changed after it was written: delete it and the index "
                f"({folder / INDEX}), then run again with --resume."
            )
    return True


def train_group(
    plan: ExpertPlan, group: range, run: Run, model: Model, data: Data | Stored, control: Control
) -> np.ndarray:
    """The paths of a group of experts, (epochs + 1, experts, p), going on from a saved part."""
    keys = expert_keys(jr.key(plan.seed), group)
    paths = resumed(run, group)
    if paths is None:
        paths = [np.asarray(initial(keys, model))]
    thetas, saved_at = jnp.asarray(paths[-1]), time.monotonic()
    for epoch in range(len(paths) - 1, plan.epochs):
        arguments = plan.training, keys, jnp.asarray(epoch), model
        if isinstance(data, Stored):
            thetas, losses, accuracies = train_stored_epoch(*arguments, data, thetas)
        else:
            thetas, losses, accuracies = train_epoch(*arguments, data, thetas)
        loss, accuracy = (float(jnp.mean(v)) for v in (losses, accuracies))
        if not np.isfinite(loss):
            raise UserError(
                f"Expert training turned non-finite in epoch {epoch + 1}: lower --training.rate "
                f"(now {plan.training.rate:g}). Finished experts are kept."
            )
        paths.append(np.asarray(thetas))
        done = group.start * plan.epochs + (epoch + 1) * len(group)
        control.say("experts", done, plan.count * plan.epochs, {"loss": loss, "accuracy": accuracy})
        run.log(
            {
                "experts": [group.start, group.stop],
                "epoch": epoch + 1,
                "loss": loss,
                "accuracy": accuracy,
            }
        )
        if control.signum or time.monotonic() - saved_at > SAVE_EVERY:
            tensors = {"paths": np.stack(paths), "group": np.asarray(group)}
            write_tensors(run.file(UNFINISHED), tensors, {})
            saved_at = time.monotonic()
        control.stop_if_asked(
            f"experts up to number {group.stop} are saved after epoch {epoch + 1}"
        )
    return np.stack(paths)


def resumed(run: Run, group: range) -> list[np.ndarray] | None:
    """The saved part of this group's paths, if there is one; the log is cut back to it."""
    paths = None
    if run.file(UNFINISHED).exists():
        tensors, _ = read_tensors(run.file(UNFINISHED), ["paths", "group"])
        if tensors["group"].tolist() == list(group):
            paths = list(tensors["paths"])
    epochs = len(paths) - 1 if paths else 0
    run.keep_metrics(lambda row: row["experts"][0] != group.start or row["epoch"] <= epochs)
    return paths


def device() -> dict[str, str]:
    """The hardware that the numbers come from."""
    first = jax.devices()[0]
    return {"backend": first.platform, "device": first.device_kind}
