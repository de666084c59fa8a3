"""The synthetic study's two figures and its table: values, floors, and what lies between."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from pseudocore.report.axes import OKABE_ITO
from pseudocore.report.metric import counted
from pseudocore.store.files import write_atomically

Rows = Sequence[Mapping[str, Any]]
TITLES = {"rKL": "reverse KL", "W": "W₂²", "fKL": "forward KL"}
# What lies below has converged; a logarithmic axis need not follow it to 1e-30.
CONVERGED = 1e-6
WIDTHS = (5.0, 3.0, 1.4)  # lines that lie on each other stay visible


def save_steps(path: Path, rows: Rows) -> None:
    """Every divergence along training of the smallest size."""
    size = min(row["size"] for row in rows)
    of_size = [row for row in rows if row["size"] == size]
    _save(path, of_size, "step", "outer step", f"{size} points, trained with")


def save_sizes(path: Path, rows: Rows) -> None:
    """Every divergence at the end of training, against the size."""
    last = max(row["step"] for row in rows)
    _save(path, [row for row in rows if row["step"] == last], "size", "points", "trained with")


def _save(path: Path, rows: Rows, along: str, label: str, legend: str) -> None:
    """A panel for every measure and kind of weight: median and range over seeds, and the floor."""
    weights, measures = unique(rows, "weights"), unique(rows, "measured")
    figure = Figure(figsize=(11, 3.2 * len(weights)), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(len(weights), len(measures), squeeze=False, sharex=True)
    for line, weight in zip(panels, weights, strict=True):
        for axes, measure in zip(line, measures, strict=True):
            shown = [r for r in rows if (r["weights"], r["measured"]) == (weight, measure)]
            _panel(axes, shown, along)
            axes.set_title(f"{TITLES[measure]}, weights {weight}", loc="left", fontsize=10)
    for axes in panels[-1]:
        axes.set_xlabel(label)
    panels[0, -1].legend(frameon=False, fontsize=8, title=legend, title_fontsize=8)
    content = io.BytesIO()
    figure.savefig(content, dpi=150)
    write_atomically(path, content.getvalue())


def _panel(axes: Axes, rows: Rows, along: str) -> None:
    for i, trained in enumerate(unique(rows, "trained")):
        held = [row for row in rows if row["trained"] == trained]
        places = unique(held, along)
        values = [[max(r["value"], CONVERGED) for r in held if r[along] == at] for at in places]
        low, middle, high = np.quantile(values, (0, 0.5, 1), axis=1)
        axes.fill_between(places, low, high, color=OKABE_ITO[i], alpha=0.2, linewidth=0)
        look = {"color": OKABE_ITO[i], "linewidth": WIDTHS[i % 3], "marker": "o", "markersize": 3}
        axes.plot(places, middle, label=trained, **look)
    floors = {row[along]: row["floor"] for row in rows if row["floor"] > CONVERGED}
    axes.plot(list(floors), list(floors.values()), "k--", marker="_", lw=1, label="floor")
    axes.set_yscale("log")
    if min(row["value"] for row in rows) < CONVERGED:
        axes.axhspan(CONVERGED / 3, CONVERGED, color="0.85", label="below 1e-6: converged")
    axes.grid(alpha=0.2)
    axes.spines[["top", "right"]].set_visible(False)


def summary(rows: Rows) -> str:
    """The smallest size as Markdown: how far every divergence fell, and what was left to fall."""
    size, last = min(row["size"] for row in rows), max(row["step"] for row in rows)
    heads = ["weights", "trained", "measured", "start", "end", "ratio", "floor"]
    heads += ["excess ratio", "end above floor"]
    lines = [heads, [":--"] * 3 + ["--:"] * 6]
    for weight in unique(rows, "weights"):
        for trained in unique(rows, "trained"):
            for measure in unique(rows, "measured"):
                asked = {"weights": weight, "trained": trained, "measured": measure, "size": size}
                held = [row for row in rows if asked.items() <= row.items()]
                start, end = (np.array(of(held, step)) for step in (0, last))
                lines.append([weight, trained, measure, *fall(start, end, held[0]["floor"])])
    seeds = counted(len(unique(rows, "seed")), "seed")
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return (
        f"{table}\n\n{size} points, {last} steps. Start and end are means over {seeds}, "
        "ratios the smallest of any seed, the last column the largest. W is W₂². The excess is "
        "what lies above the floor, which no points of these weights can undercut.\n"
    )


def of(rows: Rows, step: int) -> list[float]:
    return [row["value"] for row in rows if row["step"] == step]


def fall(start: np.ndarray, end: np.ndarray, floor: float) -> list[str]:
    above = f"{(end / floor - 1).max():.2%}" if floor > CONVERGED else "–"
    return [
        f"{start.mean():.4g}",
        small(end.mean()),
        times(start, end),
        f"{floor:.4g}" if floor > CONVERGED else "0",
        times(start - floor, end - floor),
        above,
    ]


def small(value: float) -> str:
    return f"{value:.4g}" if value > CONVERGED else f"<{CONVERGED:g}"


def times(before: np.ndarray, after: np.ndarray) -> str:
    ratio = (before / np.maximum(after, CONVERGED)).min()
    bound = ">" if (after <= CONVERGED).all() else ""
    return f"{bound}{ratio:.3g}" if bound or ratio < 1000 else f"{ratio:,.0f}"


def unique(rows: Rows, name: str) -> list[Any]:
    """The values of a column in the order in which they appear."""
    return list(dict.fromkeys(row[name] for row in rows))
