"""Rows of numbers with a label: CSV and LIBSVM files, for logistic regression and the like."""

import csv
import io
import math
import re
from pathlib import Path

import equinox as eqx
import numpy as np

from pseudocore.datasets.base import Dataset, Part, Raw, cut_test, none_of
from pseudocore.datasets.whiten import Unwhitened, Whiten
from pseudocore.errors import UserError
from pseudocore.progress import Say, silent

NUMBER = re.compile("-?[0-9]+")  # of a column
MOST = 2**31  # numbers in a table: 8 GiB
MISSING = {"na", "n/a", "null", "none", "?"}
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
            raise UserError(
                f"{path}, line {number} has an index below 1: they run from 1. From scikit-learn, "
                "dump_svmlight_file(..., zero_based=False)."
            )
        names.append(plain(label))
        entries.append(pairs)
    width = max((i for pairs in entries for i, _ in pairs), default=0)
    if width == 0:
        raise UserError(f"{path} is empty: 'label index:value ...' a line is expected.")
    if len(entries) * width > MOST:
        raise UserError(
            f"{path} has {len(entries)} rows of {width} features: made dense, they would take "
            f"{len(entries) * width * 4 / 2**30:.0f} GiB. Choose fewer features."
        )
    values = np.zeros((len(entries), width), np.float32)
    for row, pairs in zip(values, entries, strict=True):
        for i, value in pairs:
            row[i - 1] = value
    return values, names


def plain(label: str) -> str:
    """+1 and 1.0 are the class 1: labels are numbers in this format."""
    if not is_number(label) or not math.isfinite(float(label)):
        return label
    return f"{float(label):.17g}"


def widened(values: np.ndarray, width: int) -> np.ndarray:
    return np.pad(values, [(0, 0), (0, width - values.shape[1])])


def text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")  # spreadsheets put a mark before the first field
    except FileNotFoundError:
        raise UserError(f"There is no file {path}. Check the path.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path} cannot be read as text ({error}).") from error
