"""Recipes by name."""

from pseudocore.errors import unknown
from pseudocore.recipes import digits, paper
from pseudocore.recipes.base import ExpertPlan as ExpertPlan
from pseudocore.recipes.base import Recipe as Recipe


def presets() -> dict[str, Recipe]:
    """Every recipe that ships with the package."""
    return digits.recipes() | paper.recipes()


def preset(name: str) -> Recipe:
    """The recipe of this name, or an error with the nearest name."""
    known = presets()
    if name not in known:
        raise unknown("recipe", name, known)
    return known[name]
