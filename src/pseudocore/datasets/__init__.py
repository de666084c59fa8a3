"""Datasets, by value or by name."""

import os
import re
from collections.abc import Callable

from pseudocore.datasets.base import Dataset as Dataset
from pseudocore.datasets.base import Split as Split
from pseudocore.datasets.base import Standardise as Standardise
from pseudocore.datasets.cifar10 import Cifar10 as Cifar10
from pseudocore.datasets.digits import Digits as Digits
from pseudocore.datasets.npz import Npz as Npz
from pseudocore.errors import unknown

# What a person types, a word in capitals being theirs, and the dataset that it makes. A path is
# recorded from the root, so that a run can be judged from another folder than it was learned in.
FORMS: dict[str, Callable[..., Dataset]] = {
    "digits": Digits,
    "cifar10": Cifar10,
    "cifar10:FOLDER": lambda folder: Cifar10(os.path.abspath(folder)),
    "FILE.npz": lambda file: Npz(os.path.abspath(f"{file}.npz")),
}


def named(text: str) -> Dataset:
    """The dataset that a text of one of the `FORMS` names."""
    for form, made in FORMS.items():
        found = re.fullmatch(re.sub("[A-Z]+", "(.+)", re.escape(form)), text)
        if found:
            return made(*found.groups())
    raise unknown("dataset", text, FORMS)


def forms() -> str:
    """The forms as help prints them."""
    *others, last = FORMS
    return f"{', '.join(others)} or {last}"
