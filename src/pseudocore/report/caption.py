"""What stands under a table: what holds for all of it, and what its signs mean."""

from collections.abc import Sequence

from pseudocore.limits import ACCEPTANCE_FLOOR, RHAT_LIMIT
from pseudocore.report.cells import best_lines, varying
from pseudocore.report.metric import METRICS, counted, images_per_class, listed, short
from pseudocore.report.roles import learned
from pseudocore.report.summary import CORESETS, Summary, one_protocol

OF_EACH = ("N/M", "1")  # weights that are 1 where all the data are there


def caption(summaries: Sequence[Summary], points: str = "images", marked: bool = True) -> str:
    """Under a table of these `points`; `marked`: whether it can show its best lines."""
    told = [f"{'; '.join(_fixed(summaries, points))}.", *_spread(summaries)]
    if marked and any(best_lines(summaries, metric) for metric in METRICS):
        told.append(
            "Highlighted: the best under its judge, and whatever lies within one standard error of "
            "it."
        )
    told.append(f"'!': R-hat above {RHAT_LIMIT} or acceptance below {short(ACCEPTANCE_FLOOR, 1)}.")
    return " ".join(told)


def _fixed(summaries: Sequence[Summary], points: str) -> list[str]:
    """What all lines share, and what the full data are."""
    fixed = [f"Protocol {one_protocol(summaries)}"]
    shown = varying(summaries)
    coresets = [s for s in summaries if s.ipc is not None]
    if coresets and "ipc" not in shown:
        fixed.append(f"{points} per class: {images_per_class(coresets[0].ipc)}")
    if coresets and "weights" not in shown:
        fixed.append(f"weights {coresets[0].weights}")
    for s in {(s.method, s.weights): s for s in summaries if s.ipc is None}.values():
        weights = "" if s.weights in OF_EACH else f", weights {s.weights}"
        fixed.append(f"{s.method}: all {points}{weights}")
    return fixed


def _spread(summaries: Sequence[Summary]) -> list[str]:
    """What every standard error is taken over; a single value has none."""
    groups: dict[str, dict[str, None]] = {}
    for s in sorted(summaries, key=lambda s: (s.over != CORESETS, s.count == 1)):
        groups.setdefault(counted(s.count, _noun(s)), {})[s.method] = None
    if not groups:
        return []
    *_, last = groups
    names = {what: listed(list(methods)) for what, methods in groups.items()}
    if len(groups) > 1 and len(groups[last]) > 2:
        names[last] = "the others"
    alone = names.pop(last) if last == "1 chain" else ""
    if not names:
        return ["Every line is of 1 chain, and so has no standard error."]
    over = ", ".join(f"{what} for {who}" for what, who in names.items())
    if len(groups) == 1:
        (over,) = names
    sentence = f"± is the standard error over {over}"
    return [f"{sentence}; none for {alone}, of 1 chain." if alone else f"{sentence}."]


def _noun(s: Summary) -> str:
    if s.over != CORESETS:
        return "chain"
    return "coreset" if learned([s]) else "subset"
