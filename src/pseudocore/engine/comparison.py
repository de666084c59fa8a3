"""Judge several coresets of one dataset beside subsets and the full data, into one folder."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import jax.random as jr

from pseudocore.data import Data
from pseudocore.datasets.base import Split
from pseudocore.engine.control import Control
from pseudocore.engine.judging import check_fit, check_view, judge_all
from pseudocore.engine.meeting import check_coreset, check_prepared, check_saw
from pseudocore.errors import UserError, unknown
from pseudocore.evaluate import Judge
from pseudocore.model import Model
from pseudocore.recipes.base import Recipe, distinct
from pseudocore.recipes.judges import paper_judges
from pseudocore.select import ClassMeans, Herding, KCenter, RandomSubset, Select, pixels
from pseudocore.store.coreset import CORESET, read_coreset
from pseudocore.store.files import read_json
from pseudocore.store.run import RESULTS, Run
from pseudocore.store.trajectories import read_index, read_window

BASELINES: dict[str, Select] = {
    "random": RandomSubset(),
    "herding": Herding(),
    "k-center": KCenter(),
    "class means": ClassMeans(),
}
RANDOM_SUBSETS = 5  # one subset says little: their spread is larger than that of the chains
FULL = "full data"


def subsets(
    names: Sequence[str], split: Split, model: Model, ipc: int, experts: Path | None, seed: int
) -> dict[str, tuple[Data, ...]]:
    """The baselines of these names; herding and k-center measure in an expert's features."""
    entries = {}
    for number, name in enumerate(names):
        if name not in BASELINES:
            raise unknown("baseline", name, [*BASELINES, FULL])
        key = jr.fold_in(jr.key(seed), 1000 + number)
        space = (
            features(split, model, experts, name) if needs_features(name) else pixels(split.train)
        )
        keys = jr.split(key, RANDOM_SUBSETS) if name == "random" else key[None]
        entries[name] = tuple(BASELINES[name](k, split.train, space, ipc) for k in keys)
    return entries


def needs_features(name: str) -> bool:
    return isinstance(BASELINES[name], Herding | KCenter)


def features(split: Split, model: Model, experts: Path | None, name: str):
    """What the last layer of the first expert sees at the end of its training."""
    if experts is None:
        raise UserError(
            f"{name} measures distances in the features of a trained network: name the folder of "
            "experts with --experts, or leave it out with --baselines random 'class means'."
        )
    index = read_index(experts)
    check_saw(experts, index, split)
    check_prepared(experts, index, split)
    theta = read_window(experts, index, int(index["plan"]["epochs"]))[0, -1]
    if theta.shape != (model.layout.size,):
        raise UserError(
            f"The experts in {experts} have {theta.size} parameters, this network "
            f"{model.layout.size}: name experts of the same architecture."
        )
    return model.features(jnp.asarray(theta), split.train.x)


def chosen_judges(recipe: Recipe, protocol: str, split: Split) -> tuple[Judge, ...]:
    """The recipe's judges of a protocol; the paper's own are known for every recipe."""
    if protocol not in ("textbook", "paper"):
        raise unknown("protocol", protocol, ["textbook", "paper"])
    judges = tuple(judge for judge in recipe.judges if judge.protocol == protocol)
    if protocol == "paper" and not judges:
        return paper_judges(recipe.ipc, split.classes)
    return judges


def check_judges(judges: Sequence[Judge], split: Split, with_full: Sequence[Judge] = ()) -> None:
    """Refuse, before any work, judges of one name and those that cannot see such points."""
    distinct(judges)
    for judge in (*judges, *with_full):
        check_view(judge, split)


def compare(
    recipe: Recipe,
    entries: dict[str, tuple[Data, ...]],
    judges: Sequence[Judge],
    seeds: range,
    run: Run,
    control: Control,
    with_full: Sequence[Judge] = (),
) -> list[dict[str, Any]]:
    """All judgements, their rows written to the folder's results.json."""
    split = recipe.plan.data.load()
    others = rows_of_others(run, {judge.protocol for judge in (*judges, *with_full)}, split.tested)
    check_judges(judges, split, with_full)
    model = Model.of(recipe.plan.network, split.train)
    arguments = seeds, recipe.seed, model, split, run.path, control
    records = [record for judge in judges for record in judge_all(judge, entries, *arguments)]
    for judge in with_full:
        records += judge_all(judge, {FULL: (split.train,)}, *arguments)
    rows = [row for record in records for row in record["rows"]]
    # Textbook first, and the dataset's own test part, whichever was judged last.
    run.write_results(sorted([*others, *rows], key=place))
    return records


def place(row: dict[str, Any]) -> tuple[bool, str]:
    return row["protocol"] != "textbook", row.get("test", "")


def rows_of_others(run: Run, protocols: set[str], tested: str) -> list[dict[str, Any]]:
    """The rows of results.json that stay in it: of other protocols or another test part."""
    file, remedy = run.file(RESULTS), "Delete it: judging the run again writes a new one."
    rows = read_json(file, remedy) if file.exists() else []
    if not isinstance(rows, list) or not all(isinstance(r, dict) and "protocol" in r for r in rows):
        raise UserError(f"{file} holds no rows that name their protocol. {remedy}")
    return [r for r in rows if r["protocol"] not in protocols or r.get("test", "") != tested]


def learned(folder: Path, split: Split) -> Data:
    """The coreset of a finished run, if its points were prepared like those of the data."""
    Run.read(folder)
    if not (folder / CORESET).exists():
        raise UserError(
            f"The run in {folder} is not finished: run pseudocore distill again with --resume."
        )
    u = read_coreset(folder / CORESET)
    check_fit(u, split)
    check_coreset(folder / CORESET, split)
    return u
