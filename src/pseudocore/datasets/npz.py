"""Your own data: a NumPy archive of train and test points with their labels."""

from pathlib import Path

import equinox as eqx
import numpy as np

from pseudocore.datasets.base import Dataset, Split, split
from pseudocore.errors import UserError

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

    def load(self) -> Split:
        x_train, y_train, x_test, y_test = arrays(Path(self.path))
        x_train, x_test = (x[..., None] if x.ndim == 3 else x for x in (x_train, x_test))
        classes = len(np.unique(y_train))  # so that a label without points is out of range
        train, test = (x_train, y_train), (x_test, y_test)
        return split(train, test, classes, self.held_out, self.seed)


def arrays(path: Path) -> list[np.ndarray]:
    """The four arrays; objects are refused, for unpickling them would run code."""
    try:
        # Opened here, for NumPy leaves the file of a damaged archive open.
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            held = {name: archive[name] for name in NAMES if name in archive.files}
    except FileNotFoundError as error:
        raise UserError(f"There is no file {path}. Check the path.") from error
    except Exception as error:  # NumPy, zipfile and zlib each raise their own on a damaged file
        raise UserError(f"{path} is no .npz archive of plain numbers ({error}).") from error
    missing = [name for name in NAMES if name not in held]
    if missing:
        raise UserError(f"{path} has no {', '.join(missing)}; it must hold {', '.join(NAMES)}.")
    for name, array in held.items():
        if array.dtype.kind not in "biuf":
            raise UserError(f"{name} in {path} is {array.dtype}: it must hold plain numbers.")
    return [held[name] for name in NAMES]
