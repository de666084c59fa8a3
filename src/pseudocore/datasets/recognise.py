"""Which dataset a folder holds, by the names of what lies in it."""

from collections.abc import Callable
from pathlib import Path

from pseudocore.datasets.base import Dataset
from pseudocore.datasets.cifar import HUNDRED, TEN, Cifar10, Cifar100, lossless
from pseudocore.datasets.class_folders import folders_in
from pseudocore.datasets.folder import Folder
from pseudocore.datasets.idx import FashionMnist, Mnist
from pseudocore.datasets.imagenette import ImageNette, second_version
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
    ("file.txt~", Cifar100),  # beside its pickles
    ("train_32x32.mat", Svhn),
    ("tiny-imagenet-200", TinyImageNet),
    ("wnids.txt", TinyImageNet),
    ("x_train.npy", Npy),
    ("y_train.npy", Npy),
)
# The classes of train/ that no other dataset has, and what refuses a folder that only has their
# names: it says to read it as pictures, which must not lead back to it.
CLASSES: tuple[tuple[tuple[str, ...], Callable[[str], Dataset], Callable[[Path], object]], ...] = (
    (CIFAR10, Cifar10, lambda folder: lossless(folder, TEN)),
    (CIFAR100, Cifar100, lambda folder: lossless(folder, HUNDRED)),
    (tuple(IMAGENETTE), ImageNette, second_version),
    (TINY_IMAGENET, TinyImageNet, lambda folder: None),
)


def recognise(path: str) -> Dataset:
    """The dataset in a folder; pictures in class folders if it is no other."""
    folder = Path(path)
    if not folder.is_dir():
        raise UserError(f"There is no folder {folder}. Check the path.")
    folders_in(folder)  # says so if the folder may not be read
    for sign, kind in SIGNS:
        if (folder / sign).exists():
            return kind(path)
    if any(folder.glob("imagenette2*")):
        return ImageNette(path)
    if any(folder.glob("train-images*")):
        return idx_kind(folder)(path)
    inside = names_inside(folder / "train")
    for classes, kind, check in CLASSES:
        if inside == set(classes) and passes(check, folder):
            return kind(path)
    if not inside and next(folder.rglob("train*.parquet"), None):
        return Parquet(path)
    return Folder(path)


def names_inside(folder: Path) -> set[str]:
    return {entry.name for entry in folders_in(folder)} if folder.is_dir() else set()


def passes(check: Callable[[Path], object], folder: Path) -> bool:
    try:
        check(folder)
    except UserError:
        return False
    return True


def idx_kind(folder: Path) -> Callable[[str], Dataset]:
    """MNIST and Fashion-MNIST have files of the same names: their folders tell them apart."""
    return FashionMnist if "fashion" in str(folder.resolve()).lower() else Mnist
