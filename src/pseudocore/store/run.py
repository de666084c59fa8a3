"""A run is a folder: its recipe, where it ran, a line of metrics a step, and its results.

recipe.json        what was asked for; a folder is a run's folder exactly when it holds this
environment.json   machine, versions and commit, at the start and at every resumption
metrics.jsonl      one row of numbers a line, in the order of the steps
results.json       the rows of all judgements, each naming its protocol
"""

import contextlib
import dataclasses
import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pseudocore.errors import UserError
from pseudocore.store.environment import environment
from pseudocore.store.files import (
    PARTIAL,
    append,
    explained,
    finite,
    parse_json,
    read_bytes,
    read_json,
    sweep,
    write_atomically,
    write_json,
)

Row = dict[str, Any]
RECIPE, ENVIRONMENT = "recipe.json", "environment.json"
METRICS, RESULTS = "metrics.jsonl", "results.json"
SHOWN = 3  # differing fields in a message


@dataclasses.dataclass(frozen=True)
class Run:
    """A folder that holds one run. `create`, `resume` or `read` it."""

    path: Path
    recipe: Row

    @classmethod
    def create(
        cls, path: str | Path, recipe: Row, device: Mapping[str, Any] | None = None
    ) -> "Run":
        """A new run in a folder that is absent or empty. `device`: what to record of it."""
        run = cls(Path(path), _normal(recipe))
        if _occupied(run.path):
            _refuse_other(run.path, cls.read(run.path).recipe, run.recipe)
            raise UserError(
                f"{run.path} already holds this run: continue it with --resume (in Python "
                "resume=True), or choose another --out."
            )
        sweep(run.path)
        write_json(run.file(RECIPE), run.recipe)
        run._record(environment(device or {}))
        return run

    @classmethod
    def resume(
        cls, path: str | Path, recipe: Row, device: Mapping[str, Any] | None = None
    ) -> "Run":
        """The run of this recipe in the folder, repaired after a kill; a new one if it is empty."""
        path = Path(path)
        if not _occupied(path):
            return cls.create(path, recipe, device)
        run = cls.read(path)
        _refuse_other(path, run.recipe, _normal(recipe))
        sweep(path)
        run._repair()
        run._record(environment(device or {}))
        return run

    @classmethod
    def read(cls, path: str | Path) -> "Run":
        """A run that is there already; reading changes nothing in its folder."""
        path = Path(path)
        with explained(path):
            there = path.is_dir()
        if not there:
            raise UserError(f"There is no folder {path}. Name the folder of a run.")
        remedy = (
            f"Without it {path} is no run's folder, and is left as it is: name the folder of a "
            "run, or choose another --out."
        )
        recipe = read_json(path / RECIPE, remedy)
        if not isinstance(recipe, dict):
            raise UserError(f"{path / RECIPE} holds no recipe. {remedy}")
        return cls(path, recipe)

    def file(self, name: str) -> Path:
        return self.path / name

    def write_text(self, name: str, text: str) -> None:
        write_atomically(self.file(name), text.encode())

    @property
    def environment(self) -> Row:
        """Where the run was started, and under "resumed" where it went on."""
        return read_json(
            self.file(ENVIRONMENT), "Delete it if it is there: --resume writes a new one."
        )

    def log(self, row: Mapping[str, Any]) -> None:
        """Append a row of metrics. Log a step before saving its state, then no row can be lost."""
        append(self.file(METRICS), json.dumps(finite(row), allow_nan=False).encode() + b"\n")

    def metrics(self) -> list[Row]:
        """All rows logged so far; a last line that is still being written is not yet a row."""
        return [self._row(i, line) for i, line in enumerate(self._lines())]

    def keep_metrics(self, keep: Callable[[Row], bool]) -> None:
        """Drop the other rows: before going on from step k, those that step k had not seen."""
        lines = list(self._lines())
        kept = [line for i, line in enumerate(lines) if keep(self._row(i, line))]
        if len(kept) < len(lines):
            write_atomically(self.file(METRICS), b"".join(line + b"\n" for line in kept))

    def write_results(self, rows: list[Row]) -> None:
        write_json(self.file(RESULTS), finite(rows))

    def results(self) -> list[Row]:
        return read_json(self.file(RESULTS), "Finish the run first: continue it with --resume.")

    def _lines(self) -> list[bytes]:
        if not self.file(METRICS).exists():
            return []
        return read_bytes(self.file(METRICS), "Give back the right to read it.").split(b"\n")[:-1]

    def _row(self, index: int, line: bytes) -> Row:
        try:
            row = parse_json(line)
            if not isinstance(row, dict):
                raise ValueError("it is no row")
            return row
        except (ValueError, RecursionError) as error:
            raise UserError(
                f"{self.file(METRICS)} is damaged in line {index + 1} ({error}). Delete that line."
            ) from error

    def _repair(self) -> None:
        """Cut off a last line that a kill left half-written."""
        if self.file(METRICS).exists():
            whole = sum(len(line) + 1 for line in self._lines())
            with explained(self.file(METRICS)):
                os.truncate(self.file(METRICS), whole)

    def _record(self, now: Row) -> None:
        if self.file(ENVIRONMENT).exists():
            first = self.environment
            now = {**first, "resumed": [*first.get("resumed", []), now]}
        write_json(self.file(ENVIRONMENT), now)


def _normal(recipe: Row) -> Row:
    """The recipe as it reads back from its file. A number that JSON cannot say is refused."""
    try:
        return json.loads(json.dumps(recipe, allow_nan=False))
    except ValueError as error:
        raise UserError(f"The recipe cannot be stored: {error}. Give finite numbers.") from error


def _occupied(path: Path) -> bool:
    """Whether a folder holds anything. What a kill left of a first write does not count."""
    with explained(path / RECIPE), contextlib.suppress(FileNotFoundError):
        return any(not name.endswith(PARTIAL) for name in os.listdir(path))
    return False


def _refuse_other(path: Path, old: Row, new: Row) -> None:
    if old != new:
        changes = differences(old, new)
        more = f" and {len(changes) - SHOWN} more" if len(changes) > SHOWN else ""
        raise UserError(
            f"{path} holds the run of another recipe ({', '.join(changes[:SHOWN])}{more}): choose "
            "another --out."
        )


def differences(old: Any, new: Any) -> list[str]:
    """What differs between two JSON values, field by field: `divergence.draws: 30 -> 40`."""
    before, after = dict(_leaves(old, "")), dict(_leaves(new, ""))
    return [
        f"{where.lstrip('.')}: {_said(before, where)} -> {_said(after, where)}"
        for where in {**before, **after}
        if (where in before, before.get(where)) != (where in after, after.get(where))
    ]


def _said(leaves: Mapping[str, Any], where: str) -> str:
    return repr(leaves[where]) if where in leaves else "absent"


def _leaves(value: Any, where: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for name, item in value.items():
            yield from _leaves(item, f"{where}.{name}")
    elif isinstance(value, list) and value:
        for i, item in enumerate(value):
            yield from _leaves(item, f"{where}[{i}]")
    else:
        yield where, value
