"""Rows with known numbers, and a story made of them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from pseudocore.report.pictures import Pictures, grid
from pseudocore.report.reliability import Bins
from pseudocore.report.story import Story
from pseudocore.report.summary import Summary, summarise

Rows = list[dict[str, Any]]


def make_rows(method: str, accs: Sequence[float], **changes: Any) -> Rows:
    """One row a seed; the other metrics follow the accuracy."""
    rows = [
        {
            "method": method,
            "ipc": 1,
            "judge": "HMC",
            "protocol": "textbook",
            "weights": "N/M",
            "seed": seed,
            "acc": acc,
            "nll": 2 - acc,
            "ece": 0.1 - acc / 100,
            "brier": 1 - acc,
            "acceptance": 0.8,
            "rhat": 1.01,
        }
        for seed, acc in enumerate(accs)
    ]
    return [row | changes for row in rows]


@pytest.fixture
def rows() -> Callable[..., Rows]:
    return make_rows


def some_summaries() -> list[Summary]:
    full = {"judge": "SGHMC", "ipc": None, "weights": "1", "acceptance": None}
    return summarise(
        [
            *make_rows("random", [0.50, 0.60]),
            *make_rows("class means", [0.80, 0.82]),
            *make_rows("fKL", [0.90, 0.92]),
            *make_rows("full data", [0.95, 0.96], **full),
        ]
    )


@pytest.fixture
def summaries() -> list[Summary]:
    return some_summaries()


@pytest.fixture
def story() -> Callable[..., Story]:
    """A whole story around one method's name, wherever a name can stand."""

    def tell(name: str = "fKL", **changes: Any) -> Story:
        picture = grid(np.zeros((2, 4, 4, 1)), np.array([0, 1]), scale=4)
        curve = [
            {"step": step, "held_out_acc": acc, "held_out_nll": 1 - acc, "loss": acc / 9}
            for step, acc in ((0, 0.5), (10, 0.8), (20, 0.7))
        ]
        told: dict[str, Any] = {
            "title": name,
            "lead": [name],
            "summaries": [*some_summaries(), *summarise(make_rows(name + " too", [0.7, 0.8]))],
            "pictures": [Pictures(name, picture, picture, note=name)],
            "curves": {name: curve},
            "chosen": {name: 10},
            "reliability": {name: Bins([0.25, 0.75], [0.2, 0.8], [3, 9])},
            "notes": [name],
            "facts": {name: name},
            "commands": [name],
            "recipe": name,
        }
        return Story(**(told | changes))

    return tell
