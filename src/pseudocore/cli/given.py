"""Other data than a recipe's own, and what becomes of its augmentations on points of no image."""

import contextlib
import dataclasses
from collections.abc import Sequence
from typing import Any, TypeVar

from pseudocore import datasets
from pseudocore.augment import Augment, Unchanged
from pseudocore.augment.checks import takes
from pseudocore.cli.console import say as tell
from pseudocore.datasets.base import Dataset, Split
from pseudocore.engine.comparison import chosen_judges
from pseudocore.errors import UserError
from pseudocore.evaluate import Judge
from pseudocore.progress import Say
from pseudocore.recipes.base import ExpertPlan, Recipe
from pseudocore.recipes.judges import fitted
from pseudocore.store.values import fields
from pseudocore.types import Shape

Planned = TypeVar("Planned", ExpertPlan, Recipe)

INSTEAD = f"{datasets.forms()} instead of the recipe's data."  # what --data takes


def take_data(
    value: Planned, arguments: Sequence[str]
) -> tuple[Planned, list[str], Dataset | None]:
    """The plan or recipe on the data that --data names, the words left over, and those data.

    Done before other flags are read, so that there are flags for the fields of those data.
    """
    name, rest = take_flag("--data", arguments)
    if name is None:
        return value, rest, None
    data = on_data(value, datasets.named(name))
    return data, rest, plan_of(data).data


def take_flag(flag: str, arguments: Sequence[str]) -> tuple[str | None, list[str]]:
    """The last word given with a flag, and the arguments without it."""
    found, rest, words = None, [], iter(arguments)
    for word in words:
        if word == flag:
            found = next(words, None)
            if found is None:
                raise UserError(f"{flag} is the last word: behind it stands {INSTEAD}")
        elif word.startswith(f"{flag}="):
            found = word.partition("=")[2]
        else:
            rest.append(word)
    return found, rest


def family_for(name: str) -> str:
    """The family of recipes for data of this name, where no recipe is named: it is said."""
    family = "digits" if are_rows(datasets.named(name)) else "digits-convnet"
    tell(f"No recipe is named: {family}, whose rates and steps were chosen on the digits.")
    return family


def are_rows(data: Dataset) -> bool:
    """Whether the points are no images; what cannot be read is said later."""
    if isinstance(data, datasets.Npz | datasets.Npy):
        with contextlib.suppress(UserError):
            return data.read().train.values.ndim == 2
    return isinstance(data, datasets.Csv | datasets.Libsvm)


def plan_of(value: Planned) -> ExpertPlan:
    return value.plan if isinstance(value, Recipe) else value


def on_data(value: Planned, data: Dataset) -> Planned:
    """The same on other data; what is held out stays what the recipe says."""
    plan = plan_of(value)
    kept = {field: getattr(plan.data, field) for field in ("held_out", "seed")}
    moved: Any = dataclasses.replace(plan, data=dataclasses.replace(data, **kept))
    if isinstance(value, Recipe):
        moved = dataclasses.replace(value, plan=moved)
    return moved


def moved(recipe: Recipe, name: str | None) -> Recipe:
    """The recipe on the same data at another place, if one is named."""
    if name is None:
        return recipe
    path = getattr(datasets.named(name), "path", None)
    if path is None or not hasattr(recipe.plan.data, "path"):
        raise UserError(f"--data {name} is no other place of {recipe.plan.data}: leave it out.")
    data: Any = dataclasses.replace(recipe.plan.data, path=path)
    return dataclasses.replace(recipe, plan=dataclasses.replace(recipe.plan, data=data))


def fitted_to(value: Planned, say: Say) -> Planned:
    """The plan or recipe without what cannot be done to its points; a person is told what goes."""
    found = plan_of(value).data.open(say)
    for note in found.raw.notes:
        tell(note)
    return told(value, suited(value, found.shape), found.shape)


def judges_of(recipe: Recipe, protocol: str, split: Split) -> tuple[Judge, ...]:
    """The judges of a protocol, for the points that there are; the paper's own augment images."""
    judges = chosen_judges(recipe, protocol, split)
    return told(judges, suited(judges, split.shape), split.shape)


def suited(value: Any, shape: Shape) -> Any:
    """The value with every augmentation that cannot take points of this shape left out."""
    if isinstance(value, Augment):
        return value if takes(value, shape) else Unchanged()
    if isinstance(value, Judge):
        return fitted(value, shape)
    if isinstance(value, tuple):
        return tuple(suited(item, shape) for item in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = {name: suited(getattr(value, name), shape) for name in fields(type(value))}
        return dataclasses.replace(value, **parts)
    return value


def told(before: Any, after: Any, shape: Shape) -> Any:
    """The value after, and a line about it if it is another."""
    if after != before:
        tell(f"Points of shape {shape} are no images: no augmentation, and A-SGHMC is SGHMC here.")
    return after
