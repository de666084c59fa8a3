"""pseudocore distill: learn a pseudocoreset."""

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
from pseudocore.engine.distill import begin
from pseudocore.engine.runs import make_coreset, train_plan
from pseudocore.errors import UserError, unknown
from pseudocore.recipes import presets
from pseudocore.recipes.base import Recipe
from pseudocore.store.coreset import CORESET
from pseudocore.store.run import Run

ABOUT = """Learn a pseudocoreset with a divergence, from experts trained before.

Every number and name in the recipe is a flag, and so is every part of it, written as the recipe
prints it: --augment 'DSA()'. Recipes:
{names}"""

EXAMPLES = (
    "pseudocore distill digits/ipc1-fkl --experts runs/experts --out runs/fkl",
    "pseudocore distill --data FOLDER_OF_PICTURES --ipc 1 --out runs/mine",
    "pseudocore distill digits/ipc10-w --experts runs/experts --steps 1000 --out runs/w",
    "pseudocore distill digits/ipc1-fkl --ipc 3 --optimiser.labels 0.1 --seed 7 --out runs/soft "
    "--experts runs/experts",
    "pseudocore distill digits/ipc1-fkl --divergence 'ForwardKL(draws=30)' "
    "--optimiser 'OuterSGD(images=1.0)' --augment 'DSA((Crop(), Rotate()))' "
    "--experts runs/experts --out runs/augmented",
    "pseudocore distill paper/cifar10-ipc10-fkl --data cifar10:FOLDER --plan.data.held-out 0.1 "
    "--experts runs/cifar --out runs/cifar-fkl",
    "pseudocore distill digits/ipc1-fkl --experts runs/experts --out runs/fkl --resume",
)
SIZE = "ipc1-fkl"
SHOWN = "digits/ipc1-fkl"  # whose flags the help shows where no recipe is named


@dataclasses.dataclass(frozen=True)
class Distill:
    recipe: Annotated[Recipe, tyro.conf.arg(name="")]
    experts: Path | None = None
    """Folder of the experts; without it they are trained first, into OUT-experts."""
    out: Path = Path("pseudocore-run")
    """Folder for the run."""
    data: Annotated[str | None, tyro.conf.arg(help=INSTEAD)] = None
    resume: bool = False
    """Continue what was stopped."""
    json: bool = False
    """Print the last metrics as JSON."""


def main(arguments: Sequence[str]) -> int:
    recipes = presets()
    name, rest = take_word(arguments, "")
    name = name or instead_of_a_name(rest)
    if name not in recipes and Path(name).exists():
        raise UserError(f"{name} is no recipe but on the disk: name data with --data {name}.")
    if name not in recipes:
        raise unknown("recipe", name, recipes)
    recipe, rest, data = take_data(recipes[name], rest)
    recipe, rest = take_parts(recipe, rest, known())
    about = ABOUT.format(names=families(recipes))
    options = parse("distill RECIPE", partial(Distill, recipe=recipe), rest, about, EXAMPLES)
    recipe = options.recipe
    with Bars() as bars, Control(bars.say) as control:
        recipe = fitted_to(recipe, control.say) if data else recipe
        check_readable(recipe)
        experts = options.experts or trained(recipe, options.out, options.resume, control)
        make_coreset(recipe, experts, options.out, control, resume=options.resume)
    if options.json:
        print_json(Run.read(options.out).metrics()[-1])
    say(f"The coreset is {options.out / CORESET}. Judge it: pseudocore evaluate {options.out}")
    return 0


def instead_of_a_name(arguments: Sequence[str]) -> str:
    """The recipe for data of one's own, where none is named: a ConvNet for pictures."""
    if {"-h", "--help"} & set(arguments):
        return SHOWN
    given, _ = take_flag("--data", arguments)
    if given is None:
        raise UserError(
            f"Name a recipe: pseudocore distill {SHOWN} --out FOLDER. pseudocore distill --help "
            "lists them all."
        )
    return f"{family_for(given)}/{SIZE}"


def trained(recipe: Recipe, out: Path, resumed: bool, control: Control) -> Path:
    """The recipe's experts, trained beside the run if they are not there yet."""
    begin(recipe, recipe.plan.data.load())  # what would stop the run stops it now
    if not resumed and out.is_dir() and any(out.iterdir()):
        Run.read(out)  # says so if it is no run's folder
        raise UserError(
            f"{out} already holds a run: continue it with --resume, or choose another --out."
        )
    if recipe.plan.epochs < recipe.window:
        raise UserError(
            f"--plan.epochs {recipe.plan.epochs} are too few, {recipe.window} are needed (starts - "
            "1 + ahead): raise them, or lower --starts or --ahead."
        )
    folder = out.with_name(f"{out.name}-experts")
    say(f"No --experts are named: {folder} is trained, or taken as it is if it was before.")
    return train_plan(recipe.plan, folder, control, resume=True)


def families(recipes: dict[str, Recipe]) -> str:
    """The names, one line for those that differ in the method only."""
    lines: dict[str, list[str]] = {}
    for name in recipes:
        family, _, method = name.partition("ipc")
        size, _, method = method.partition("-")
        lines.setdefault(f"{family}ipc{size}-", []).append(method)
    return "\n".join(f"  {family}{{{','.join(methods)}}}" for family, methods in lines.items())
