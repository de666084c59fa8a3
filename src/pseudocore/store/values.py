"""Configuration values to JSON and back.

A value is a frozen dataclass (an `equinox.Module` is one) of numbers, strings, None, tuples, dicts
and other values; as JSON it is `{"type": "ForwardKL", "draws": 30}`. A function of the user's own
is recorded by its name, and not read back: reading only ever calls classes that the caller named,
no text from a file is imported or evaluated. NaN and the infinities are refused: JSON cannot say
them, and NaN would not equal itself after the round trip.
"""

import dataclasses
import math
import sys
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pseudocore.errors import UserError, unknown

TYPE, FUNCTION = "type", "function"
PLAIN = (bool, int, float, str, types.NoneType)


def to_json(value: Any) -> Any:
    """A value as dicts, lists, numbers and strings; every field is said, defaults too."""
    return _raw(value, type(value).__name__)


def _raw(value: Any, where: str) -> Any:
    kind = type(value)
    if kind is float and not math.isfinite(value):
        raise UserError(f"{where} is {value}; give a finite number, or None for no limit.")
    if kind in PLAIN:
        return value
    if kind is tuple:
        return [_raw(item, f"{where}[{i}]") for i, item in enumerate(value)]
    if kind is dict or dataclasses.is_dataclass(kind):
        items = value if kind is dict else {name: getattr(value, name) for name in fields(kind)}
        if any(type(name) is not str or name == TYPE for name in items):
            raise UserError(f"{where} may only be keyed by strings other than {TYPE!r}.")
        raw = {name: _raw(item, f"{where}.{name}") for name, item in items.items()}
        return raw if kind is dict else {TYPE: kind.__name__, **raw}
    if is_named(value):
        return {TYPE: FUNCTION, "name": ".".join(home(value))}
    raise UserError(
        f"{where} is of type {kind.__module__}.{kind.__qualname__}, which a record cannot hold; "
        "give plain Python numbers, strings, None, tuples, dicts, dataclasses of these, or "
        "functions defined by name at the top level of a module."
    )


def is_named(value: Any) -> bool:
    """Whether a value is a function or class that another program could import by its name."""
    return callable(value) and str(getattr(value, "__qualname__", "")).isidentifier()


def home(function: Any) -> tuple[str, str]:
    """The module and the name of a function; a script's module is called as its file."""
    module = function.__module__
    if module == "__main__":
        module = Path(getattr(sys.modules[module], "__file__", None) or module).stem
    return module, function.__qualname__


def from_json(raw: Any, known: Mapping[str, type]) -> Any:
    """The value that `to_json` wrote, built from the classes in `known` and no others."""
    return _value(raw, known, str(raw.get(TYPE, "value")) if type(raw) is dict else "value")


def _value(raw: Any, known: Mapping[str, type], where: str) -> Any:
    if type(raw) in PLAIN and not (type(raw) is float and not math.isfinite(raw)):
        return raw
    if type(raw) is list:
        return tuple(_value(item, known, f"{where}[{i}]") for i, item in enumerate(raw))
    if type(raw) is not dict:
        raise UserError(f"{where} is {raw!r}, which is no JSON value.")
    if TYPE not in raw:
        return {name: _value(item, known, f"{where}.{name}") for name, item in raw.items()}
    if raw[TYPE] == FUNCTION:
        raise UserError(
            f"{where} is {raw.get('name')}, a function of your own, which a record names but "
            "does not hold: build the recipe in Python, and call its judges there."
        )
    kind = known.get(raw[TYPE]) if type(raw[TYPE]) is str else None
    if kind is None:
        raise unknown("type", str(raw[TYPE]), known)
    items = {name: item for name, item in raw.items() if name != TYPE}
    _check_names(raw[TYPE], where, items, fields(kind))
    items = {name: _value(item, known, f"{where}.{name}") for name, item in items.items()}
    return build(kind, where, items)


def _check_names(kind: str, where: str, given: Mapping[str, Any], wanted: list[str]) -> None:
    extra = ", ".join(name for name in given if name not in wanted)
    missing = ", ".join(name for name in wanted if name not in given)
    if extra or missing:
        raise UserError(
            f"{where} does not fit {kind}: unknown fields: {extra or 'none'}; missing fields: "
            f"{missing or 'none'}. {kind} has: {', '.join(wanted) or 'no fields'}."
        )


def build(kind: type, where: str, items: Mapping[str, Any]) -> Any:
    """The value of a class with these fields, each of the type that the class declares."""
    for name, hint in _hints(kind).items():
        if name in items and not _fits(items[name], hint):
            wanted = getattr(hint, "__name__", hint) if isinstance(hint, type) else hint
            raise UserError(f"{where}.{name} of {kind.__name__} is {items[name]!r}, not {wanted}.")
    try:
        return kind(**items)
    except UserError:
        raise
    except (TypeError, ValueError) as error:
        raise UserError(f"{where}: {kind.__name__} refuses {dict(items)}: {error}") from error


def with_floats(kind: type, items: Mapping[str, Any]) -> dict[str, Any]:
    """The items, 20 as 20.0 where the class declares a float: people type the one for the other."""
    hints = _hints(kind)

    def read(name: str, item: Any) -> Any:
        hint = hints.get(name)
        return (
            float(item) if type(item) is int and float in (hint, *typing.get_args(hint)) else item
        )

    return {name: read(name, item) for name, item in items.items()}


def fields(kind: type) -> list[str]:
    """The names of the fields that the constructor takes; the others follow from these."""
    return [field.name for field in dataclasses.fields(kind) if field.init]


def _hints(kind: type) -> dict[str, Any]:
    try:
        return typing.get_type_hints(kind)
    except NameError:  # A name that is imported for type checkers only.
        return {}


def _fits(value: Any, hint: Any) -> bool:
    """Whether a field may hold `value`. Only hints of plain types and values are judged."""
    if hint is float:
        return type(value) in (int, float)
    if hint in PLAIN:
        return type(value) is hint
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return isinstance(value, hint)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, one) for one in arguments)
    if origin is tuple and arguments[1:] == (...,):
        return type(value) is tuple and all(_fits(item, arguments[0]) for item in value)
    if origin is tuple:
        return (
            type(value) is tuple
            and len(value) == len(arguments)
            and all(map(_fits, value, arguments))
        )
    return True
