"""The paper's synthetic study into a folder: synthetic.json, two figures and a table."""

from collections.abc import Sequence
from functools import partial

import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np

from pseudocore.engine.cells import Row, gather
from pseudocore.engine.control import Control
from pseudocore.errors import UserError
from pseudocore.gaussian.study import MEASURED, Course, Study, train, weighted
from pseudocore.report.synthetic import save_sizes, save_steps, summary
from pseudocore.store.run import Run


def reproduce(run: Run, study: Study, seeds: range, control: Control) -> str:
    """Train every size with every divergence, all seeds and both weights in one cell."""
    cells = {
        f"{trained}-{size}": partial(train_cell, study, trained, size, seeds)
        for trained in study.divergences
        for size in study.sizes
    }
    rows = gather(run, "synthetic", cells, control)
    save_steps(run.file("synthetic-steps.png"), rows)
    save_sizes(run.file("synthetic-sizes.png"), rows)
    run.write_text("table.md", summary(rows))
    return summary(rows)


def train_cell(study: Study, trained: str, size: int, seeds: range) -> list[Row]:
    weights = {"unit": 1.0, "N/M": study.points / size}
    runs = [(name, seed) for name in weights for seed in seeds]
    # Where the floor is zero, single precision would measure its own rounding.
    with jax.enable_x64(True):
        keys = jax.vmap(jr.key)(np.array([seed for _, seed in runs], np.uint32))
        each = jnp.stack([weighted(study, size, weights[name]) for name, _ in runs])
        course = jax.device_get(train(study, study.divergences[trained], each, keys))
    if not np.isfinite(course.values).all():
        raise UserError(
            f"{trained} turned non-finite with {size} points: lower --rate {study.rate:g}."
        )
    told = looks(study, size)
    return [
        {"trained": trained, "size": size, "weights": name, "seed": seed, **row}
        for i, (name, seed) in enumerate(runs)
        for row in measured(study, course, i, told)
    ]


def looks(study: Study, size: int) -> Sequence[int]:
    """Where a row is written: along the way for the smallest size, else at start and end."""
    return range(study.looks + 1) if size == min(study.sizes) else (0, study.looks)


def measured(study: Study, course: Course, run: int, told: Sequence[int]) -> list[Row]:
    return [
        {
            "measured": name,
            "step": look * study.stride,
            "value": float(course.values[run, look, i]),
            "floor": float(course.floor[run, i]),
        }
        for look in told
        for i, name in enumerate(MEASURED)
    ]
