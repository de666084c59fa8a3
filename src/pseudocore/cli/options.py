"""From words on the command line to frozen values: tyro makes the flags from the values."""

import dataclasses
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import tyro

import pseudocore
from pseudocore.engine.runs import opener as opener
from pseudocore.errors import UserError
from pseudocore.recipes.base import SEEDS, Recipe
from pseudocore.store.run import RECIPE, Run
from pseudocore.store.values import from_json, to_json

Options = TypeVar("Options")


def parse(
    verb: str,
    make: Callable[..., Options],
    arguments: Sequence[str],
    about: str,
    examples: Sequence[str],
) -> Options:
    """The options of a verb: what `make` has as defaults, with what the arguments say instead."""
    # Equinox modules are frozen, though not by the flag that tyro looks for.
    warnings.filterwarnings("ignore", "Mutable type", UserWarning)
    shown = "\n".join([about, "", "Examples:", *(f"  {line}" for line in examples)])
    return tyro.cli(
        make,
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


def chain_seeds(first: int, count: int) -> range:
    """The seeds of this many chains."""
    if count < 1:
        raise UserError(f"--seeds {count} leaves no chain: give 1 or more.")
    if not 0 <= first <= SEEDS - count:
        raise UserError(f"--seed {first} is no seed: give a whole number from 0, below {SEEDS}.")
    return range(first, first + count)


def known() -> dict[str, type]:
    """The classes that a recipe on disk may be made of: the public ones."""
    public = {name: getattr(pseudocore, name) for name in dir(pseudocore)}
    return {
        name: kind
        for name, kind in public.items()
        if isinstance(kind, type) and dataclasses.is_dataclass(kind)
    }


def check_readable(value: Any) -> None:
    """Refuse what the other verbs could not read back: a class that the package does not export."""
    raw = to_json(value)
    try:
        from_json(raw, known())
    except UserError as error:
        raise UserError(
            f"What is recorded here no other verb could read: {error} Export the class in "
            "src/pseudocore/__init__.pyi, or call train_plan and make_coreset from Python."
        ) from error


def read_recipe(folder: Path) -> Recipe:
    """The recipe of a run that learned a coreset."""
    run = Run.read(folder)
    if "recipe" not in run.recipe:
        raise UserError(
            f"{folder} is not the run of a coreset: name a folder made by pseudocore distill."
        )
    try:
        recipe = from_json(run.recipe["recipe"], known())
    except UserError as error:
        raise UserError(f"{folder / RECIPE}: {error}") from error
    if not isinstance(recipe, Recipe):
        raise UserError(
            f"{folder / RECIPE} holds {type(recipe).__name__} where a Recipe should be: it was "
            "changed after it was written."
        )
    return recipe
