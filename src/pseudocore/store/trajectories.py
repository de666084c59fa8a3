"""Experts on disk: one safetensors file each, and an index of what they are."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pseudocore.datasets.preprocess import Preprocess
from pseudocore.errors import UserError
from pseudocore.store import preprocess
from pseudocore.store.files import explained, read_json, write_json
from pseudocore.store.run import RECIPE, Run
from pseudocore.store.tensors import digest, read_rows, read_tensors, write_tensors

INDEX, NAME = "index.json", "trajectory"
PREPARED = "preprocess.safetensors"  # of whitened points only; all else is in the index


def expert_file(folder: Path, number: int) -> Path:
    return folder / f"expert-{number:03d}.safetensors"


def write_expert(
    folder: Path, number: int, trajectory: np.ndarray, facts: Mapping[str, str]
) -> None:
    """The parameters of one expert, a row an epoch, initialisation first."""
    write_tensors(expert_file(folder, number), {NAME: trajectory}, facts)


def write_index(
    folder: Path,
    plan: Mapping[str, Any],
    count: int,
    parameters: int,
    seen: str,
    prepared: Preprocess,
) -> None:
    """What was trained, on which points (their hash), and the hash of every expert's file."""
    experts = [
        {"file": expert_file(folder, i).name, "sha256": digest(expert_file(folder, i))}
        for i in range(count)
    ]
    if preprocess.arrays(prepared):
        write_tensors(folder / PREPARED, preprocess.arrays(prepared), {})
    described = {"seen": seen, "preprocess": preprocess.words(prepared)}
    index = {"plan": plan, "parameters": parameters, **described, "experts": experts}
    write_json(folder / INDEX, index)


def read_prepared(folder: Path, index: Mapping[str, Any]) -> Preprocess | None:
    """How the points of the experts were prepared; None of experts older than this record."""
    raw = index.get("preprocess")
    if raw is None:
        return None
    rotated = isinstance(raw, dict) and raw.get("whitening") == preprocess.ROTATED
    held = read_tensors(folder / PREPARED, preprocess.ARRAYS)[0] if rotated else {}
    return preprocess.recovered(raw, held, folder / INDEX)


def read_index(folder: Path) -> dict[str, Any]:
    """The index of a folder of experts, or an error that says how to get one."""
    train = f"Train experts into it first: pseudocore experts PRESET --out {folder}."
    again = "Delete it and run pseudocore experts again with --resume: it is written anew."
    with explained(folder):
        there = folder.is_dir()
    if not there:
        raise UserError(f"There is no folder of experts {folder}. {train}")
    file = folder / INDEX
    if not file.exists() and (folder / RECIPE).exists():
        if Run.read(folder).recipe.get("type") == "ExpertPlan":
            raise UserError(
                f"The experts in {folder} are not finished. Run that command again with --resume."
            )
        raise UserError(
            f"{folder} holds a run, but no experts: name a folder made by pseudocore experts."
        )
    index = read_json(file, again if file.exists() else train)
    if not is_index(index):
        raise UserError(f"{file} is not an index of experts. {again}")
    return index


def is_index(index: Any) -> bool:
    """Whether a JSON value has what is read of an index."""
    match index:
        case {"plan": {"epochs": int()}, "parameters": int(), "experts": [_, *_] as experts}:
            return all(is_entry(entry) for entry in experts)
    return False


def is_entry(entry: Any) -> bool:
    """Whether a JSON value says which file an expert is in."""
    match entry:
        case {"file": str(), "sha256": str()}:
            return True
    return False


def read_window(folder: Path, index: Mapping[str, Any], epochs: int) -> np.ndarray:
    """Initialisation and the first `epochs` epochs of every expert; the others stay on the disk."""
    kept = int(index["plan"]["epochs"])
    if epochs > kept:
        raise UserError(
            f"The experts in {folder} were kept for {kept} epochs, {epochs} are needed (starts - 1 "
            f"+ ahead): train them longer (--epochs {epochs}), or lower --starts or --ahead."
        )
    files = [folder / entry["file"] for entry in index["experts"]]
    paths = [read_rows(file, NAME, 0, epochs + 1) for file in files]
    for file, path in zip(files, paths, strict=True):
        if path.shape != (epochs + 1, index["parameters"]):
            raise UserError(
                f"{file} holds {path.shape[1:]} parameters, the index says "
                f"{index['parameters']}: it belongs to other experts. Train them again."
            )
        if not np.isfinite(path).all():
            raise UserError(f"{file} holds NaN or infinite parameters. Train the experts again.")
    return np.stack(paths)
