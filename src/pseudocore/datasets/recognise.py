"""Which dataset a folder holds, by the names of what lies in it."""

from collections.abc import Callable
from pathlib import Path

from pseudocore.datasets.base import Dataset
from pseudocore.datasets.cifar import Cifar10, Cifar100
from pseudocore.datasets.folder import Folder
from pseudocore.datasets.idx import FashionMnist, Mnist
from pseudocore.datasets.imagenette import ImageNette
from pseudocore.datasets.names import CIFAR10, CIFAR100, IMAGENETTE, TINY_IMAGENET
from pseudocore.datasets.npz import Npy
from pseudocore.datasets.parquet import Parquet
from pseudocore.datasets.svhn import Svhn
from pseudocore.datasets.tiny_imagenet import TinyImageNet
from pseudocore.errors import UserError

# A file or folder that no other dataset has, and whose it is.
SIGNS: tuple[tuple[str, Callable[[str], Dataset]], ...] = (
    ("data_batch_1.bin", Cifar10),
    ("cifar-10-batches-bin", Cifar10),
    ("data_batch_1", Cifar10),
    ("cifar-10-batches-py", Cifar10),
    ("cifar-100-binary", Cifar100),
    ("cifar-100-python", Cifar100),
    ("fine_label_names.txt", Cifar100),
    ("train_32x32.mat", Svhn),
    ("tiny-imagenet-200", TinyImageNet),
    ("wnids.txt", TinyImageNet),
    ("x_train.npy", Npy),
    ("y_train.npy", Npy),
)
# The classes of train/ that no other dataset has.
CLASSES: tuple[tuple[tuple[str, ...], Callable[[str], Dataset]], ...] = (
    (CIFAR10, Cifar10),
    (CIFAR100, Cifar100),
    (tuple(IMAGENETTE), ImageNette),
    (TINY_IMAGENET, TinyImageNet),
)


def recognise(path: str) -> Dataset:
    """The dataset in a folder; pictures in class folders if it is no other."""
    folder = Path(path)
    if not folder.is_dir():
        raise UserError(f"There is no folder {folder}. Check the path.")
    for sign, kind in SIGNS:
        if (folder / sign).exists():
            return kind(path)
    if any(folder.glob("train-images*")):
        return idx_kind(folder)(path)
    if next(folder.rglob("*.parquet"), None):
        return Parquet(path)
    inside = names_inside(folder / "train")
    for classes, kind in CLASSES:
        if inside == set(classes) and not jpegs(folder / "train" / classes[0], kind):
            return kind(path)
    return Folder(path)


def names_inside(folder: Path) -> set[str]:
    return (
        {entry.name for entry in folder.iterdir() if entry.is_dir()} if folder.is_dir() else set()
    )


def jpegs(folder: Path, kind: Callable) -> bool:
    """Whether these are lossy copies of a set that was published without loss: another dataset."""
    lossless = kind in (Cifar10, Cifar100)
    return lossless and any(file.suffix.lower() in (".jpg", ".jpeg") for file in folder.iterdir())


def idx_kind(folder: Path) -> Callable[[str], Dataset]:
    """MNIST and Fashion-MNIST have files of the same names: their folders tell them apart."""
    return FashionMnist if "fashion" in str(folder.resolve()).lower() else Mnist
