"""Proposition 1 as measured: the matching that each gradient is parallel to, in one figure."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pseudocore.report.axes import OKABE_ITO
from pseudocore.report.synthetic import unique
from pseudocore.store.files import write_atomically

Rows = Sequence[Mapping[str, Any]]
INKS = dict(zip(("GM-L2", "GM-inner", "GM-cosine", "GM-L2 in Σ_u"), OKABE_ITO, strict=False))
DASHES = {
    "start": "-",
    "trained on x": "--",
    "trained on u": ":",
    "mean of π_u": "-",
    "prior mean": "--",
}
PANELS = {  # what is told of a route, and of its scale
    "covariance": ("-Cov, {}", "σ"),
    "path": ("the proof's route, {}", "η"),
    "direct": ("∇ KL(q_u, π_x), {}", "η"),
    "exact": ("∇ KL(π_u, π_x), {}", "largest variance of the noise over the smallest"),
}


def save_figure(path: Path, rows: Rows) -> None:
    """Above the covariance of every network against σ, below the other gradients."""
    networks = unique(of(rows, route="covariance"), "model")
    panels = [(model, "covariance") for model in networks]
    panels += [(networks[0], "path"), (networks[0], "direct")]
    panels += [(model, "exact") for model in unique(of(rows, route="exact"), "model")]
    columns = max(3, len(networks))
    figure = Figure(figsize=(3.8 * columns, 7), layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.subplots(2, columns, sharey=True, squeeze=False).flat
    for axes, (model, route) in zip(grid, panels, strict=False):
        title, label = PANELS[route]
        _panel(axes, of(rows, model=model, route=route))
        axes.set_title(title.format(model), loc="left", fontsize=10)
        axes.set_xlabel(label)
    _legend(figure)
    content = io.BytesIO()
    figure.savefig(content, dpi=150)
    write_atomically(path, content.getvalue())


def _panel(axes: Axes, rows: Rows) -> None:
    """A colour for every matching, a dash for every place: median and range over seeds."""
    for matching in unique(rows, "matching"):
        for place in unique(rows, "place"):
            held = of(rows, matching=matching, place=place)
            scales = unique(held, "scale")
            cosines = [[row["cosine"] for row in of(held, scale=scale)] for scale in scales]
            low, middle, high = np.quantile(cosines, (0, 0.5, 1), axis=1)
            ink = INKS[matching]
            axes.fill_between(scales, low, high, color=ink, alpha=0.1, linewidth=0)
            axes.plot(scales, middle, color=ink, linestyle=DASHES[place], linewidth=1.7)
    axes.set_xscale("log")
    axes.set_ylim(-1.05, 1.05)
    axes.grid(alpha=0.2)
    axes.spines[["top", "right"]].set_visible(False)


def _legend(figure: Figure) -> None:
    lines = [Line2D([], [], color=ink, label=name) for name, ink in INKS.items()]
    lines += [Line2D([], [], color="black", ls=dash, label=at) for at, dash in DASHES.items()]
    figure.legend(handles=lines, loc="outside lower center", ncols=9, frameon=False, fontsize=8)
    figure.supylabel("cosine", fontsize=10)


def of(rows: Rows, **asked: Any) -> list[Mapping[str, Any]]:
    """The rows with these values."""
    return [row for row in rows if asked.items() <= row.items()]
