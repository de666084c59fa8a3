"""The command that a person types to get what is missing."""

import shlex

from pseudocore.datasets import Cifar10, form_of
from pseudocore.recipes import digits, paper
from pseudocore.recipes.base import ExpertPlan
from pseudocore.store.source import imports, to_python
from pseudocore.store.values import PLAIN, fields


def to_train(plan: ExpertPlan) -> str:
    """How experts of a plan's network and data are trained."""
    if imports(plan):  # the command line knows no functions of the user's own
        return "train_plan(recipe.plan, FOLDER)"
    known = {"digits": digits.MLP_EXPERTS, **paper.plans()}
    name = "paper/cifar10" if isinstance(plan.data, Cifar10) else "digits"
    words = ["pseudocore", "experts", name]
    if plan.network != known[name].network:
        words += ["--network", to_python(plan.network)]
    form = form_of(plan.data)
    if form not in (None, "digits"):
        words += ["--data", form]
    words += flags(plan, known[name])
    return f"{shlex.join(words)} --out FOLDER"


def flags(plan: ExpertPlan, known: ExpertPlan) -> list[str]:
    """The flags for what data of that form would not have by themselves."""
    words = []
    for field in fields(type(plan.data)):
        mine = getattr(plan.data, field)
        usual = (
            getattr(known.data, field, None)
            if field in ("held_out", "seed")
            else default(plan, field)
        )
        if field != "path" and mine != usual:
            said = str(mine) if type(mine) in PLAIN else to_python(mine)
            words += [f"--data.{field.replace('_', '-')}", said]
    return words


def default(plan: ExpertPlan, field: str):
    """What a field is where nobody says it."""
    return type(plan.data).__dataclass_fields__[field].default
