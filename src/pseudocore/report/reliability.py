"""Reliability diagrams: how often the judge was right where it claimed a certain confidence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from pseudocore.report.axes import PLAIN, Scale, brief, circle, drawing, frame, heading, line
from pseudocore.report.markup import Html, element
from pseudocore.report.metric import short

Values: TypeAlias = Sequence[Any] | np.ndarray
SIDE = 220.0
PLACES = {0.0: "0", 0.5: ".5", 1.0: "1"}


@dataclass(frozen=True)
class Bins:
    """Per confidence bin: its centre, the accuracy inside it, and how many test points it holds."""

    centres: Values
    accuracy: Values
    counts: Values


def reliability(bins: Mapping[str, Bins], colours: Mapping[str, str]) -> list[Html]:
    """One square panel a method. On the diagonal, confidence is worth its face value."""
    return [_panel(name, held, colours.get(name, PLAIN)) for name, held in bins.items()]


def _panel(name: str, bins: Bins, colour: str) -> Html:
    x, y = Scale(0, 1, 34, SIDE - 12), Scale(0, 1, SIDE - 10, 36)
    rows = zip(bins.centres, bins.accuracy, bins.counts, strict=True)
    held = [(float(c), float(a), int(n)) for c, a, n in rows if n > 0]
    largest = max((n for _, _, n in held), default=1)
    path = " ".join(f"{x(c):.1f},{y(a):.1f}" for c, a, _ in held)
    parts = [
        heading(brief(name, 24)),
        frame(x, y, "confidence", PLACES, x_count=2),
        line(x(0), y(0), x(1), y(1), opacity=0.45),
        element("polyline", points=path, style=f"stroke:{colour};stroke-width:1.5;opacity:.6"),
        *(_dot(x, y, point, largest, colour) for point in held),
    ]
    told = "; ".join(f"confidence {short(c, 2)}: right {short(a, 2)} of {n}" for c, a, n in held)
    title = f"Reliability of {name}: accuracy against confidence"
    return drawing(SIDE, SIDE + 32, title, f"{told}.", *parts)


def _dot(x: Scale, y: Scale, point: tuple[float, float, int], largest: int, colour: str) -> Html:
    centre, accuracy, count = point
    told = f"confidence {short(centre, 2)}, accuracy {short(accuracy, 2)}, {count} test points"
    # The area is the number of points, so that an empty corner does not shout.
    radius = 2 + 6 * (count / largest) ** 0.5
    dot = circle(x(centre), y(accuracy), radius, f"fill:{colour};fill-opacity:.85")
    return element("g", element("title", told), dot)
