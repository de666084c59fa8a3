"""From a comparison's numbers to its table, pictures and page."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pseudocore.augment import DSA, Unchanged
from pseudocore.data import Augmenting, Data, View
from pseudocore.datasets.base import Split
from pseudocore.doubts import doubts
from pseudocore.evaluate import Judge
from pseudocore.report.figure import save_learning_curves
from pseudocore.report.findings import alike, conclusions
from pseudocore.report.metric import counted, listed
from pseudocore.report.page import write_page
from pseudocore.report.pictures import Pictures, before_after, grid, save_png, to_display
from pseudocore.report.reliability import Bins
from pseudocore.report.story import Story
from pseudocore.report.summary import Summary, summarise
from pseudocore.report.table import markdown_table
from pseudocore.report.words import AFRESH, AS_IS, CHANGES, FIRST
from pseudocore.store.run import Run


def picture(u: Data, split: Split):
    """The coreset as a grid, if its points are images."""
    return grid(to_display(split.preprocess.undo(np.asarray(u.x))), np.asarray(u.y).argmax(-1))


def pictures(before: Mapping[str, Data], after: Mapping[str, Data], split: Split) -> list[Pictures]:
    if len(split.shape) != 3 or split.shape[-1] not in (1, 3):
        return []
    return [
        Pictures(name, picture(before[name], split), picture(after[name], split)) for name in after
    ]


def calibrations(records: Sequence[Mapping[str, Any]], judge: str) -> dict[str, Bins]:
    """The first construction of every method under one judge, if its chains did not diverge."""
    return {
        record["method"]: Bins(*zip(*record["reliability"], strict=True))
        for record in records
        if record["rows"][0]["judge"] == judge
        and record["construction"] == 0
        and record["reliability"]
    }


@dataclasses.dataclass(frozen=True)
class Told:
    """What the console shows of a comparison: the table's lines, and what follows from them."""

    summaries: list[Summary]
    findings: list[str]


def tell(
    run: Run,
    records: Sequence[Mapping[str, Any]],
    before: Mapping[str, Data],
    after: Mapping[str, Data],
    curves: Mapping[str, Sequence[Mapping[str, Any]]],
    split: Split,
    story: Mapping[str, Any],
    judges: Sequence[Judge],
) -> Told:
    """Write table.md, the pictures, the curves and report.html; hand back what is to be shown."""
    summaries = summarise([row for record in records for row in record["rows"]])
    points, gaps = kind(split), confidence_gaps(records)
    notes = [*alike(summaries, points), *story.get("notes", ())]
    several = {record["method"] for record in records if record["construction"] > 0}
    run.write_text("table.md", markdown_table(summaries, points, notes))
    shown = pictures(before, after, split)
    for name in after if shown else ():
        both = before_after(picture(before[name], split), picture(after[name], split))
        save_png(run.file(f"pictures/{slug(name)}.png"), both)
    if curves:
        note = FIRST if several & set(curves) else ""
        save_learning_curves(run.file("learning_curves.png"), curves, note=note)
    judge = records[0]["rows"][0]["judge"]
    page = Story(
        summaries=summaries,
        points=points,
        seen={judge.name.lower(): seen(judge.view) for judge in judges},
        pictures=shown,
        curves=curves,
        reliability=calibrations(records, judge),
        reliability_of=judge,
        several=several,
        gaps=gaps,
        **{**story, "notes": [*notes, *doubts(records)]},
    )
    write_page(run.file("report.html"), page)
    return Told(summaries, [*alike(summaries, points), *conclusions(summaries, gaps)])


def kind(split: Split) -> str:
    """What a person calls the points."""
    return "images" if len(split.shape) == 3 else "points"


def seen(view: View) -> str:
    """How a judge sees the coreset, in words."""
    augment = view.augment if isinstance(view, Augmenting) else Unchanged()
    if isinstance(augment, Unchanged):
        return AS_IS
    parts = augment.operations if isinstance(augment, DSA) else (augment,)
    names = (type(part).__name__ for part in parts)
    return f"{AFRESH}: {listed([CHANGES.get(name, name) for name in names], 'or')}"


def confidence_gaps(records: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """By judge and method: accuracy less mean confidence, over all constructions."""
    bins: dict[tuple[str, str], list[list[float]]] = {}
    for record in records:
        first = record["rows"][0]
        bins.setdefault((first["judge"], first["method"]), []).extend(record["reliability"])
    gaps: dict[str, dict[str, float]] = {}
    for (judge, method), held in bins.items():
        if held:
            confidence, accuracy, count = np.asarray(held).T
            gaps.setdefault(judge, {})[method] = float(
                np.average(accuracy - confidence, weights=count)
            )
    return gaps


def numbered(seeds: range) -> str:
    return f"seeds {seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else f"seed {seeds[0]}"


def slug(name: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in name.lower())


def facts(
    split: Split, recipe: Any, seeds: range, environment: Mapping[str, Any]
) -> dict[str, str]:
    """What stands beside the numbers."""
    plan = recipe.plan
    commit = environment.get("commit")
    return {
        "data": f"{plan.data}: {split.represents} train, {len(split.held_out)} held out, "
        f"{len(split.test)} test",
        "network": repr(plan.network),
        "experts": f"{plan.count} of {counted(plan.epochs, 'epoch')}, {plan.training}",
        "chains": f"{len(seeds)} a judgement, {numbered(seeds)}",
        "hardware": f"{environment['device'].get('device')} / {environment['cpu']}, "
        f"{environment['cores']} cores",
        "versions": ", ".join(f"{k} {v}" for k, v in environment["versions"].items() if v),
        **({"commit": commit} if commit else {}),
    }
