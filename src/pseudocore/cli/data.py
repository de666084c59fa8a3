"""Other data than a recipe's own, and what becomes of its augmentations on points of no image."""

import dataclasses
from typing import Any, TypeVar

from pseudocore import datasets
from pseudocore.augment import Augment, Unchanged
from pseudocore.augment.checks import takes
from pseudocore.cli.console import say
from pseudocore.datasets.base import Split
from pseudocore.engine.comparison import chosen_judges
from pseudocore.evaluate import Judge
from pseudocore.recipes.base import ExpertPlan, Recipe
from pseudocore.recipes.judges import fitted
from pseudocore.store.values import fields
from pseudocore.types import Shape

Planned = TypeVar("Planned", ExpertPlan, Recipe)

INSTEAD = f"{datasets.forms()} instead of the recipe's data."  # what --data takes


def on_data(value: Planned, name: str | None) -> Planned:
    """The plan or recipe on the data of this name, if there is one; a person is told what goes."""
    if name is None:
        return value
    if isinstance(value, Recipe):
        moved = dataclasses.replace(value, plan=plan_on(value.plan, name))
        shape = moved.plan.data.load().shape
    else:
        moved = plan_on(value, name)
        shape = moved.data.load().shape
    return told(moved, suited(moved, shape), shape)


def plan_on(plan: ExpertPlan, name: str) -> ExpertPlan:
    flags = {flag: getattr(plan.data, flag) for flag in ("held_out", "seed")}  # these still hold
    return dataclasses.replace(plan, data=dataclasses.replace(datasets.named(name), **flags))


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
        say(f"Points of shape {shape} are no images: no augmentation, and A-SGHMC is SGHMC here.")
    return after
