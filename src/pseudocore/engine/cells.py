"""A reproduction in cells: each leaves its rows in a file, and is skipped where the file exists."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pseudocore.engine.control import Control
from pseudocore.store.files import read_json, write_rows
from pseudocore.store.run import Run

Row = dict[str, Any]
CELLS = "cells"


def gather(
    run: Run, name: str, cells: Mapping[str, Callable[[], Iterable[Row]]], control: Control
) -> list[Row]:
    """The rows of all cells, kept in NAME.json; what a stopped call has done is not done again."""
    rows: list[Row] = []
    for done, (cell, compute) in enumerate(cells.items()):
        control.say(name, done, len(cells), {})
        file = run.file(CELLS) / f"{cell}.json"
        if not file.exists():
            write_rows(file, list(compute()))
        rows += read_json(file, "Delete it, and it is computed again.")
        control.stop_if_asked(f"{done + 1} of {len(cells)} cells are saved")
    control.say(name, len(cells), len(cells), {})
    write_rows(run.file(f"{name}.json"), rows)
    return rows
