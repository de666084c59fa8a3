"""The command that a person types to get what is missing."""

import shlex

from pseudocore.datasets import Cifar10, Npz
from pseudocore.recipes import digits, paper
from pseudocore.recipes.base import ExpertPlan
from pseudocore.store.source import imports, to_python


def to_train(plan: ExpertPlan) -> str:
    """How experts of a plan's network and data are trained."""
    if imports(plan):  # the command line knows no functions of the user's own
        return "train_plan(recipe.plan, FOLDER)"
    known = {"digits": digits.MLP_EXPERTS, **paper.plans()}
    name = "paper/cifar10" if isinstance(plan.data, Cifar10) else "digits"
    words = ["pseudocore", "experts", name]
    if plan.network != known[name].network:
        words += ["--network", to_python(plan.network)]
    if isinstance(plan.data, Npz | Cifar10):
        kind = "cifar10:" if isinstance(plan.data, Cifar10) else ""
        words += ["--data", f"{kind}{plan.data.path}"]
    for field in ("held_out", "seed"):
        mine = getattr(plan.data, field)
        if mine != getattr(known[name].data, field):
            words += [f"--data.{field.replace('_', '-')}", str(mine)]
    return f"{shlex.join(words)} --out FOLDER"
