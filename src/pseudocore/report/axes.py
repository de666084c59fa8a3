"""The pieces every chart shares: scales, round ticks, an axis frame, colours, markers.

Text and axes take the colour of the page (currentColor), so that one chart serves light and dark.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pseudocore.report.markup import Html, element, join

# Okabe & Ito (2008), Color Universal Design; black is the axes', yellow is too pale on paper.
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
PLAIN = "currentColor"
# What checks the types at run time does not take an int for a float.
Number: TypeAlias = float | int


@dataclass(frozen=True)
class Scale:
    """From values in [low, high] to places in [start, stop]."""

    low: Number
    high: Number
    start: Number
    stop: Number

    def __call__(self, value: Number) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.stop - self.start)


def scale(values: Iterable[Number], start: Number, stop: Number, margin: Number = 0.06) -> Scale:
    """A scale that holds all finite values, with some air around them."""
    finite = [v for v in values if math.isfinite(v)] or [0.0, 1.0]
    low, high = min(finite), max(finite)
    air = margin * (high - low) if high > low else abs(high) * 0.1 or 1.0
    return Scale(low - air, high + air, start, stop)


def ticks(low: Number, high: Number, count: int = 5) -> list[float]:
    """Round values in [low, high], about `count`: steps of 1, 2 or 5 times a power of ten."""
    raw = (high - low) / count
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * s for s in (1, 2, 5, 10) if power * s >= raw * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


def number(value: Number) -> str:
    """1,000 and .25 and 3e-05."""
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def colours(names: Sequence[str]) -> dict[str, str]:
    """A colour a name, in their order; the page brightens them for the dark through --c0, ..."""
    k = len(OKABE_ITO)
    return {name: f"var(--c{i % k}, {OKABE_ITO[i % k]})" for i, name in enumerate(names)}


def frame(x: Scale, y: Scale, x_label: str, y_ticks: Mapping[float, str], x_count: int = 4) -> Html:
    """Grid lines, tick texts and the name of the horizontal axis. y runs from bottom to top."""
    parts = []
    for value, text in y_ticks.items():
        at = y(value)
        parts.append(line(x.start, at, x.stop, at, opacity=0.13))
        parts.append(label(text, x.start - 6, at + 4, anchor="end", opacity=0.72))
    for value in ticks(x.low, x.high, x_count):
        parts.append(line(x(value), y.start, x(value), y.start + 4, opacity=0.5))
        parts.append(label(number(value), x(value), y.start + 17, anchor="middle", opacity=0.72))
    parts.append(line(x.start, y.start, x.stop, y.start, opacity=0.5))
    parts.append(
        label(x_label, (x.start + x.stop) / 2, y.start + 34, anchor="middle", opacity=0.72)
    )
    return join(*parts)


def numbered(y: Scale, count: int = 5) -> dict[float, str]:
    return {value: number(value) for value in ticks(y.low, y.high, count)}


def line(
    x1: Number,
    y1: Number,
    x2: Number,
    y2: Number,
    colour: str = PLAIN,
    opacity: Number = 1,
    width: Number = 1,
) -> Html:
    look = f"stroke:{colour};stroke-width:{width};opacity:{opacity}"
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, style=look)


def label(
    text: str, x: Number, y: Number, colour: str = PLAIN, anchor: str = "start", opacity: Number = 1
) -> Html:
    look = f"fill:{colour};opacity:{opacity}"
    return element("text", text, x=x, y=y, text_anchor=anchor, style=look)


def heading(text: str) -> Html:
    look = "fill:currentColor;font-weight:600;font-size:13px"
    return element("text", brief(text, 36), x=0, y=16, style=look)


def brief(name: str, room: int = 13) -> str:
    return name if len(name) <= room else f"{name[: room - 1]}…"


# Shapes tell judges apart where colour cannot (print, colour-blind readers).
def circle(x: Number, y: Number, r: Number, look: str) -> Html:
    return element("circle", cx=x, cy=y, r=r, style=look)


def diamond(x: Number, y: Number, r: Number, look: str) -> Html:
    a = 1.3 * r
    points = f"{x:.6g},{y - a:.6g} {x + a:.6g},{y:.6g} {x:.6g},{y + a:.6g} {x - a:.6g},{y:.6g}"
    return element("polygon", points=points, style=look)


def square(x: Number, y: Number, r: Number, look: str) -> Html:
    return element("rect", x=x - r, y=y - r, width=2 * r, height=2 * r, style=look)


def triangle(x: Number, y: Number, r: Number, look: str) -> Html:
    a = 1.25 * r
    points = f"{x:.6g},{y - a:.6g} {x + a:.6g},{y + a:.6g} {x - a:.6g},{y + a:.6g}"
    return element("polygon", points=points, style=look)


MARKERS: tuple[Callable[[Number, Number, Number, str], Html], ...] = (
    circle,
    diamond,
    square,
    triangle,
)


def drawing(width: Number, height: Number, title: str, description: str, *parts: str) -> Html:
    """A whole SVG that names and describes itself to those who do not see it."""
    return element(
        "svg",
        element("title", title),
        element("desc", description),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:g} {height:g}",
        role="img",
        font_family="system-ui, sans-serif",
        font_size=12,
        fill="none",
    )
