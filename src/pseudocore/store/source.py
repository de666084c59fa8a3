"""The Python that builds a configuration value: what a person reads, and what runs it again."""

import dataclasses
from collections.abc import Iterator
from typing import Any

from pseudocore.store.values import fields, home, is_named, to_json

WIDTH = 88


def to_python(value: Any) -> str:
    """The Python that builds `value` where its names are in scope: `ForwardKL(draws=30)`."""
    to_json(value)  # Refuses what has no such source.
    return _source(value, indent=0, used=0)


def imports(value: Any) -> str:
    """The lines that bring the user's own functions and classes into scope."""
    homes = {home(thing) for thing in _made_of(value)}
    own = ((module, name) for module, name in sorted(homes) if module.split(".")[0] != "pseudocore")
    return "".join(f"from {module} import {name}\n" for module, name in own)


def _made_of(value: Any) -> Iterator[Any]:
    """Every function and class that the source of a value names."""
    if is_named(value):
        yield value
    elif dataclasses.is_dataclass(value):
        yield type(value)
    for _, item in _parts(value)[1]:
        yield from _made_of(item)


def _source(value: Any, indent: int, used: int) -> str:
    """`used`: the columns that the name before and the comma after take on the first line."""
    line = _line(value)
    opening, parts, closing = _parts(value)
    if not parts or indent + used + len(line) <= WIDTH:
        return line
    margin = "\n" + " " * (indent + 4)
    items = (f"{margin}{name}{_source(item, indent + 4, len(name) + 1)}," for name, item in parts)
    return opening + "".join(items) + "\n" + " " * indent + closing


def _line(value: Any) -> str:
    opening, parts, closing = _parts(value)
    comma = "," if type(value) is tuple and len(parts) == 1 else ""
    return opening + ", ".join(name + _line(item) for name, item in parts) + comma + closing


def _parts(value: Any) -> tuple[str, list[tuple[str, Any]], str]:
    """What opens a value, its items with the names before them, and what closes it."""
    if type(value) is tuple:
        return "(", [("", item) for item in value], ")"
    if type(value) is dict:
        return "{", [(f"{name!r}: ", item) for name, item in value.items()], "}"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        kind = type(value)
        return f"{kind.__name__}(", [(f"{n}=", getattr(value, n)) for n in fields(kind)], ")"
    return (value.__qualname__ if is_named(value) else repr(value)), [], ""
