"""Judge coresets into a folder, a file for each judgement, named by the hash of all it rests on."""

import hashlib
import json
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np

from pseudocore.data import Data
from pseudocore.datasets.base import Split
from pseudocore.engine.control import Control
from pseudocore.errors import UserError
from pseudocore.evaluate import Judge, Judgement
from pseudocore.metrics.reliability import reliability
from pseudocore.model import Model
from pseudocore.store.environment import code
from pseudocore.store.files import finite, read_json, write_json
from pseudocore.store.values import to_json

JUDGEMENTS = "judgements"
SCORES = ("acc", "nll", "ece", "brier", "nll_published", "ece_published")


def judged(
    judge: Judge,
    seeds: range,
    seed: int,
    method: str,
    coreset: Data,
    model: Model,
    split: Split,
    folder: Path,
) -> dict[str, Any]:
    """Rows, diverged seeds, reliability of one judgement, from the folder if it was made before."""
    check_fit(coreset, split)
    file = (
        folder / JUDGEMENTS / f"{identity(judge, seeds, seed, method, coreset, model, split)}.json"
    )
    if file.exists():
        return remembered(read_json(file, "Delete it, and it is computed again."))
    began = time.monotonic()
    represented = split.represents
    found = judge(jr.key(seed), seeds, model, coreset, split.test, represented)
    ipc = None if len(coreset) == represented else len(coreset) // split.classes
    record = {
        "rows": [{**row, **told(split)} for row in found.rows(method, ipc)],
        "diverged": found.diverged,
        "reliability": calibration(found, split),
        "seconds": round(time.monotonic() - began, 2),
    }
    record = finite(record)  # NaN, of a chain that diverged, is null in JSON
    write_json(file, record)
    return remembered(record)


def told(split: Split) -> dict[str, str]:
    """What a row says of the test part, where it is not the dataset's own."""
    return {"test": split.tested} if split.tested else {}


def remembered(record: dict[str, Any]) -> dict[str, Any]:
    """A record as it was before it was written: a score that is null was NaN."""
    rows = [
        {
            name: math.nan if name in SCORES and value is None else value
            for name, value in row.items()
        }
        for row in record["rows"]
    ]
    return {**record, "rows": rows}


def judge_all(
    judge: Judge,
    entries: dict[str, tuple[Data, ...]],
    seeds: range,
    seed: int,
    model: Model,
    split: Split,
    folder: Path,
    control: Control,
) -> list[dict[str, Any]]:
    """Every construction of every method under one judge; coresets of one size share a program."""
    work = [(name, i, u) for name, us in entries.items() for i, u in enumerate(us)]
    records = []
    for done, (name, construction, u) in enumerate(work):
        control.say(f"{judge.protocol} {judge.name}", done, len(work), {})
        record = judged(judge, seeds, seed, name, u, model, split, folder)
        record["rows"] = [{**row, "construction": construction} for row in record["rows"]]
        records.append({**record, "method": name, "construction": construction})
        control.stop_if_asked(f"{done + 1} of {len(work)} judgements by {judge.name} are saved")
    control.say(f"{judge.protocol} {judge.name}", len(work), len(work), {})
    return records


def calibration(found: Judgement, split: Split) -> list[list[float]]:
    """Confidence, accuracy and count of the points in every bin that holds any.

    The probabilities of a chain that diverged are NaN, and so belong to no bin.
    """
    labels = split.test.y.argmax(-1)
    bins = np.asarray(reliability(jnp.asarray(found.probs), labels))
    return bins[(bins[:, 2] > 0) & np.isfinite(bins).all(axis=1)].tolist()


def identity(
    judge, seeds: range, seed: int, method, coreset: Data, model: Model, split: Split
) -> str:
    """A hash of everything that a judgement depends on, the code included."""
    content = hashlib.sha256(code().encode())
    plain = [to_json(judge), list(seeds), seed, method, to_json(model.network), split.represents]
    content.update(json.dumps(plain, sort_keys=True).encode())
    for array in (coreset.x, coreset.y, coreset.w, split.test.x, split.test.y):
        content.update(np.ascontiguousarray(array).tobytes())
    return content.hexdigest()[:24]


def check_fit(coreset: Data, split: Split) -> None:
    """A coreset can only be judged on points and classes like its own."""
    if coreset.x.shape[1:] != split.shape:
        raise UserError(
            f"The coreset's points have shape {coreset.x.shape[1:]}, the test points "
            f"{split.shape}: judge it on the data that it was learned from."
        )
    if coreset.y.shape[1] != split.classes:
        raise UserError(
            f"The coreset has {coreset.y.shape[1]} classes, the test data {split.classes}: "
            "judge it on the data that it was learned from."
        )


def overweight(judges: Sequence[Judge], coreset: Data, split: Split) -> list[str]:
    """Sentences on judges by which a coreset weighs more than the data that it stands for."""
    each = split.represents / len(coreset)
    return [
        f"{judge.name} counts every point as {judge.mass.name}, more than the N/M = {each:.3g} "
        f"that it stands for: --judges.{number}.mass 'FullMass()' counts it as that."
        for number, judge in enumerate(judges)
        if judge.mass.of(len(coreset), split.represents) > split.represents
    ]


def check_view(judge: Judge, split: Split) -> None:
    """Refuse a view that cannot take the points, before any chain is compiled or run."""
    try:
        jax.eval_shape(lambda key, data: judge.view(data).draw(key), jr.key(0), split.train)
    except UserError as error:
        raise UserError(
            f"The judge {judge.name} cannot see these points through its view: {error} Let it see "
            "them as they are: --judges.N.view 'Whole()'."
        ) from error
