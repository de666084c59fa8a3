"""From words on the command line to frozen values: tyro makes the flags from the values themselves."""

import dataclasses
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import tyro

import pseudocore
from pseudocore import datasets
from pseudocore.engine.runs import create, resume
from pseudocore.recipes.base import ExpertPlan, Recipe
from pseudocore.store.run import Run
from pseudocore.store.values import from_json

Options = TypeVar("Options")


def parse(
    verb: str, default: Options, arguments: Sequence[str], about: str, examples: Sequence[str]
) -> Options:
    """The options of a verb: the defaults, with what the arguments say instead."""
    # Equinox modules are frozen, though not by the flag that tyro looks for.
    warnings.filterwarnings("ignore", "Mutable type", UserWarning)
    shown = "\n\n".join([about, "Examples:", *(f"  {line}" for line in examples)])
    return tyro.cli(
        type(default),
        default=default,
        args=list(arguments),
        prog=f"pseudocore {verb}",
        description=shown,
        config=(tyro.conf.AvoidSubcommands,),
    )


def take_word(arguments: Sequence[str], default: str) -> tuple[str, list[str]]:
    """The leading word, if the arguments do not begin with a flag, and the rest."""
    if arguments and not arguments[0].startswith("-"):
        return arguments[0], list(arguments[1:])
    return default, list(arguments)


def with_data(plan: ExpertPlan, name: str | None) -> ExpertPlan:
    """The plan, on the data of this name if there is one."""
    if name is None:
        return plan
    return dataclasses.replace(plan, data=datasets.named(name))


def opener(resumed: bool):
    """How a run's folder is opened."""
    return resume if resumed else create


def known() -> dict[str, type]:
    """The classes that a recipe on disk may be made of: the public ones."""
    public = {name: getattr(pseudocore, name) for name in dir(pseudocore)}
    return {name: kind for name, kind in public.items() if isinstance(kind, type)}


def read_recipe(folder: Path) -> Recipe:
    """The recipe of a run that learned a coreset."""
    run = Run.read(folder)
    if "recipe" not in run.recipe:
        raise pseudocore.UserError(
            f"{folder} is not the run of a coreset: name a folder made by pseudocore distill."
        )
    return from_json(run.recipe["recipe"], known())
