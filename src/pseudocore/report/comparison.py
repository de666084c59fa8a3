"""Dots and whiskers: accuracy and NLL of every method with their standard errors."""

import math
from collections.abc import Mapping, Sequence

from pseudocore.report.axes import (
    MARKERS,
    PLAIN,
    Scale,
    brief,
    drawing,
    frame,
    heading,
    label,
    line,
    scale,
)
from pseudocore.report.cells import varying
from pseudocore.report.markup import Html, element
from pseudocore.report.metric import ACCURACY, NLL, Metric, images_per_class, with_error
from pseudocore.report.summary import Spread, Summary, one_protocol

WIDTH = 360.0
LEFT, RIGHT, TOP, ROW = 100.0, WIDTH - 10, 58.0, 32.0
SIDE = {+1: "right is better", -1: "left is better"}


def comparison(
    summaries: Sequence[Summary], colours: Mapping[str, str], points: str = "images"
) -> list[Html]:
    """A panel for accuracy and one for NLL, of one protocol. Methods without a colour are grey."""
    one_protocol(summaries)
    return [_panel(summaries, metric, colours, points) for metric in (ACCURACY, NLL)]


def _panel(
    summaries: Sequence[Summary], metric: Metric, colours: Mapping[str, str], points: str
) -> Html:
    names = [_name(s, summaries) for s in summaries]
    rows = {name: TOP + (i + 0.5) * ROW for i, name in enumerate(dict.fromkeys(names))}
    judges = list(dict.fromkeys(s.judge for s in summaries))
    values = [_value(s, metric) for s in summaries]
    bottom = TOP + len(rows) * ROW
    x = scale((end for v in values for end in _whisker(v)), LEFT, RIGHT)
    y = Scale(TOP, bottom, bottom, TOP)
    title = f"{'Accuracy' if metric is ACCURACY else 'NLL'} on the test {points}"
    parts = [heading(title), *_legend(judges)]
    parts.append(frame(x, y, f"{metric.heading} ({SIDE[metric.better]})", {}))
    for name, place in rows.items():
        parts.append(line(x.start, place, x.stop, place, opacity=0.13))
        parts.append(label(brief(name, 16), x.start - 10, place + 4, anchor="end"))
    for s, name, value in zip(summaries, names, values, strict=True):
        at = _beside(rows[name], s, [t for t, n in zip(summaries, names, strict=True) if n == name])
        if not math.isfinite(value.mean):
            continue
        marker = judges.index(s.judge)
        parts.append(_dot(x, at, value, marker, colours.get(s.method), f"{name}, {s.judge}"))
    told = [
        f"{n}, {s.judge}: {with_error(v)}" for s, n, v in zip(summaries, names, values, strict=True)
    ]
    return drawing(WIDTH, bottom + 44, title, ". ".join(told) + ".", *parts)


def _name(s: Summary, summaries: Sequence[Summary]) -> str:
    """The method, with its ipc and weights where the coresets of the chart differ in them."""
    shown = varying(summaries)
    words = [s.method]
    if "ipc" in shown and s.ipc is not None:
        words.append(images_per_class(s.ipc))
    if "weights" in shown and s.ipc is not None:
        words.append(f"w={s.weights}")
    return " ".join(words)


def _value(s: Summary, metric: Metric) -> Spread:
    value = metric.of(s)
    assert value is not None
    return value


def _whisker(v: Spread) -> tuple[float, float]:
    reach = v.error if v.count > 1 else 0.0
    return v.mean - reach, v.mean + reach


def _beside(row: float, s: Summary, same: Sequence[Summary]) -> float:
    """The place of one judge inside its row, so that whiskers do not cover each other."""
    return row + 11 * (same.index(s) - (len(same) - 1) / 2)


def _dot(x: Scale, at: float, v: Spread, marker: int, colour: str | None, name: str) -> Html:
    ink = colour or PLAIN
    low, high = (x(end) for end in _whisker(v))
    # Filled for the first judge, hollow after it: a second sign besides the shape.
    fill = ink if marker == 0 else "var(--paper, none)"
    look = f"fill:{fill};stroke:{ink};stroke-width:2"
    return element(
        "g",
        element("title", f"{name}: {with_error(v)}"),
        line(low, at, high, at, colour=ink, width=2),
        MARKERS[marker % len(MARKERS)](x(v.mean), at, 4, look),
        style=None if colour else "opacity:.62",
    )


def _legend(judges: Sequence[str]) -> list[Html]:
    parts, at = [], 6.0
    for i, judge in enumerate(judges):
        fill = PLAIN if i == 0 else "none"
        look = f"fill:{fill};stroke:{PLAIN};stroke-width:2"
        parts.append(MARKERS[i % len(MARKERS)](at, 38, 4, look))
        parts.append(label(brief(judge, 16), at + 11, 42))
        at += 34 + 7.6 * len(brief(judge, 16))
    return parts
