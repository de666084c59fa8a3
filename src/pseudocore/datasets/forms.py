"""What a person types for a dataset, and which dataset that is."""

import os
import re
from collections.abc import Callable

from pseudocore.datasets.base import Dataset
from pseudocore.datasets.cifar import Cifar10, Cifar100
from pseudocore.datasets.digits import Digits
from pseudocore.datasets.folder import Folder
from pseudocore.datasets.idx import FashionMnist, Mnist
from pseudocore.datasets.imagenette import ImageNette
from pseudocore.datasets.libsvm import Libsvm
from pseudocore.datasets.npz import Npy, Npz
from pseudocore.datasets.parquet import Parquet
from pseudocore.datasets.recognise import recognise
from pseudocore.datasets.svhn import Svhn
from pseudocore.datasets.table import Csv
from pseudocore.datasets.tiny_imagenet import TinyImageNet
from pseudocore.errors import UserError, unknown

# Published datasets, each in data/NAME unless another folder is named behind a colon.
PUBLISHED: dict[str, Callable[..., Dataset]] = {
    "cifar10": Cifar10,
    "cifar100": Cifar100,
    "mnist": Mnist,
    "fashion-mnist": FashionMnist,
    "svhn": Svhn,
    "imagenette": ImageNette,
    "tiny-imagenet": TinyImageNet,
}


def full(path: str) -> str:
    """A path from the root, so that a run can be judged from another folder than it began in."""
    return os.path.abspath(os.path.expanduser(path))


# What a person types, a word in capitals being theirs, and the dataset that it makes.
FORMS: dict[str, Callable[..., Dataset]] = {
    "digits": Digits,
    **PUBLISHED,
    **{
        f"{name}:FOLDER": lambda folder, kind=kind: kind(full(folder))
        for name, kind in PUBLISHED.items()
    },
    "hf:NAME": lambda name: Parquet(full(name) if os.path.isdir(full(name)) else name),
    "pictures:FOLDER": lambda folder: Folder(full(folder)),
    "csv:FILE": lambda file: Csv(full(file)),
    "libsvm:FILE": lambda file: Libsvm(full(file)),
    "FILE.npz": lambda file: Npz(full(f"{file}.npz")),
    "FILE.csv": lambda file: Csv(full(f"{file}.csv")),
    "FILE.libsvm": lambda file: Libsvm(full(f"{file}.libsvm")),
}
FOLDER = "FOLDER"


def named(text: str) -> Dataset:
    """The dataset that a text of one of the `FORMS` names, or the one in a folder."""
    for form, made in FORMS.items():
        found = re.fullmatch(re.sub("[A-Z]+", "(.+)", re.escape(form)), text)
        if found:
            return made(*found.groups())
    if os.path.isfile(text):
        raise UserError(
            f"{text!r} is a file whose kind is not known by its name: {forms()} can be named."
        )
    if os.path.isdir(full(text)) or os.sep in text:
        return recognise(full(text))
    names = [form for form in FORMS if ":" not in form and "." not in form]
    near = unknown("dataset", text, names)
    raise UserError(f"{near} What can be named: {forms()}.")


def forms() -> str:
    """The forms as help prints them."""
    short = [
        f"{form}[:FOLDER]" if f"{form}:FOLDER" in FORMS else form
        for form in FORMS
        if not form.endswith(":FOLDER") or form.partition(":")[0] not in FORMS
    ]
    return f"{', '.join(short)} or {FOLDER}"


def form_of(data: Dataset) -> str | None:
    """What a person types to get data of this kind from this place, if the command line can."""
    kinds = {kind: name for name, kind in PUBLISHED.items()}
    path = getattr(data, "path", "")
    match data:
        case Digits():
            return "digits"
        case Parquet():
            return f"hf:{path}"
        case Csv() if not path.endswith(".csv"):
            return f"csv:{path}"
        case Libsvm() if not path.endswith(".libsvm"):
            return f"libsvm:{path}"
        case Folder():
            return f"pictures:{path}"
        case Npz() | Csv() | Libsvm() | Npy():
            return path
    return f"{kinds[type(data)]}:{path}" if type(data) in kinds else None
