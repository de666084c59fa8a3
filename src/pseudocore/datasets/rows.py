"""Rows of numbers with a label each, as text files have them, as parts of a dataset."""

import math
from pathlib import Path

import numpy as np

from pseudocore.datasets.base import Raw
from pseudocore.datasets.parts import Part, cut_test, none_of
from pseudocore.errors import UserError

Rows = tuple[np.ndarray, list[str]]  # numbers (n, features), and the label of each row as written


def from_rows(train: Rows, test: Rows | None, fraction: float, where: str) -> Raw:
    """Numbered classes, and a test part cut from train where there is no other."""
    classes: list[str] = sorted(set(train[1] + (test[1] if test else [])), key=by_value)
    number = {name: i for i, name in enumerate(classes)}

    def part(rows: Rows) -> Part:
        return Part(rows[0], np.array([number[name] for name in rows[1]], np.int32))

    whole = part(train)
    if test:
        return Raw(whole, part(test), tuple(classes), "features", 1.0)
    if not 0 < fraction < 1:
        raise UserError(
            f"{where}: without a test file, cut={fraction} must be the fraction of every class to "
            "test on, between 0 and 1; or name the file, test='FILE'."
        )
    left, gone = cut_test(whole, fraction)
    share = f"{fraction:g} of every class, {len(gone)} rows"
    note = f"There is no test file: {share}, is tested{none_of(gone, tuple(classes))}."
    return Raw(left, gone, tuple(classes), "features", 1.0, notes=(note,))


def by_value(name: str) -> tuple[float, str]:
    """Numbers by their size before words by their letters: -1 before 1, 2 before 10."""
    value = float(name) if is_number(name) else math.inf
    return value if math.isfinite(value) else math.inf, name


def is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")  # spreadsheets put a mark before the first field
    except FileNotFoundError:
        raise UserError(f"There is no file {path}. Check the path.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path} cannot be read as text ({error}).") from error
