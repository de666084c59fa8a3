"""The numbers that an algorithm can work with: each checks its own in `__check_init__`.

So a wrong one is refused wherever the value is built: by a flag, a recipe's file, or Python.
"""

import math

from pseudocore.errors import UserError


def at_least(what: object, floor: int, *names: str, of: str = "") -> None:
    """Refuse numbers below what makes sense, by name; `of`: where the value stands in a recipe."""
    for name in names:
        value = getattr(what, name)
        if value < floor:
            raise UserError(f"{_called(name, of)}={value} must be at least {floor}.")


def positive(what: object, *names: str, of: str = "") -> None:
    """Refuse what zero or less makes useless or the opposite, as a rate; NaN too."""
    for name in names:
        value = getattr(what, name)
        if not value > 0:
            raise UserError(f"{_called(name, of)}={value} must be above 0.")


def within(what: object, name: str, low: float, high: float) -> None:
    """Refuse what is no number in [low, high]."""
    value = getattr(what, name)
    if not (low <= value <= high and math.isfinite(value)):
        raise UserError(
            f"{type(what).__name__}({name}={value}): choose {name} from {low} to {high}."
        )


def _called(name: str, of: str) -> str:
    return f"{of}.{name}" if of else name
