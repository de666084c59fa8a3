"""From a recipe to a finished folder: what the command line and `rerun.py` call."""

import hashlib
from pathlib import Path
from typing import Any

from pseudocore.engine.control import Control
from pseudocore.engine.distill import distill, prepare
from pseudocore.engine.experts import device, make_experts
from pseudocore.model import Model
from pseudocore.recipes.base import ExpertPlan, Recipe
from pseudocore.store.coreset import CORESET, read_coreset
from pseudocore.store.run import Run
from pseudocore.store.source import imports, to_python
from pseudocore.store.trajectories import INDEX, read_index
from pseudocore.store.values import to_json

RERUN = '''"""Runs this recipe again: python rerun.py EXPERTS OUT"""

import sys

from pseudocore import *
{imports}
recipe = {recipe}

if __name__ == "__main__":
    make_coreset(recipe, experts=sys.argv[1], out=sys.argv[2])
'''


def create(path: str | Path, recipe: dict[str, Any]) -> Run:
    """A folder that must be new."""
    return Run.create(path, recipe, device())


def resume(path: str | Path, recipe: dict[str, Any]) -> Run:
    """A folder that may hold part of the same work."""
    return Run.resume(path, recipe, device())


def train_plan(
    plan: ExpertPlan, out: str | Path, control: Control | None = None, opened=create
) -> Path:
    """Train the experts of a plan into a folder, which is opened once the data are seen to fit."""
    data = plan.data.load().train
    model = Model.of(plan.network, data)
    make_experts(plan, model, data, opened(out, to_json(plan)), control or Control())
    return Path(out)


def make_coreset(
    recipe: Recipe,
    experts: str | Path,
    out: str | Path,
    control: Control | None = None,
    opened=create,
) -> Path:
    """Learn the coreset of a recipe into a folder, from the experts in another."""
    read_index(Path(experts))
    trained = hashlib.sha256((Path(experts) / INDEX).read_bytes()).hexdigest()
    identity = {"recipe": to_json(recipe), "experts": trained}
    if (Path(out) / CORESET).exists():
        opened(out, identity)  # refuses the run of another recipe
        read_coreset(Path(out) / CORESET)  # refuses a damaged one
        return Path(out)
    task = prepare(recipe, Path(experts))
    run = opened(out, identity)
    run.write_text("recipe.txt", to_python(recipe) + "\n")
    run.write_text("rerun.py", RERUN.format(imports=imports(recipe), recipe=to_python(recipe)))
    distill(task, run, control or Control())
    return Path(out)
