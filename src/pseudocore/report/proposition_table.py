"""Proposition 1 as measured, in one table and the sentences under it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pseudocore.report.axes import number
from pseudocore.report.proposition import of
from pseudocore.report.synthetic import unique

Rows = Sequence[Mapping[str, Any]]
MATCHINGS = ("GM-L2", "GM-inner", "GM-cosine")
PAPER = 0.01  # its Σ^½
GAUSSIAN = {"place": "mean of π_u", "route": "exact"}


def summary(rows: Rows) -> str:
    """A row for every network and place, a column for every gradient, as Markdown."""
    shown = columns(rows)
    heads = ["model", "θ", *(f"{head} = {number(scale)}" for head, _, scale in shown)]
    lines = [heads, [":--"] * 2 + ["--:"] * len(shown)]
    for model in unique(of(rows, route="covariance"), "model"):
        for place in unique(of(rows, model=model), "place"):
            here = of(rows, model=model, place=place)
            cells = [cell(of(here, route=route, scale=scale)) for _, route, scale in shown]
            lines.append([model, place, *cells])
    table = "\n".join(f"| {' | '.join(words)} |" for words in lines)
    return f"{table}\n\n{' '.join([*key(rows), *extremes(rows), *gaussian(rows)])}\n"


def columns(rows: Rows) -> list[tuple[str, str, float]]:
    """What stands above a column, and the route and scale that it shows."""

    def least(route: str) -> float:
        return min(unique(of(rows, route=route), "scale"))

    sigmas = unique(of(rows, route="covariance"), "scale")
    usual = PAPER if PAPER in sigmas else max(sigmas)
    return [
        ("-Cov, σ", "covariance", least("covariance")),
        ("-Cov, σ", "covariance", usual),
        ("few draws, σ", "few draws", usual),
        ("path, η", "path", least("path")),
        ("∇KL(q_u, π_x), η", "direct", least("direct")),
    ]


def cell(rows: Rows) -> str:
    return " / ".join(median(of(rows, matching=name), "cosine") for name in MATCHINGS)


def median(rows: Rows, name: str) -> str:
    return short(np.median([row[name] for row in rows]))


def short(value: Any) -> str:
    return f"{value:.3f}".replace("0.", ".", 1)


def key(rows: Rows) -> list[str]:
    return [
        f"Cosines with ∇_u of {' / '.join(MATCHINGS)}, medians over {len(unique(rows, 'seed'))} "
        "seeds."
    ]


def extremes(rows: Rows) -> list[str]:
    """The lowest cosine of every route at its smallest scale, and what the usual width does."""
    said = []
    for head, route, scale in columns(rows):
        name = "GM-inner" if route == "direct" else "GM-L2"
        cosines = [row["cosine"] for row in of(rows, route=route, scale=scale, matching=name)]
        said.append(
            f"{head} = {number(scale)}, with {name}: {min(cosines):.5f} to {max(cosines):.5f}."
        )
    _, route, usual = columns(rows)[1]
    for model in unique(of(rows, route=route), "model"):
        here = of(rows, route=route, scale=usual, matching="GM-L2", model=model)
        sizes, halves = ([row[name] for row in here] for name in ("ratio", "agreement"))
        said.append(
            f"At σ = {number(usual)} the covariance of {model} is {number(min(sizes))} to "
            f"{number(max(sizes))} times as long as σ² ∇ GM-L2, and two estimates of it have a "
            f"cosine of {short(min(halves))} or more."
        )
    return said


def gaussian(rows: Rows) -> list[str]:
    """What the world says in which ∇KL(π_u || π_x) is exact."""
    said = []
    for name in unique(of(rows, **GAUSSIAN), "matching"):
        held = of(rows, matching=name, **GAUSSIAN)
        ends = [
            f"{short(min(row['cosine'] for row in of(held, scale=scale)))} at {number(scale)}"
            for scale in dict.fromkeys((min(unique(held, "scale")), max(unique(held, "scale"))))
        ]
        said.append(f"Gaussian location, lowest with {name} by spread of noise: {', '.join(ends)}.")
    return said
