"""What a table says, before anyone decides how it looks: headings, cells, marks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pseudocore.limits import ACCEPTANCE_FLOOR, RHAT_LIMIT
from pseudocore.report.metric import METRICS, Metric, images_per_class, short, with_error
from pseudocore.report.summary import Spread, Summary, one_protocol


@dataclass(frozen=True)
class Cell:
    text: str
    best: bool = False
    warning: str = ""


@dataclass(frozen=True)
class Section:
    judge: str
    lines: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Body:
    """Headings, and a section of lines a judge. The first `labels` columns are words."""

    headings: tuple[str, ...]
    labels: int
    sections: tuple[Section, ...]


def body(summaries: Sequence[Summary]) -> Body:
    """Every line of one protocol's table, one judge after another."""
    one_protocol(summaries)
    metrics = [m for m in METRICS if any(m.of(s) is not None for s in summaries)]
    shown = columns(summaries)
    best = {m.field: best_lines(summaries, m) for m in metrics}

    def line(index: int, s: Summary) -> tuple[Cell, ...]:
        words = {"ipc": images_per_class(s.ipc), "weights": s.weights}
        return (
            Cell(s.method),
            *(Cell(words[field]) for field in shown),
            *(_metric(m.of(s), index in best[m.field]) for m in metrics),
            _acceptance(s.acceptance),
            _rhat(s.rhat),
        )

    return Body(
        ("method", *shown, *(f"{m.heading} {m.arrow}" for m in metrics), "accept", "R-hat"),
        1 + len(shown),
        tuple(
            Section(
                title(judge, summaries, shown),
                tuple(line(i, s) for i, s in enumerate(summaries) if s.judge == judge),
            )
            for judge in dict.fromkeys(s.judge for s in summaries)
        ),
    )


def varying(summaries: Sequence[Summary]) -> tuple[str, ...]:
    """Which of ipc and weights differ between the coresets, and so need a column or a word.

    The full data differs in both by its nature: the caption says so once.
    """
    coresets = [s for s in summaries if s.ipc is not None] or summaries
    return tuple(f for f in ("ipc", "weights") if len({getattr(s, f) for s in coresets}) > 1)


def columns(summaries: Sequence[Summary]) -> tuple[str, ...]:
    """Which of ipc and weights need a column: what varies under one judge."""
    judges = {s.judge for s in summaries}
    return tuple(
        field
        for field in varying(summaries)
        if any(field in varying([s for s in summaries if s.judge == judge]) for judge in judges)
    )


def title(judge: str, summaries: Sequence[Summary], shown: Sequence[str]) -> str:
    """The judge, with what varies from judge to judge alone and so has no column."""
    first = next(s for s in summaries if s.judge == judge)
    words = {
        "ipc": f"{images_per_class(first.ipc)} per class",
        "weights": f"weights {first.weights}",
    }
    apart = [words[field] for field in varying(summaries) if field not in shown]
    return ", ".join([judge, *apart] if first.ipc is not None else [judge])


def best_lines(summaries: Sequence[Summary], metric: Metric) -> set[int]:
    """The lines best under their judge and ipc, or within one standard error of the best."""
    groups: dict[tuple[str, int | None], list[tuple[int, Spread]]] = {}
    for i, s in enumerate(summaries):
        value = metric.of(s)
        if value is not None and not math.isnan(value.mean):
            groups.setdefault((s.judge, s.ipc), []).append((i, value))
    marked: set[int] = set()
    for members in groups.values():
        top = max((value for _, value in members), key=lambda v: metric.better * v.mean)
        reach = 0.0 if math.isnan(top.error) else top.error
        close = {i for i, v in members if abs(v.mean - top.mean) <= reach}
        marked |= close if len(members) > 1 else set()
    return marked


def _metric(value: Spread | None, best: bool) -> Cell:
    return Cell("–") if value is None else Cell(with_error(value), best)


def _acceptance(value: Spread | None) -> Cell:
    if value is None:
        return Cell("–")
    # Written so that nan is marked too.
    low = not value.mean >= ACCEPTANCE_FLOOR
    return Cell(short(value.mean, 2), warning="hardly any proposal is accepted" if low else "")


def _rhat(value: float | None) -> Cell:
    if value is None:
        return Cell("–")
    high = not value <= RHAT_LIMIT
    # Of a chain that never moved it is huge, and would take the room of the methods' names.
    text = ">100" if value > 100 else f"{value:.2f}"
    return Cell(text, warning="the chains do not agree yet" if high else "")
