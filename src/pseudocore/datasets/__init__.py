"""Datasets, by value or by name."""

import os
import re
from collections.abc import Callable

from pseudocore.datasets.base import Dataset as Dataset
from pseudocore.datasets.base import Part as Part
from pseudocore.datasets.base import Raw as Raw
from pseudocore.datasets.base import Split as Split
from pseudocore.datasets.cifar import Cifar10 as Cifar10
from pseudocore.datasets.cifar import Cifar100 as Cifar100
from pseudocore.datasets.corrupted import Corrupted as Corrupted
from pseudocore.datasets.digits import Digits as Digits
from pseudocore.datasets.folder import Folder as Folder
from pseudocore.datasets.idx import FashionMnist as FashionMnist
from pseudocore.datasets.idx import Mnist as Mnist
from pseudocore.datasets.imagenette import ImageNette as ImageNette
from pseudocore.datasets.npz import Npy as Npy
from pseudocore.datasets.npz import Npz as Npz
from pseudocore.datasets.parquet import Parquet as Parquet
from pseudocore.datasets.preprocess import Preprocess as Preprocess
from pseudocore.datasets.preprocess import Standardise as Standardise
from pseudocore.datasets.recognise import recognise
from pseudocore.datasets.resize import Cover as Cover
from pseudocore.datasets.resize import Resize as Resize
from pseudocore.datasets.resize import Squash as Squash
from pseudocore.datasets.svhn import Svhn as Svhn
from pseudocore.datasets.table import Csv as Csv
from pseudocore.datasets.table import Libsvm as Libsvm
from pseudocore.datasets.tiny_imagenet import TinyImageNet as TinyImageNet
from pseudocore.datasets.whiten import ZCA as ZCA
from pseudocore.datasets.whiten import Unwhitened as Unwhitened
from pseudocore.datasets.whiten import Whiten as Whiten
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

# What a person types, a word in capitals being theirs, and the dataset that it makes. A path is
# recorded from the root, so that a run can be judged from another folder than it was learned in.
FORMS: dict[str, Callable[..., Dataset]] = {
    "digits": Digits,
    **PUBLISHED,
    **{
        f"{name}:FOLDER": lambda folder, kind=kind: kind(os.path.abspath(folder))
        for name, kind in PUBLISHED.items()
    },
    "hf:NAME": lambda name: Parquet(os.path.abspath(name) if os.path.isdir(name) else name),
    "csv:FILE": lambda file: Csv(os.path.abspath(file)),
    "libsvm:FILE": lambda file: Libsvm(os.path.abspath(file)),
    "FILE.npz": lambda file: Npz(os.path.abspath(f"{file}.npz")),
    "FILE.csv": lambda file: Csv(os.path.abspath(f"{file}.csv")),
    "FILE.libsvm": lambda file: Libsvm(os.path.abspath(f"{file}.libsvm")),
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
    if os.path.isdir(text) or os.sep in text:
        return recognise(os.path.abspath(text))
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
        case Npz() | Csv() | Libsvm() | Folder() | Npy():
            return path
    return f"{kinds[type(data)]}:{path}" if type(data) in kinds else None
