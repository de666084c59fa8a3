"""LIBSVM files: sparse rows of numbers with a label, made dense."""

import math
from pathlib import Path

import equinox as eqx
import numpy as np

from pseudocore.datasets.base import Dataset, Raw
from pseudocore.datasets.rows import Rows, from_rows, is_number, text
from pseudocore.datasets.whiten import Unwhitened, Whiten
from pseudocore.errors import UserError
from pseudocore.progress import Say, silent

MOST = 2**31  # numbers in a table: 8 GiB


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
