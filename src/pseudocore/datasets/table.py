"""Rows of numbers with a label: CSV and LIBSVM files, for logistic regression and the like."""

import csv
from pathlib import Path

import equinox as eqx
import numpy as np

from pseudocore.datasets.base import Dataset, Part, Raw, stratified
from pseudocore.datasets.whiten import Unwhitened, Whiten
from pseudocore.errors import UserError
from pseudocore.progress import Say, silent

Rows = tuple[np.ndarray, list[str]]  # numbers (n, features), and the label of each row as written


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
        train = read_csv(Path(self.path), self.label)
        test = read_csv(Path(self.test), self.label) if self.test else None
        return from_rows(train, test, self.cut, self.path)


class Libsvm(Dataset):
    """label index:value ... a line, indices from 1; what is not named is 0."""

    path: str = eqx.field(static=True)
    test: str = eqx.field(static=True, default="")
    cut: float = eqx.field(static=True, default=0.2)
    held_out: float = eqx.field(static=True, default=0.1)
    seed: int = eqx.field(static=True, default=0)
    whiten: Whiten = Unwhitened()

    def read(self, say: Say = silent) -> Raw:
        train = read_libsvm(Path(self.path))
        test = read_libsvm(Path(self.test)) if self.test else None
        if test:  # a feature that is 0 in all of one file is missing there
            width = max(train[0].shape[1], test[0].shape[1])
            train, test = ((widened(values, width), names) for values, names in (train, test))
        return from_rows(train, test, self.cut, self.path)


def from_rows(train: Rows, test: Rows | None, fraction: float, where: str) -> Raw:
    """Numbered classes, and a test part cut from train where there is no other."""
    classes: list[str] = sorted(set(train[1] + (test[1] if test else [])), key=by_value)
    number = {name: i for i, name in enumerate(classes)}

    def part(rows: Rows) -> Part:
        return Part(rows[0], np.array([number[name] for name in rows[1]], np.int32))

    whole = part(train)
    if test:
        return Raw(whole, part(test), tuple(classes), "features")
    if not 0 < fraction < 1:
        raise UserError(
            f"{where}: without a test file, cut={fraction} must be the fraction of every class to "
            "test on, between 0 and 1; or name the file, test='FILE'."
        )
    rest, gone = stratified(whole.labels, fraction, seed=0)
    note = f"There is no test file: {fraction:g} of every class, {len(gone)} rows, is tested."
    left, cut = (Part(whole.values[i], whole.labels[i]) for i in (rest, gone))
    return Raw(left, cut, tuple(classes), "features", notes=(note,))


def by_value(name: str) -> tuple[float, str]:
    """Numbers by their size before words by their letters: -1 before 1, 2 before 10."""
    try:
        return float(name), name
    except ValueError:
        return float("inf"), name


def read_csv(path: Path, label: str) -> Rows:
    """The rows of a file, its label column taken out."""
    lines = [line for line in csv.reader(text(path).splitlines()) if line]
    if not lines:
        raise UserError(f"{path} is empty: a row of numbers and a label a line are expected.")
    header = lines[0] if is_header(lines[0]) else None
    rows = lines[1:] if header else lines
    column = which(path, label, header, len(lines[0]))
    for number, row in enumerate(rows, 2 if header else 1):
        if len(row) != len(lines[0]):
            raise UserError(
                f"{path}, line {number} has {len(row)} fields, the first line {len(lines[0])}: "
                "repair it."
            )
    values = [row[:column] + row[column + 1 :] for row in rows]
    return numbers(path, values, 2 if header else 1), [row[column].strip() for row in rows]


def is_header(row: list[str]) -> bool:
    """Words where numbers should be; one word may be the label of a first row."""
    return sum(not is_number(field) for field in row) > min(1, len(row) - 1)


def is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def which(path: Path, label: str, header: list[str] | None, width: int) -> int:
    """The number of the label's column."""
    if header and label in header:
        return header.index(label)
    if label.lstrip("-").isdigit() and -width <= int(label) < width:
        return int(label) % width
    known = f"its columns are {', '.join(header)}" if header else f"it has {width} columns"
    raise UserError(f"{path} has no column {label!r} for the label: {known}.")


def numbers(path: Path, rows: list[list[str]], first: int) -> np.ndarray:
    try:
        return np.array(rows, np.float32)
    except ValueError:
        for line, row in enumerate(rows, first):
            for field in row:
                if not is_number(field):
                    raise UserError(
                        f"{path}, line {line} holds {field!r} where a number should be: code words "
                        "as numbers, or name another column of labels, label='NAME'."
                    ) from None
        raise


def read_libsvm(path: Path) -> Rows:
    """The rows of a sparse file, made dense."""
    names, entries = [], []
    for number, line in enumerate(text(path).splitlines(), 1):
        label, *fields = line.partition("#")[0].split() or [""]
        if not label:
            continue
        try:
            pairs = [(int(i), float(v)) for i, v in (field.split(":") for field in fields)]
        except ValueError:
            raise UserError(
                f"{path}, line {number} is not of the form 'label index:value ...': {line[:60]!r}."
            ) from None
        if any(i < 1 for i, _ in pairs):
            raise UserError(f"{path}, line {number} has an index below 1: they run from 1.")
        names.append(label)
        entries.append(pairs)
    width = max((i for pairs in entries for i, _ in pairs), default=0)
    if width == 0:
        raise UserError(f"{path} is empty: 'label index:value ...' a line is expected.")
    values = np.zeros((len(entries), width), np.float32)
    for row, pairs in zip(values, entries, strict=True):
        for i, value in pairs:
            row[i - 1] = value
    return values, names


def widened(values: np.ndarray, width: int) -> np.ndarray:
    return np.pad(values, [(0, 0), (0, width - values.shape[1])])


def text(path: Path) -> str:
    try:
        return path.read_text()
    except FileNotFoundError:
        raise UserError(f"There is no file {path}. Check the path.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path} cannot be read as text ({error}).") from error
