"""Datasets, by value or by name."""

from pseudocore.datasets.base import Dataset as Dataset
from pseudocore.datasets.base import Split as Split
from pseudocore.datasets.base import Standardise as Standardise
from pseudocore.datasets.cifar10 import Cifar10 as Cifar10
from pseudocore.datasets.digits import Digits as Digits
from pseudocore.datasets.npz import Npz as Npz
from pseudocore.errors import unknown


def named(text: str) -> Dataset:
    """`digits`, `cifar10:FOLDER`, or the path of an .npz archive."""
    name, _, folder = text.partition(":")
    if text.endswith(".npz"):
        return Npz(text)
    if name == "cifar10":
        return Cifar10(folder) if folder else Cifar10()
    if text == "digits":
        return Digits()
    raise unknown("dataset", text, ["digits", "cifar10", "cifar10:FOLDER", "FILE.npz"])
