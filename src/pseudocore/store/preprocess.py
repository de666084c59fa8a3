"""How points were prepared, on disk: plain words, and the arrays of a whitening if any."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pseudocore.datasets.preprocess import Preprocess, Standardise
from pseudocore.datasets.whiten import Rotated, Unwhitened
from pseudocore.errors import UserError
from pseudocore.store.values import TYPE, from_json, to_json

ARRAYS = {"whitening_mean": "mean", "whitening_matrix": "matrix"}
ROTATED = {TYPE: "Rotated"}  # whose numbers are arrays beside the words
KNOWN = {kind.__name__: kind for kind in (Preprocess, Standardise, Unwhitened)}


def words(preprocess: Preprocess) -> dict[str, Any]:
    """What JSON can say of it."""
    whitening = preprocess.whitening
    raw = {TYPE: "Preprocess", "whitening": ROTATED}
    for name in ("standardise", "shape", "channels", "white"):
        raw[name] = to_json(getattr(preprocess, name))
    if not isinstance(whitening, Rotated):
        raw["whitening"] = to_json(whitening)
    return raw


def arrays(preprocess: Preprocess) -> dict[str, np.ndarray]:
    """What it cannot."""
    whitening = preprocess.whitening
    if not isinstance(whitening, Rotated):
        return {}
    return {name: getattr(whitening, field) for name, field in ARRAYS.items()}


def recovered(raw: Any, held: Mapping[str, np.ndarray], path: Path) -> Preprocess:
    """The preparation that both describe."""
    rotated = isinstance(raw, dict) and raw.get("whitening") == ROTATED
    plain = {**raw, "whitening": to_json(Unwhitened())} if rotated else raw
    try:
        found = from_json(plain, KNOWN)
        if not isinstance(found, Preprocess):
            raise ValueError(f"it is {type(found).__name__}")
        if not rotated:
            return found
        mean, matrix = (held[name] for name in ARRAYS)
        whitening = Rotated(mean, matrix)
        return Preprocess(found.standardise, found.shape, found.channels, found.white, whitening)
    except (ValueError, KeyError) as error:
        raise UserError(
            f"{path} does not say how its points were prepared ({error}): learn it again."
        ) from error
