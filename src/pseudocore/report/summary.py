"""From one row a seed to one line a group: mean, deviation, standard error and n of every metric.

A group is (method, ipc, judge, protocol, weights). The protocol is part of it, so that numbers
judged by different rules can never be averaged. Where a method was constructed several times, the
spread is that between its coresets; else it is that between the chains on its one coreset.
"""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from pseudocore.errors import UserError

Row: TypeAlias = Mapping[str, Any]
GROUP = ("method", "ipc", "judge", "protocol", "weights")
ALWAYS = ("acc", "nll", "ece", "brier")
CHAINS, CORESETS = "chains", "coresets"


@dataclass(frozen=True)
class Spread:
    """Mean, sample deviation (n - 1), standard error deviation/√n, n. One value spreads by nan."""

    mean: float
    deviation: float
    error: float
    count: int


@dataclass(frozen=True)
class Summary:
    """One line of a table. A metric the judge does not have is None, as is the full data's ipc."""

    method: str
    ipc: int | None
    judge: str
    protocol: str
    weights: str
    acc: Spread
    nll: Spread
    ece: Spread
    brier: Spread
    acceptance: Spread | None = None
    rhat: float | None = None
    nll_published: Spread | None = None
    ece_published: Spread | None = None
    over: str = CHAINS  # what the spread is between: chains on the one coreset, or coresets

    @property
    def count(self) -> int:
        return self.acc.count


def spread(values: Iterable[float]) -> Spread:
    """Mean, sample deviation, standard error, n."""
    held = np.asarray(list(values), dtype=np.float64)
    deviation = float(held.std(ddof=1)) if held.size > 1 else float("nan")
    return Spread(float(held.mean()), deviation, deviation / float(np.sqrt(held.size)), held.size)


def summarise(rows: Sequence[Row]) -> list[Summary]:
    """One `Summary` a group, in the order in which the groups first appear."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        missing = [key for key in (*GROUP, "seed", *ALWAYS) if key not in row]
        if missing:
            raise UserError(f"A row lacks {', '.join(missing)}: {dict(row)}. Judge it again.")
        groups.setdefault(tuple(row[key] for key in GROUP), []).append(row)
    return [_summary(members) for members in groups.values()]


def one_protocol(summaries: Sequence[Summary]) -> str:
    """The protocol all of them share; there is no table without exactly one."""
    protocols = list(dict.fromkeys(s.protocol for s in summaries))
    if len(protocols) != 1:
        raise ValueError(
            f"A table holds one protocol, not {protocols}: split them with by_protocol."
        )
    return protocols[0]


def by_protocol(summaries: Sequence[Summary]) -> dict[str, list[Summary]]:
    """The summaries of each protocol, in first-seen order."""
    found: dict[str, list[Summary]] = {}
    for s in summaries:
        found.setdefault(s.protocol, []).append(s)
    return found


def _summary(rows: Sequence[Row]) -> Summary:
    first = rows[0]
    name = ", ".join(f"{key} {first[key]}" for key in GROUP)
    constructions = _constructions(rows, name)
    rhats = _all_or_none(rows, "rhat", name)

    def always(key: str) -> Spread:
        if len(constructions) == 1:
            return spread(float(row[key]) for row in rows)
        # Chains on one coreset are no evidence of how another coreset would do.
        return spread(statistics.fmean(row[key] for row in members) for members in constructions)

    def sometimes(key: str) -> Spread | None:
        return None if _all_or_none(rows, key, name) is None else always(key)

    return Summary(
        method=str(first["method"]),
        ipc=None if first["ipc"] is None else int(first["ipc"]),
        judge=str(first["judge"]),
        protocol=str(first["protocol"]),
        weights=str(first["weights"]),
        acc=always("acc"),
        nll=always("nll"),
        ece=always("ece"),
        brier=always("brier"),
        acceptance=sometimes("acceptance"),
        # R-hat belongs to the group; where rows disagree the worst one is the honest one.
        rhat=None if rhats is None else float(np.max(rhats)),
        nll_published=sometimes("nll_published"),
        ece_published=sometimes("ece_published"),
        over=CHAINS if len(constructions) == 1 else CORESETS,
    )


def _constructions(rows: Sequence[Row], name: str) -> list[list[Row]]:
    """The rows of each construction (coreset); a row that names none is of the only one."""
    found: dict[Any, list[Row]] = {}
    for row in rows:
        found.setdefault(row.get("construction", 0), []).append(row)
    for members in found.values():
        seeds = [row["seed"] for row in members]
        if len(set(seeds)) != len(seeds):
            # A seed counted twice would shrink the standard error without any new evidence.
            raise UserError(f"Seeds {sorted(seeds)} repeat in the group ({name}). Keep one a seed.")
    return list(found.values())


def _all_or_none(rows: Sequence[Row], key: str, name: str) -> list[float] | None:
    values = [row.get(key) for row in rows]
    there = [float(value) for value in values if value is not None]
    if there and len(there) != len(values):
        raise UserError(
            f"{key} is given for {len(there)} of {len(values)} seeds of ({name}). Give all or none."
        )
    return there or None
