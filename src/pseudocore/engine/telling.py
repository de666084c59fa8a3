"""From a comparison's numbers to its table, pictures and page."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pseudocore.data import Data
from pseudocore.datasets.base import Split
from pseudocore.report.figure import save_learning_curves
from pseudocore.report.page import write_page
from pseudocore.report.pictures import Pictures, before_after, grid, save_png, to_display
from pseudocore.report.reliability import Bins
from pseudocore.report.story import Story
from pseudocore.report.summary import Summary, summarise
from pseudocore.report.table import markdown_table
from pseudocore.store.run import Run


def picture(u: Data, split: Split):
    """The coreset as a grid, if its points are images."""
    standardise = split.standardise
    images = to_display(np.asarray(u.x), standardise.mean, standardise.deviation)
    return grid(images, np.asarray(u.y).argmax(-1))


def pictures(before: Mapping[str, Data], after: Mapping[str, Data], split: Split) -> list[Pictures]:
    if len(split.shape) != 3 or split.shape[-1] not in (1, 3):
        return []
    return [
        Pictures(name, picture(before[name], split), picture(after[name], split)) for name in after
    ]


def calibrations(records: Sequence[Mapping[str, Any]], judge: str) -> dict[str, Bins]:
    """The first construction of every method under one judge."""
    return {
        record["method"]: Bins(*zip(*record["reliability"], strict=True))
        for record in records
        if record["rows"][0]["judge"] == judge and record["construction"] == 0
    }


def tell(
    run: Run,
    records: Sequence[Mapping[str, Any]],
    before: Mapping[str, Data],
    after: Mapping[str, Data],
    curves: Mapping[str, Sequence[Mapping[str, Any]]],
    split: Split,
    story: Mapping[str, Any],
    spread: str,
) -> list[Summary]:
    """Write table.md, the pictures, the curves and report.html; hand back the table's lines."""
    summaries = summarise([row for record in records for row in record["rows"]])
    run.write_text("table.md", markdown_table(summaries, spread))
    shown = pictures(before, after, split)
    for name in after if shown else ():
        both = before_after(picture(before[name], split), picture(after[name], split))
        save_png(run.file(f"pictures/{slug(name)}.png"), both)
    if curves:
        save_learning_curves(run.file("learning_curves.png"), curves)
    judge = records[0]["rows"][0]["judge"]
    page = Story(
        summaries=summaries,
        spread=spread,
        pictures=shown,
        curves=curves,
        reliability=calibrations(records, judge),
        reliability_of=judge,
        **{**story, "notes": [*story.get("notes", ()), *warnings(records)]},
    )
    write_page(run.file("report.html"), page)
    return summaries


def warnings(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Everything that is wrong with any chain."""
    return [sentence for record in records for sentence in record["warnings"]]


def slug(name: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in name.lower())


def facts(
    split: Split, recipe: Any, seeds: range, environment: Mapping[str, Any]
) -> dict[str, str]:
    """What stands beside the numbers."""
    plan = recipe.plan
    commit = environment.get("commit")
    return {
        "data": f"{plan.data}: {len(split.train)} train, {len(split.held_out)} held out, "
        f"{len(split.test)} test",
        "network": repr(plan.network),
        "experts": f"{plan.count} of {plan.epochs} epochs, {plan.training}",
        "chains": f"{len(seeds)} a judgement, seeds {seeds.start} to {seeds.stop - 1}",
        "hardware": f"{environment['device'].get('device')} / {environment['cpu']}, "
        f"{environment['cores']} cores",
        "versions": ", ".join(f"{k} {v}" for k, v in environment["versions"].items() if v),
        **({"commit": commit} if commit else {}),
    }
