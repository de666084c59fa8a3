"""The 1,797 handwritten digits that ship with the package: 8x8 pixels, ten classes."""

from importlib.resources import files

import equinox as eqx
import numpy as np

from pseudocore.datasets.base import Dataset, Split, Standardise, split, stratified


class Digits(Dataset):
    """UCI optical recognition of handwritten digits (test part), CC BY 4.0.

    A quarter of each class is the test part, by a seed that never changes; `held_out` of the rest
    is cut off for decisions.
    """

    held_out: float = eqx.field(static=True, default=0.185)
    seed: int = eqx.field(static=True, default=0)

    def load(self) -> Split:
        shipped = files("pseudocore.datasets").joinpath("digits.npz")
        with shipped.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            pixels, labels = archive["pixels"][..., None] / 16.0, archive["labels"].astype(np.int32)
        rest, test = stratified(labels, 0.25, seed=0)
        standardise = Standardise((float(pixels[rest].mean()),), (float(pixels[rest].std()),))
        return split(
            (pixels[rest], labels[rest]),
            (pixels[test], labels[test]),
            10,
            self.held_out,
            self.seed,
            standardise,
        )
