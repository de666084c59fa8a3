"""pseudocore distill: learn a pseudocoreset."""

import dataclasses
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import tyro

from pseudocore.cli.console import Bars, print_json, say
from pseudocore.cli.data import INSTEAD, on_data
from pseudocore.cli.options import check_readable, known, parse, take_word
from pseudocore.cli.parts import take_parts
from pseudocore.engine.control import Control
from pseudocore.engine.runs import make_coreset
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
SHOWN = "digits/ipc1-fkl"  # whose flags the help shows where no recipe is named


@dataclasses.dataclass(frozen=True)
class Distill:
    recipe: Annotated[Recipe, tyro.conf.arg(name="")]
    experts: Path
    """Folder of the experts."""
    out: Path
    """Folder for the run."""
    data: Annotated[str | None, tyro.conf.arg(help=INSTEAD)] = None
    resume: bool = False
    """Continue what was stopped."""
    json: bool = False
    """Print the last metrics as JSON."""


def main(arguments: Sequence[str]) -> int:
    recipes = presets()
    name, rest = take_word(arguments, "")
    if not name:
        if not {"-h", "--help"} & set(rest):
            raise UserError(
                f"Name a recipe: pseudocore distill {SHOWN} --experts FOLDER --out FOLDER. "
                "pseudocore distill --help lists them all."
            )
        name = SHOWN
    if name not in recipes:
        raise unknown("recipe", name, recipes)
    recipe, rest = take_parts(recipes[name], rest, known())
    about = ABOUT.format(names=families(recipes))
    options = parse("distill RECIPE", partial(Distill, recipe=recipe), rest, about, EXAMPLES)
    recipe = on_data(options.recipe, options.data)
    check_readable(recipe)
    with Bars() as bars, Control(bars.say) as control:
        make_coreset(recipe, options.experts, options.out, control, resume=options.resume)
    if options.json:
        print_json(Run.read(options.out).metrics()[-1])
    say(f"The coreset is {options.out / CORESET}. Judge it: pseudocore evaluate {options.out}")
    return 0


def families(recipes: dict[str, Recipe]) -> str:
    """The names, one line for those that differ in the method only."""
    lines: dict[str, list[str]] = {}
    for name in recipes:
        family, _, method = name.partition("ipc")
        size, _, method = method.partition("-")
        lines.setdefault(f"{family}ipc{size}-", []).append(method)
    return "\n".join(f"  {family}{{{','.join(methods)}}}" for family, methods in lines.items())
