"""The one exception for what a user can put right; the command line turns it into exit code 2."""

import difflib
from collections.abc import Iterable


class UserError(ValueError):
    """Wrong input. The message names the value and the remedy."""


def unknown(kind: str, name: str, known: Iterable[str]) -> UserError:
    """An error for a name that is not there, with the nearest one that is."""
    known = sorted(known)
    nearest = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
    hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
    return UserError(f"There is no {kind} {name!r}.{hint} Known: {', '.join(known)}.")
