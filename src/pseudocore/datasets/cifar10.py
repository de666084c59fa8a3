"""CIFAR-10 from its official binary files."""

from pathlib import Path

import equinox as eqx
import numpy as np

from pseudocore.datasets.base import Dataset, Split, Standardise, split
from pseudocore.errors import UserError

TRAIN = tuple(f"data_batch_{i}.bin" for i in range(1, 6))
TEST = ("test_batch.bin",)
RECORD = 1 + 3 * 32 * 32

# The constants of the paper's code, for both CIFARs.
STANDARDISE = Standardise((0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010))


class Cifar10(Dataset):
    """The six .bin files of cifar-10-binary.tar.gz in a folder; `held_out` is cut from train."""

    path: str = eqx.field(static=True, default="data/cifar10")
    held_out: float = eqx.field(static=True, default=0.1)
    seed: int = eqx.field(static=True, default=0)

    def load(self) -> Split:
        train, test = (read(Path(self.path), names) for names in (TRAIN, TEST))
        return split(train, test, 10, self.held_out, self.seed, STANDARDISE)


def read(folder: Path, names: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Pixels in 0..1, height x width x channels, and labels."""
    records = []
    for name in names:
        file = folder / name
        if not file.is_file():
            raise UserError(
                f"There is no {file}. Unpack the binary version of CIFAR-10 "
                "(cifar-10-binary.tar.gz) there, or name its folder with --data cifar10:FOLDER."
            )
        content = np.fromfile(file, np.uint8)
        if content.size == 0 or content.size % RECORD:
            raise UserError(
                f"{file} has {content.size} bytes, not a multiple of {RECORD}: it is cut short or "
                "not CIFAR-10's binary version. Fetch it again."
            )
        records.append(content.reshape(-1, RECORD))
    rows = np.concatenate(records)
    pixels = rows[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
    return pixels.astype(np.float32) / 255, rows[:, 0].astype(np.int32)
