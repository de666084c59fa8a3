"""Whole parts of a recipe as flags: --plan.network 'ConvNet(depth=3)'.

tyro makes a flag of every number and word in a value; what kind of value stands there is said here.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pseudocore.store.source import from_python
from pseudocore.store.values import build, fields

Whole = TypeVar("Whole")


def take_parts(
    whole: Whole, arguments: Sequence[str], known: Mapping[str, type], but: Sequence[str] = ()
) -> tuple[Whole, list[str]]:
    """The value with the parts that the arguments replace, and the arguments left over.

    `but` are flags that name a part and mean something else.
    """
    rest: list[str] = []
    draft, changed = apart(whole), False
    words = iter(arguments)
    for word in words:
        flag, equals, text = word.partition("=")
        path = flag.removeprefix("--").replace("-", "_").split(".")
        if not flag.startswith("--") or flag in but or not is_part(draft, path):
            rest.append(word)
            continue
        put(draft, path, from_python(text if equals else next(words, ""), known))
        changed = True
    return (together(draft, "recipe") if changed else whole), rest


@dataclasses.dataclass
class Draft:
    """A value taken apart: checked only when all its parts are changed, in whatever order."""

    kind: type
    items: dict[Any, Any]


def apart(value: Any) -> Any:
    """Values and tuples as drafts, down to what has no fields."""
    if isinstance(value, tuple):
        return Draft(tuple, {str(i): apart(item) for i, item in enumerate(value)})
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        items = {name: apart(getattr(value, name)) for name in fields(type(value))}
        return Draft(type(value), items)
    return value


def together(draft: Any, where: str) -> Any:
    """The value of a draft, each part checked as if it had been built so."""
    if not isinstance(draft, Draft):
        return draft
    items = {name: together(item, f"{where}.{name}") for name, item in draft.items.items()}
    return tuple(items.values()) if draft.kind is tuple else build(draft.kind, where, items)


def is_part(draft: Any, path: Sequence[str]) -> bool:
    """Whether the path leads to something that consists of fields, or to several such."""
    for name in path:
        if not isinstance(draft, Draft) or name not in draft.items:
            return False
        draft = draft.items[name]
    several = isinstance(draft, Draft) and draft.kind is tuple
    parts = list(draft.items.values()) if several else [draft]
    return len(parts) > 0 and all(isinstance(part, Draft) for part in parts)


def put(draft: Draft, path: Sequence[str], part: Any) -> None:
    """Another part at the path."""
    *way, last = path
    for name in way:
        draft = draft.items[name]
    draft.items[last] = apart(part)
