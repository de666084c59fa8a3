"""The Python that builds a configuration value: what a person reads, types, and runs again."""

import ast
import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pseudocore.errors import UserError, unknown
from pseudocore.store.values import (
    FUNCTION,
    TYPE,
    build,
    fields,
    home,
    is_named,
    to_json,
    with_floats,
)

WIDTH = 88


def to_python(value: Any) -> str:
    """The Python that builds `value` where its names are in scope: `ForwardKL(draws=30)`."""
    to_json(value)  # Refuses what has no such source.
    return _source(value, indent=0, used=0)


def spelt(raw: Any) -> str:
    """A value as `to_json` wrote it, spelt as `to_python` spells it; no class needs to be known."""
    if isinstance(raw, list):
        return f"({', '.join(map(spelt, raw))}{',' * (len(raw) == 1)})"
    if not isinstance(raw, dict):
        return repr(raw)
    if raw.get(TYPE) == FUNCTION:
        return str(raw.get("name"))
    items = {name: spelt(item) for name, item in raw.items() if name != TYPE}
    if TYPE in raw:
        return f"{raw[TYPE]}({', '.join(f'{name}={item}' for name, item in items.items())})"
    return f"{{{', '.join(f'{name!r}: {item}' for name, item in items.items())}}}"


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


def from_python(text: str, known: Mapping[str, type]) -> Any:
    """The value of `ConvNet(depth=2)`, typed by a person: calls of the classes in `known`.

    Nothing is evaluated: literals, tuples and those calls are all there is.
    """
    try:
        return _read(ast.parse(text.strip(), mode="eval").body, known)
    except (SyntaxError, ValueError, RecursionError) as error:
        if isinstance(error, UserError):
            raise
        raise UserError(
            f"{text!r} is no value: write it as a recipe prints it, ConvNet(depth=2, width=16)."
        ) from error


def _read(node: ast.expr, known: Mapping[str, type]) -> Any:
    match node:
        case ast.Tuple(elts=items):
            return tuple(_read(item, known) for item in items)
        case ast.Call(func=ast.Name(id=name), args=first, keywords=named):
            if name not in known:
                raise unknown("type", name, known)
            order = fields(known[name])
            if len(first) > len(order):
                raise UserError(f"{name} takes {len(order)} values, {len(first)} are given.")
            given = list(zip(order, first, strict=False))
            given += [(field_of(name, word.arg, order), word.value) for word in named]
            items = with_floats(known[name], {word: _read(item, known) for word, item in given})
            return build(known[name], name, items)
    return ast.literal_eval(node)


def field_of(kind: str, name: str | None, order: Sequence[str]) -> str:
    """The name of a field, if the class has it."""
    if name is None:
        raise ValueError("** is no name of a field")
    if name not in order:
        raise unknown(f"{kind} field", name, order)
    return name
