"""The test images of a dataset, corrupted into a folder laid out as CIFAR-10-C."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pseudocore.corrupt import SEVERITIES, corrupt
from pseudocore.corrupt.apply import check
from pseudocore.datasets.corrupted import LABELS, MADE, made_from
from pseudocore.datasets.parts import Part
from pseudocore.errors import UserError
from pseudocore.progress import Say, silent
from pseudocore.store.files import explained_download as explained
from pseudocore.store.files import sweep, write_atomically, write_json

MEANT_FOR = 32  # pixels a side that the constants are for


def corrupt_all(
    test: Part,
    names: Sequence[str],
    seed: int,
    out: Path,
    origin: Mapping[str, Any],
    say: Say = silent,
) -> None:
    """A file a corruption; those that are there already from the same images stay."""
    images = as_bytes(test.values)
    for name in names:
        check(images, name, SEVERITIES[0], seed)
    claim(out, {**origin, "seed": seed})
    if not (out / LABELS).exists():
        save(out / LABELS, np.tile(test.labels, len(SEVERITIES)))
    total = len(names) * len(SEVERITIES)
    for number, name in enumerate(names):
        done = number * len(SEVERITIES)
        if not (out / f"{name}.npy").exists():
            levels = []
            for severity in SEVERITIES:
                say(name, done + severity - 1, total, {})
                levels.append(corrupt(images, name, severity, seed))
            save(out / f"{name}.npy", np.concatenate(levels))
        say("corruptions", done + len(SEVERITIES), total, {})


def as_bytes(values: np.ndarray) -> np.ndarray:
    """Pixels from 0 to 1 as bytes; bytes, and what is neither, as they are."""
    if values.dtype.kind == "f" and values.ndim == 4 and 0 <= values.min() <= values.max() <= 1:
        return np.rint(255 * values).astype(np.uint8)
    return values


def claim(out: Path, origin: Mapping[str, Any]) -> None:
    """A folder holds the corruptions of one set of images and one seed."""
    file = out / MADE
    if file.exists():
        before = made_from(out)
        if any(before.get(what) != origin[what] for what in ("test", "seed")):  # paths may differ
            raise UserError(
                f"{out} holds corruptions of other images or with another seed (seed "
                f"{before.get('seed')}, of {before.get('data')}): choose another --out."
            )
        sweep(out)
        return
    if out.is_dir() and any(out.glob("*.npy")):
        raise UserError(
            f"{out} holds arrays that were not made here, perhaps the published ones: choose "
            "another --out."
        )
    with explained(out):
        out.mkdir(parents=True, exist_ok=True)
    sweep(out)
    write_json(file, dict(origin))


def save(file: Path, values: np.ndarray) -> None:
    """An .npy file, whole or not at all."""
    content = io.BytesIO()
    np.save(content, values, allow_pickle=False)
    write_atomically(file, content.getvalue())
