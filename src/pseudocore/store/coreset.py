"""A coreset on disk: points, labels and weights in one safetensors file."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np

from pseudocore.data import Data
from pseudocore.errors import UserError
from pseudocore.store.tensors import read_tensors, write_tensors

CORESET = "pseudocoreset.safetensors"
SCHEMA = "1"


def write_coreset(path: Path, u: Data, facts: Mapping[str, Any]) -> None:
    """Standardised points, target probabilities and weights of mass 1, with what describes them."""
    arrays = {"points": np.asarray(u.x), "labels": np.asarray(u.y), "weights": np.asarray(u.w)}
    described = {name: json.dumps(value) for name, value in facts.items()}
    write_tensors(path, arrays, {"schema": SCHEMA, **described})


def read_coreset(path: Path) -> Data:
    """The coreset of a file, checked."""
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
