"""Your own arrays: a NumPy archive, or a folder with a file for each of its arrays."""

from pathlib import Path

import equinox as eqx
import numpy as np

from pseudocore.datasets.arrays import understood
from pseudocore.datasets.base import Dataset, Raw
from pseudocore.datasets.parts import Part
from pseudocore.datasets.whiten import Unwhitened, Whiten
from pseudocore.errors import UserError
from pseudocore.progress import Say, silent

NAMES = ("x_train", "y_train", "x_test", "y_test")


class Npz(Dataset):
    """x_train, y_train, x_test, y_test of an .npz file; whole-number labels from 0.

    Points are images (n, height, width) or (n, height, width, channels), or rows (n, features).
    Each channel (or feature) is standardised with the mean and deviation of train, without the
    held-out part.
    """

    path: str = eqx.field(static=True)
    held_out: float = eqx.field(static=True, default=0.1)
    seed: int = eqx.field(static=True, default=0)
    whiten: Whiten = Unwhitened()

    def read(self, say: Say = silent) -> Raw:
        return from_arrays(archive(Path(self.path)), self.path)


class Npy(Dataset):
    """The same four arrays as x_train.npy, y_train.npy, x_test.npy, y_test.npy in a folder."""

    path: str = eqx.field(static=True)
    held_out: float = eqx.field(static=True, default=0.1)
    seed: int = eqx.field(static=True, default=0)
    whiten: Whiten = Unwhitened()

    def read(self, say: Say = silent) -> Raw:
        files = {name: Path(self.path) / f"{name}.npy" for name in NAMES}
        held = {name: array(file) for name, file in files.items() if file.exists()}
        return from_arrays(held, self.path)


def from_arrays(held: dict[str, np.ndarray], where: str) -> Raw:
    missing = [name for name in NAMES if name not in held]
    if missing:
        raise UserError(f"{where} has no {', '.join(missing)}; it must hold {', '.join(NAMES)}.")
    for name, values in held.items():
        if name.startswith("x") and values.dtype.kind not in "biuf":
            raise UserError(f"{name} in {where} is {values.dtype}: it must hold plain numbers.")
        if name.startswith("y") and values.dtype.kind not in "biufUS":
            raise UserError(f"{name} in {where} is {values.dtype}: it must hold plain numbers.")
    x_train, y_train, x_test, y_test = (held[name] for name in NAMES)
    return understood(Part(x_train, y_train), Part(x_test, y_test), where)


def archive(path: Path) -> dict[str, np.ndarray]:
    """The arrays; objects are refused, for unpickling them would run code."""
    try:
        # Opened here, for NumPy leaves the file of a damaged archive open.
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as opened:
            return {name: opened[name] for name in NAMES if name in opened.files}
    except FileNotFoundError as error:
        raise UserError(f"There is no file {path}. Check the path.") from error
    except PermissionError as error:
        raise UserError(f"{path} may not be read ({error.strerror}). Change its rights.") from error
    except Exception as error:  # NumPy, zipfile and zlib each raise their own on a damaged file
        raise UserError(f"{path} is no .npz archive of plain numbers ({error}).") from error


def array(path: Path) -> np.ndarray:
    """The array of an .npy file, read where it is looked at."""
    try:
        return np.lib.format.open_memmap(path, mode="r")  # which knows no archives and no pickles
    except PermissionError as error:
        raise UserError(f"{path} may not be read ({error.strerror}). Change its rights.") from error
    except Exception as error:
        raise UserError(f"{path} is no .npy file of plain numbers ({error}).") from error
