"""CSV files: rows of numbers with a label, for logistic regression and the like."""

import csv
import io
import re
from pathlib import Path

import equinox as eqx
import numpy as np

from pseudocore.datasets.base import Dataset, Raw
from pseudocore.datasets.rows import Rows, from_rows, is_number, text
from pseudocore.datasets.whiten import Unwhitened, Whiten
from pseudocore.errors import UserError
from pseudocore.progress import Say, silent

NUMBER = re.compile("-?[0-9]+")  # of a column
MISSING = {"na", "n/a", "null", "none", "?"}


class Csv(Dataset):
    """A row of numbers and a label a line; a header is seen by its words.

    `label` is a column's name or number, -1 the last. Without a `test` file, `cut` is the fraction
    of every class that becomes the test part. Classes are numbered in the order of their names.
    """

    path: str = eqx.field(static=True)
    label: str = eqx.field(static=True, default="-1")
    test: str = eqx.field(static=True, default="")
    cut: float = eqx.field(static=True, default=0.2)
    held_out: float = eqx.field(static=True, default=0.1)
    seed: int = eqx.field(static=True, default=0)
    whiten: Whiten = Unwhitened()

    def read(self, say: Say = silent) -> Raw:
        train, header = read_csv(Path(self.path), self.label)
        test = None
        if self.test:
            test, other = read_csv(Path(self.test), self.label)
            if header and other and header != other:
                raise UserError(
                    f"The columns of {self.test} are not those of {self.path}: {', '.join(other)} "
                    f"against {', '.join(header)}. Put them in the same order."
                )
        return from_rows(train, test, self.cut, self.path)


def read_csv(path: Path, label: str) -> tuple[Rows, list[str] | None]:
    """The rows of a file, its label column taken out, and its header if it has one."""
    lines = fields_of(path)
    if not lines:
        raise UserError(f"{path} is empty: a row of numbers and a label a line are expected.")
    width = len(lines[0][1])
    if width == 1:
        raise UserError(
            f"{path} has one field a line, {lines[0][1][0][:60]!r} in the first: a row of numbers "
            "and a label, divided by commas, are expected."
        )
    header = lines[0][1] if is_header([row for _, row in lines], label) else None
    rows = lines[1:] if header else lines
    if not rows:
        raise UserError(f"{path} has a header and no rows: nothing can be learned from it.")
    column = which(path, label, header, width)
    for number, row in rows:
        if len(row) != width:
            raise UserError(
                f"{path}, line {number} has {len(row)} fields, the first line {width}: repair it."
            )
        if not row[column]:
            raise UserError(f"{path}, line {number} has no label: repair or remove it.")
    values = [(number, row[:column] + row[column + 1 :]) for number, row in rows]
    return (numbers(path, values), [row[column] for _, row in rows]), header


def fields_of(path: Path) -> list[tuple[int, list[str]]]:
    """The lines that hold anything, by number."""
    reader = csv.reader(io.StringIO(text(path)))
    try:
        lines = [(reader.line_num, [field.strip() for field in row]) for row in reader]
    except csv.Error as error:
        raise UserError(f"{path}, line {reader.line_num} is no CSV ({error}): repair it.") from None
    return [(number, row) for number, row in lines if any(row)]


def is_header(rows: list[list[str]], label: str) -> bool:
    """Words where numbers should be; a single one may be the label of a first row."""
    first, *rest = rows
    words = [field for field in first if field and not is_number(field)]
    if len(words) != 1 or not rest:
        return len(words) > 1
    if not NUMBER.fullmatch(label):
        return label in first
    place = int(label)
    labels = [row[place] for row in rows if -len(row) <= place < len(row)]
    return labels[:1] == words and all(map(is_number, labels[1:]))


def which(path: Path, label: str, header: list[str] | None, width: int) -> int:
    """The number of the label's column."""
    if header and label in header:
        return header.index(label)
    if NUMBER.fullmatch(label) and -width <= int(label) < width:
        return int(label) % width
    known = f"its columns are {', '.join(header)}" if header else f"it has {width} columns"
    raise UserError(f"{path} has no column {label!r} for the label: {known}.")


def numbers(path: Path, rows: list[tuple[int, list[str]]]) -> np.ndarray:
    try:
        with np.errstate(over="ignore"):  # what is too large is refused with NaN and the infinite
            return np.array([row for _, row in rows], np.float32)
    except ValueError:
        for line, row in rows:
            for field in row:
                if not is_number(field):
                    mend = "code words as numbers, or name another column of labels, --data.label"
                    if not field.strip() or field.strip().lower() in MISSING:
                        mend = "fill in what is missing, or leave the row out"
                    raise UserError(
                        f"{path}, line {line} holds {field!r} where a number should be: {mend}."
                    ) from None
        raise
