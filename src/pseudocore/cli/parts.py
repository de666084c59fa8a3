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
    words = iter(arguments)
    for word in words:
        flag, equals, text = word.partition("=")
        path = flag.removeprefix("--").replace("-", "_").split(".")
        if not flag.startswith("--") or flag in but or not is_part(whole, path):
            rest.append(word)
            continue
        value = text if equals else next(words, "")
        whole = replaced(whole, path, from_python(value, known))
    return whole, rest


def is_part(whole: Any, path: Sequence[str]) -> bool:
    """Whether the path leads to something that consists of fields, or to several such."""
    for name in path:
        if isinstance(whole, tuple):
            if not name.isdecimal() or int(name) >= len(whole):
                return False
            whole = whole[int(name)]
        elif dataclasses.is_dataclass(whole) and name in fields(type(whole)):
            whole = getattr(whole, name)
        else:
            return False
    several = whole if isinstance(whole, tuple) else (whole,)
    return len(several) > 0 and all(map(dataclasses.is_dataclass, several))


def replaced(whole: Any, path: Sequence[str], part: Any, where: str = "recipe") -> Any:
    """The value with another part at the path, checked as if it had been built so."""
    if not path:
        return part
    name, *deeper = path
    if isinstance(whole, tuple):
        at = int(name)
        item = replaced(whole[at], deeper, part, f"{where}.{name}")
        return (*whole[:at], item, *whole[at + 1 :])
    items = {field: getattr(whole, field) for field in fields(type(whole))}
    items[name] = replaced(items[name], deeper, part, f"{where}.{name}")
    return build(type(whole), where, items)
