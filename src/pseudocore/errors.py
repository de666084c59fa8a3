"""The one exception for what a user can put right; the command line turns it into exit code 2."""

import difflib
from collections.abc import Iterable

FEW = 10  # names that a message can list
NEAREST = 4


class UserError(ValueError):
    """Wrong input. The message names the value and the remedy."""


def unknown(kind: str, name: str, known: Iterable[str]) -> UserError:
    """An error for a name that is not there: the nearest names, or all if few or none near."""
    known = sorted(known)
    nearest = difflib.get_close_matches(name, known, n=NEAREST, cutoff=0.4)
    hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
    if not nearest or len(known) <= FEW:
        return UserError(f"There is no {kind} {name!r}.{hint} Known: {', '.join(known)}.")
    others = f" Others like it: {', '.join(nearest[1:])}." if nearest[1:] else ""
    return UserError(f"There is no {kind} {name!r}.{hint}{others}")
