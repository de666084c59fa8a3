"""What would poison everything after it is refused when data are read."""

from typing import TYPE_CHECKING

import numpy as np

from pseudocore.errors import UserError

if TYPE_CHECKING:
    from pseudocore.datasets.base import Raw

# Above a tenth of what float32 can hold, a deviation or a difference from the mean overflows.
HUGE = np.finfo(np.float32).max / 10


def check_raw(raw: "Raw") -> None:
    """Refuse parts that do not fit each other, and classes that nothing can be learned of."""
    for name, part in {"train": raw.train, "test": raw.test}.items():
        check_part(name, part.values, part.labels, len(raw.classes))
    if len(raw.classes) == 1:
        raise UserError(f"There is only one class, {raw.classes[0]}: to classify takes two.")
    if raw.train.values.shape[1:] != raw.test.values.shape[1:]:
        raise UserError(
            f"Train points have shape {raw.train.values.shape[1:]}, test points "
            f"{raw.test.values.shape[1:]}: they must be equal."
        )
    missing = np.setdiff1d(np.arange(len(raw.classes)), raw.train.labels)
    if len(missing):
        names = ", ".join(raw.classes[i] for i in missing[:10])
        raise UserError(f"Train has no points of {len(missing)} of its classes: {names}.")


def check_part(name: str, values: np.ndarray, labels: np.ndarray, classes: int) -> None:
    if values.ndim < 2 or values.size == 0:
        raise UserError(
            f"The {name} points have shape {values.shape}: expected (n, ...), none of them 0."
        )
    if labels.shape != values.shape[:1]:
        raise UserError(
            f"{len(values)} {name} points but labels of shape {labels.shape}: one label each."
        )
    if labels.dtype.kind in "US":
        raise UserError(
            f"The {name} labels are text, the first is {str(labels[0])!r}: number the classes from "
            "0 (np.unique(labels, return_inverse=True)[1] does)."
        )
    if not np.issubdtype(labels.dtype, np.integer):
        raise UserError(f"The {name} labels are {labels.dtype}: they must be whole numbers.")
    if labels.min() < 0 or labels.max() >= classes:
        bad = labels[(labels < 0) | (labels >= classes)][0]
        from_one = ": subtract 1" if labels.min() == 1 and labels.max() == classes else ""
        raise UserError(
            f"The {name} labels hold {bad}: for {classes} classes they run from 0 to "
            f"{classes - 1}, without gaps{from_one}."
        )
    if values.dtype != np.uint8:
        check_numbers(name, values)


def check_numbers(name: str, values: np.ndarray) -> None:
    fine = np.abs(values.reshape(len(values), -1)) < HUGE
    bad = ~fine.all(axis=1)
    if bad.any():
        raise UserError(
            f"{int(bad.sum())} {name} points hold NaN, infinite or huge values, the first is "
            f"number {int(np.flatnonzero(bad)[0])}: repair or remove them."
        )
