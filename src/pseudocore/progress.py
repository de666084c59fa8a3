"""What long work tells whoever waits for it."""

from collections.abc import Callable, Mapping

# (what is done, steps done, steps in all, what a person wants to know now)
Say = Callable[[str, int, int, Mapping[str, float]], None]


def silent(what: str, done: int, total: int, facts: Mapping[str, float]) -> None:
    """Say nothing."""
