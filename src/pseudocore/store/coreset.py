"""A coreset on disk: points, labels and weights in one safetensors file."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np

from pseudocore.data import Data
from pseudocore.datasets.preprocess import Preprocess
from pseudocore.errors import UserError
from pseudocore.store import preprocess
from pseudocore.store.tensors import read_tensors, write_tensors

CORESET = "pseudocoreset.safetensors"
SCHEMA = "1"


def write_coreset(path: Path, u: Data, facts: Mapping[str, Any], prepared: Preprocess) -> None:
    """Prepared points, target probabilities and weights of mass 1, with what describes them."""
    content = {"points": np.asarray(u.x), "labels": np.asarray(u.y), "weights": np.asarray(u.w)}
    described = {**facts, "preprocess": preprocess.words(prepared)}
    said = {name: json.dumps(value) for name, value in described.items()}
    write_tensors(path, {**content, **preprocess.arrays(prepared)}, {"schema": SCHEMA, **said})


def read_preprocess(path: Path) -> Preprocess | None:
    """How the points of a coreset were prepared; None of files that are older than this record."""
    _, facts = read_tensors(path, [])
    if "preprocess" not in facts:
        return None
    try:
        raw = json.loads(facts["preprocess"])
    except ValueError:
        raw = None
    names = preprocess.ARRAYS if raw and raw.get("whitening") == preprocess.ROTATED else ()
    return preprocess.recovered(raw, read_tensors(path, names)[0], path)


def read_coreset(path: Path) -> Data:
    """The coreset of a file, checked."""
    if (Path(path) / CORESET).exists():
        raise UserError(f"{path} is a folder: name the file in it, {Path(path) / CORESET}.")
    arrays, _ = read_tensors(path, ["points", "labels", "weights"])
    x, y, w = arrays["points"], arrays["labels"], arrays["weights"]
    if x.ndim < 2 or y.ndim != 2 or w.ndim != 1 or not len(x) == len(y) == len(w) > 0:
        raise UserError(
            f"{path} holds points {x.shape}, labels {y.shape}, weights {w.shape}: expected "
            "(n, ...), (n, classes) and (n,) with the same n. Give a file that pseudocore wrote."
        )
    for name, values in arrays.items():
        if not (np.abs(values) <= np.finfo(np.float32).max).all():  # NaN is not, either
            raise UserError(f"The {name} in {path} are not all finite: learn the coreset again.")
    if y.min() < 0 or abs(y.sum(axis=1) - 1).max() > 1e-3:
        raise UserError(f"The labels in {path} are not probabilities that sum to 1 in every row.")
    if w.min() < 0 or w.sum() <= 0:
        raise UserError(f"The weights in {path} must not be below 0, nor all 0.")
    return Data(*(jnp.asarray(values, jnp.float32) for values in (x, y, w)))
