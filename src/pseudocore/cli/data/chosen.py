"""The dataset that a verb of `pseudocore data` is about, and its parts."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from pseudocore import datasets
from pseudocore.cli.given import take_flag
from pseudocore.cli.options import known, parse, take_word
from pseudocore.cli.parts import take_parts
from pseudocore.datasets import PUBLISHED, Dataset, Digits, Raw
from pseudocore.datasets.checks import check_raw
from pseudocore.errors import UserError
from pseudocore.progress import Say


def choose(
    verb: str, make: Any, arguments: Sequence[str], about: str, examples: Sequence[str]
) -> tuple[str | None, Dataset, list[str]]:
    """The name of the published dataset that is asked for, the dataset, and the other words."""
    given, arguments = take_flag("--data", arguments)
    word, rest = (given, list(arguments)) if given else take_word(arguments, "")
    if not word:
        if {"-h", "--help"} & set(rest):
            parse(f"data {verb} DATA", partial(make, data=Digits()), ["--help"], about, examples)
        raise UserError(f"Name the data: pseudocore data {verb} {datasets.forms()}.")
    data = datasets.named(word)
    asked, rest = take_parts(make(data=data), rest, known())
    name = next((name for name, kind in PUBLISHED.items() if kind is type(data)), None)
    return name, asked.data, rest


def read(data: Dataset, say: Say) -> Raw:
    """Train and test, if something can be learned from them."""
    raw = data.read(say)
    check_raw(raw)
    return raw
