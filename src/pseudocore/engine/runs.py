"""From a recipe to a finished folder: what the command line and `rerun.py` call."""

import hashlib
import textwrap
from pathlib import Path
from typing import Any

from pseudocore.augment.checks import check_takes
from pseudocore.engine.control import Control
from pseudocore.engine.distill import distill, prepare
from pseudocore.engine.experts import device, make_experts
from pseudocore.model import Model
from pseudocore.recipes.base import ExpertPlan, Recipe
from pseudocore.store.coreset import CORESET, read_coreset
from pseudocore.store.files import explained
from pseudocore.store.run import Run
from pseudocore.store.source import imports, to_python
from pseudocore.store.trajectories import INDEX, read_index
from pseudocore.store.values import to_json

RERUN = '''"""Runs this recipe again: python rerun.py EXPERTS OUT"""

from pseudocore import *
from pseudocore.engine.rerun import rerun
{own}
recipe = {recipe}

if __name__ == "__main__":
    rerun(recipe)
'''
OWN = """from pseudocore.engine.rerun import own_code

with own_code("{files}"):  # needs {files} on PYTHONPATH
{imports}"""


def create(path: str | Path, recipe: dict[str, Any]) -> Run:
    """A folder that must be new."""
    return Run.create(path, recipe, device())


def resume(path: str | Path, recipe: dict[str, Any]) -> Run:
    """A folder that may hold part of the same work."""
    return Run.resume(path, recipe, device())


def opener(resumed: bool):
    """How a run's folder is opened."""
    return resume if resumed else create


def train_plan(
    plan: ExpertPlan, out: str | Path, control: Control | None = None, *, resume: bool = False
) -> Path:
    """Train the experts of a plan into a folder, which is opened once the data are seen to fit.

    `resume`: go on in a folder that holds part of them.
    """
    control = control or Control()
    opened = plan.data.open(control.say)
    check_takes(plan.training.augment, opened.shape)
    model = Model.shaped(plan.network, opened.shape, opened.classes)
    make_experts(plan, model, opened, opener(resume)(out, to_json(plan)), control)
    return Path(out)


def make_coreset(
    recipe: Recipe,
    experts: str | Path,
    out: str | Path,
    control: Control | None = None,
    *,
    resume: bool = False,
) -> Path:
    """Learn the coreset of a recipe into a folder, from the experts in another.

    `resume`: go on in a folder that holds part of the work.
    """
    opened = opener(resume)
    read_index(Path(experts))
    trained = hashlib.sha256((Path(experts) / INDEX).read_bytes()).hexdigest()
    identity = {"recipe": to_json(recipe), "experts": trained}
    with explained(Path(out)):
        finished = (Path(out) / CORESET).exists()
    if finished:
        opened(out, identity)  # refuses the run of another recipe
        read_coreset(Path(out) / CORESET)  # refuses a damaged one
        return Path(out)
    control = control or Control()
    task = prepare(recipe, Path(experts), control)
    run = opened(out, identity)
    run.write_text("recipe.txt", to_python(recipe) + "\n")
    run.write_text("rerun.py", RERUN.format(own=own_imports(recipe), recipe=to_python(recipe)))
    distill(task, run, control)
    return Path(out)


def own_imports(recipe: Recipe) -> str:
    """The lines of `rerun.py` that bring the user's own functions into scope."""
    lines = imports(recipe)
    modules = dict.fromkeys(line.split()[1] for line in lines.splitlines())
    files = ", ".join(f"{module.replace('.', '/')}.py" for module in modules)
    return OWN.format(files=files, imports=textwrap.indent(lines, "    ")) if lines else ""
