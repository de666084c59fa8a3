"""The 1,797 handwritten digits that ship with the package: 8x8 pixels, ten classes."""

from importlib.resources import files

import equinox as eqx
import numpy as np

from pseudocore.datasets.base import Dataset, Raw
from pseudocore.datasets.names import MNIST
from pseudocore.datasets.parts import Part, stratified
from pseudocore.datasets.preprocess import Standardise
from pseudocore.datasets.whiten import Unwhitened, Whiten
from pseudocore.progress import Say, silent


class Digits(Dataset):
    """UCI optical recognition of handwritten digits (test part), CC BY 4.0.

    A quarter of each class is the test part, by a seed that never changes; `held_out` of the rest
    is cut off for decisions.
    """

    held_out: float = eqx.field(static=True, default=0.185)
    seed: int = eqx.field(static=True, default=0)
    whiten: Whiten = Unwhitened()

    def read(self, say: Say = silent) -> Raw:
        shipped = files("pseudocore.datasets").joinpath("digits.npz")
        with shipped.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            pixels, labels = archive["pixels"][..., None] / 16.0, archive["labels"].astype(np.int32)
        rest, test = stratified(labels, 0.25, seed=0)
        return Raw(
            Part(pixels[rest], labels[rest]),
            Part(pixels[test], labels[test]),
            MNIST,
            "gray",
            16.0,
            Standardise((float(pixels[rest].mean()),), (float(pixels[rest].std()),)),
        )
