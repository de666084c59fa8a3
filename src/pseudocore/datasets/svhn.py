"""Street View House Numbers: the cropped digits as MATLAB files."""

from pathlib import Path

import equinox as eqx
import numpy as np

from pseudocore.datasets.base import Dataset, Raw
from pseudocore.datasets.names import MNIST
from pseudocore.datasets.parts import Part
from pseudocore.datasets.whiten import Unwhitened, Whiten
from pseudocore.errors import UserError
from pseudocore.progress import Say, silent


class Svhn(Dataset):
    """train_32x32.mat and test_32x32.mat; the label 10 of the files is the digit 0."""

    path: str = eqx.field(static=True, default="data/svhn")
    held_out: float = eqx.field(static=True, default=0.1)
    seed: int = eqx.field(static=True, default=0)
    whiten: Whiten = Unwhitened()

    def read(self, say: Say = silent) -> Raw:
        train, test = (matlab(Path(self.path) / f"{part}_32x32.mat") for part in ("train", "test"))
        return Raw(train, test, MNIST, "RGB")


def matlab(file: Path) -> Part:
    """X (32, 32, 3, n) and y (n, 1) of a MATLAB 5 file."""
    from scipy.io import loadmat

    if not file.is_file():
        raise UserError(
            f"There is no {file}. Fetch it with pseudocore data get svhn, or name the folder that "
            "it is in: --data svhn:FOLDER."
        )
    try:
        held = loadmat(file, variable_names=["X", "y"])
    except Exception as error:  # the reader raises whatever it meets in a damaged file
        raise UserError(f"{file} is cut short or damaged ({error}). Fetch it again.") from error
    if not {"X", "y"} <= held.keys() or held["X"].ndim != 4 or held["X"].dtype != np.uint8:
        raise UserError(f"{file} has no bytes X (32, 32, 3, n) with labels y. Fetch it again.")
    values = np.ascontiguousarray(held["X"].transpose(3, 0, 1, 2))
    labels = held["y"].ravel().astype(np.int32)
    return Part(values, np.where(labels == 10, 0, labels))
