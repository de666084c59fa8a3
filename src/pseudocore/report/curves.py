"""Learning curves as SVG panels: held-out accuracy, held-out NLL, and each method's own loss.

Panels rather than one wide drawing, so that they stand side by side on a desk and one under the
other on a phone. Losses of different divergences share no unit (the reverse KL's is a surrogate of
which only the gradient means something), so each has a panel and a scale to itself.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from pseudocore.report.axes import (
    Number,
    Scale,
    brief,
    circle,
    colours,
    drawing,
    frame,
    heading,
    label,
    number,
    numbered,
    scale,
)
from pseudocore.report.markup import Html, element, join

Curves: TypeAlias = Mapping[str, Sequence[Mapping[str, Any]]]
Points: TypeAlias = list[tuple[float, float]]
HELD_OUT = (("held_out_acc", "Held-out accuracy"), ("held_out_nll", "Held-out NLL"))
# As wide as a phone, so that its text keeps its size there.
WIDTH, NARROW, HEIGHT = 360.0, 280.0, 250.0
LEFT, TOP, BOTTOM = 46.0, 38.0, HEIGHT - 44
LABELS = 88.0


def learning_curves(curves: Curves, chosen: Mapping[str, int] | None = None) -> list[Html]:
    """Two panels with every method, then a loss panel each. `chosen` rings the kept step."""
    palette = colours(list(curves))
    panels = [_panel(curves, key, title, palette, chosen or {}) for key, title in HELD_OUT]
    for method, records in curves.items():
        if points(records, "loss"):
            title = f"Loss of {method}, its own scale"
            panels.append(_panel({method: records}, "loss", title, palette, {}))
    return panels


def ringed(curves: Curves, chosen: Mapping[str, int]) -> bool:
    """Whether a ring is drawn anywhere."""
    return any(
        step == chosen.get(method)
        for method, records in curves.items()
        for key, _ in HELD_OUT
        for step, _ in points(records, key)
    )


def points(records: Sequence[Mapping[str, Any]], key: str) -> Points:
    """(step, value) wherever the value was recorded and is finite."""
    pairs = [(float(r["step"]), float(r[key])) for r in records if r.get(key) is not None]
    return [(step, value) for step, value in pairs if math.isfinite(value)]


def _panel(
    curves: Curves, key: str, title: str, palette: Mapping[str, str], chosen: Mapping[str, int]
) -> Html:
    lines = {m: held for m, records in curves.items() if (held := points(records, key))}
    steps = [step for held in lines.values() for step, _ in held]
    several = len(curves) > 1
    width = NARROW if key == "loss" else WIDTH
    x = scale(steps, LEFT, width - (LABELS if several else 14), margin=0)
    y = scale((v for held in lines.values() for _, v in held), BOTTOM, TOP)
    parts = [
        heading(title),
        frame(x, y, "outer step", numbered(y)),
    ]
    for method, held in lines.items():
        parts.append(_curve(held, x, y, palette[method], method, chosen.get(method)))
    if several:
        parts.append(_end_labels(lines, y, x.stop + 10, palette))
    return drawing(width, HEIGHT, title, describe(lines), *parts)


def describe(lines: Mapping[str, Points]) -> str:
    """The chart in words."""
    told = [
        f"{method}: {number(held[0][1])} at step {number(held[0][0])}, "
        f"{number(held[-1][1])} at step {number(held[-1][0])}"
        for method, held in lines.items()
    ]
    return ". ".join(told) + "." if told else "Nothing was recorded."


def _curve(held: Points, x: Scale, y: Scale, colour: str, name: str, kept: int | None) -> Html:
    path = "M" + " L".join(f"{x(step):.1f},{y(value):.1f}" for step, value in held)
    look = f"stroke:{colour};stroke-width:2;stroke-linejoin:round;stroke-linecap:round"
    parts = [element("path", d=path, style=look)]
    if len(held) <= 60:
        parts += [circle(x(s), y(v), 2.2, f"fill:{colour}") for s, v in held]
    for step, value in held:
        if step == kept:
            ring = circle(x(step), y(value), 6.0, f"stroke:{colour};stroke-width:2")
            parts.append(ring)
    return element("g", element("title", describe({name: held})), *parts)


def _end_labels(
    lines: Mapping[str, Points], y: Scale, at: float, palette: Mapping[str, str]
) -> Html:
    """The name of each curve beside its end, moved apart where ends meet."""
    ends = sorted((y(held[-1][1]), method) for method, held in lines.items())
    places = apart([place for place, _ in ends], 15, TOP, BOTTOM)
    return join(
        *(
            label(brief(method), at, place + 4, colour=palette[method])
            for place, (_, method) in zip(places, ends, strict=True)
        )
    )


def apart(places: Sequence[Number], gap: Number, top: Number, bottom: Number) -> list[Number]:
    """Sorted places, at least `gap` from each other and kept above `bottom` while there is room."""
    moved: list[Number] = []
    for place in places:
        moved.append(max(place, moved[-1] + gap) if moved else max(place, top))
    limit = bottom
    for i in reversed(range(len(moved))):
        moved[i] = min(moved[i], limit)
        limit = moved[i] - gap
    return moved
