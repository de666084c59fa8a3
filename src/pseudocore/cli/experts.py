"""pseudocore experts: train expert networks and keep their trajectories."""

import dataclasses
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import tyro

from pseudocore.cli.console import Bars, print_json, say
from pseudocore.cli.given import INSTEAD, family_for, fitted_to, take_data, take_flag
from pseudocore.cli.options import check_readable, known, parse, take_word
from pseudocore.cli.parts import take_parts
from pseudocore.engine.control import Control
from pseudocore.engine.runs import train_plan
from pseudocore.errors import unknown
from pseudocore.recipes import digits, paper, presets
from pseudocore.recipes.base import ExpertPlan
from pseudocore.report.metric import counted
from pseudocore.store.trajectories import read_index

ABOUT = """Train networks on the whole data, and keep their parameters after every epoch.

RECIPE names the plan: digits (the default), digits-convnet, paper/cifar10, paper/cifar10-aug, or
any recipe of pseudocore distill. Every part of the plan is a flag too, written as a recipe prints
it: --network 'ConvNet(depth=2, width=32)'."""

EXAMPLES = (
    "pseudocore experts digits --out runs/experts",
    "pseudocore experts digits --data mine.npz --network.width 128 --out runs/mine",
    "pseudocore experts digits --network 'MLP(32, 2)' --training.augment 'DSA((Crop(),))' "
    "--out runs/augmented",
    "pseudocore experts paper/cifar10 --data cifar10:FOLDER --count 20 --epochs 22 "
    "--out runs/cifar",
    "pseudocore experts digits --out runs/experts --resume",
)


@dataclasses.dataclass(frozen=True)
class Experts:
    plan: Annotated[ExpertPlan, tyro.conf.arg(name="")]
    out: Path
    """Folder for the experts."""
    data: Annotated[str | None, tyro.conf.arg(help=INSTEAD)] = None
    resume: bool = False
    """Continue what was stopped."""
    json: bool = False
    """Print the index as JSON."""


def plans() -> dict[str, ExpertPlan]:
    """Every plan by the names of its recipes, and by the family alone."""
    short = {family: plan for family, (plan, _) in digits.FAMILIES.items()}
    return short | paper.plans() | {name: recipe.plan for name, recipe in presets().items()}


def main(arguments: Sequence[str]) -> int:
    name, rest = take_word(arguments, "")
    given, _ = take_flag("--data", rest)
    name = name or (family_for(given) if given else "digits")
    if name not in plans():
        raise unknown("recipe", name, plans())
    plan, rest, data = take_data(plans()[name], rest)
    plan, rest = take_parts(plan, rest, known())
    options = parse("experts [RECIPE]", partial(Experts, plan=plan), rest, ABOUT, EXAMPLES)
    plan = options.plan
    with Bars() as bars, Control(bars.say) as control:
        plan = fitted_to(plan, control.say) if data else plan
        check_readable(plan)
        train_plan(plan, options.out, control, resume=options.resume)
    if options.json:
        print_json(read_index(options.out))
    experts, epochs = counted(plan.count, "expert"), counted(plan.epochs, "epoch")
    say(f"{experts} of {epochs} {'is' if plan.count == 1 else 'are'} in {options.out}.")
    return 0
