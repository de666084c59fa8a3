"""Experts, coresets and data meet only if they saw the same points, prepared alike."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pseudocore.datasets.base import Split
from pseudocore.datasets.preprocess import check_meet
from pseudocore.errors import UserError
from pseudocore.store.coreset import read_preprocess
from pseudocore.store.trajectories import read_prepared


def saw_the_same(index: Mapping[str, Any], split: Split, otherwise: bool) -> bool:
    """Whether experts were trained on just the points of train, and so on none held out.

    Points are compared, not paths. `otherwise`: the answer for experts older than that record.
    """
    return index["seen"] == split.fingerprint if "seen" in index else otherwise


def check_saw(folder: Path, index: Mapping[str, Any], split: Split) -> None:
    """Refuse experts that may have seen what is held out."""
    if not saw_the_same(index, split, otherwise=True):
        raise UserError(
            f"The experts in {folder} were trained on other points than train has now: name others "
            "with --experts."
        )


def changed(theirs: Any, wanted: Any) -> str:
    """Why data of one description can differ."""
    return ", whose files have changed since" if theirs == wanted else ""


def check_prepared(folder: Path, index: Mapping[str, Any], split: Split) -> None:
    """Refuse experts that know points prepared in another way."""
    prepared = read_prepared(folder, index)
    if prepared:
        check_meet(f"The experts in {folder}", prepared, "the data", split.preprocess)


def check_coreset(path: Path, split: Split) -> None:
    """Refuse to judge a coreset on points that were prepared in another way."""
    prepared = read_preprocess(path)
    if prepared:
        check_meet(f"The coreset {path}", prepared, "the test points", split.preprocess)
