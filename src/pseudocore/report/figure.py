"""The learning curves as one PNG, for the run's folder."""

import io
from collections.abc import Mapping
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from pseudocore.report.axes import OKABE_ITO
from pseudocore.report.curves import HELD_OUT, Curves, points
from pseudocore.store.files import write_atomically


def save_learning_curves(
    path: Path, curves: Curves, chosen: Mapping[str, int] | None = None, note: str = ""
) -> None:
    """Held-out accuracy and NLL of all methods above, the loss of each below on its own scale."""
    figure = Figure(figsize=(9, 6), layout="constrained")
    FigureCanvasAgg(figure)
    if note:
        figure.suptitle(note, fontsize=9, x=0.01, ha="left")
    above, below = figure.subfigures(2, 1, squeeze=False, height_ratios=(3, 2))[:, 0]
    inks = {m: OKABE_ITO[i % len(OKABE_ITO)] for i, m in enumerate(curves)}
    for axes, (key, title) in zip(above.subplots(1, 2), HELD_OUT, strict=True):
        for method in curves:
            _draw(axes, curves, method, key, inks[method], (chosen or {}).get(method))
        _dress(axes, title)
        if curves:
            axes.legend(frameon=False)
    for axes, method in zip(
        below.subplots(1, max(len(curves), 1), squeeze=False)[0], curves, strict=False
    ):
        _draw(axes, curves, method, "loss", inks[method], None)
        _dress(axes, f"Loss of {_plain(method)}")
    content = io.BytesIO()
    figure.savefig(content, dpi=150)
    write_atomically(path, content.getvalue())


def _draw(axes: Axes, curves: Curves, method: str, key: str, ink: str, kept: int | None) -> None:
    held = points(curves[method], key)
    steps, values = [s for s, _ in held], [v for _, v in held]
    axes.plot(steps, values, color=ink, linewidth=1.8, label=_plain(method))
    ring = [(s, v) for s, v in held if s == kept]
    axes.plot([s for s, _ in ring], [v for _, v in ring], "o", color=ink, fillstyle="none", ms=9)


def _dress(axes: Axes, title: str) -> None:
    axes.set_title(title, loc="left", fontsize=10)
    axes.set_xlabel("outer step")
    axes.grid(alpha=0.2)
    axes.spines[["top", "right"]].set_visible(False)


def _plain(method: str) -> str:
    # matplotlib reads $...$ as a formula and hides labels that begin with an underscore.
    return method.replace("$", r"\$").lstrip("_")
