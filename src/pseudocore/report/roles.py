"""Which line plays which part in a comparison: learned, baseline, or the full data."""

import re
from collections.abc import Sequence

from pseudocore.report.cells import varying
from pseudocore.report.metric import images_per_class
from pseudocore.report.summary import Summary

BASELINES = ("random", "class means")
FULL = "full data"
NOT_LEARNED = (*BASELINES, "herding", "k-center", FULL)


def fold(name: str) -> str:
    """A name without case, spaces and punctuation: 'K-center' and 'kcenter' are one."""
    return re.sub(r"[\W_]+", "", name).lower()


def learned(summaries: Sequence[Summary]) -> list[Summary]:
    others = {fold(name) for name in NOT_LEARNED}
    return [s for s in summaries if fold(s.method) not in others]


def bench(s: Summary) -> tuple[str, str, int | None, str]:
    """What two lines must share to be compared."""
    return s.protocol, s.judge, s.ipc, s.weights


def rivals(method: Summary, summaries: Sequence[Summary]) -> list[Summary]:
    """The baselines on the bench of the method."""
    names = [fold(name) for name in BASELINES]
    found = [s for s in summaries if fold(s.method) in names and bench(s) == bench(method)]
    return sorted(found, key=lambda s: names.index(fold(s.method)))


def full_data(method: Summary, summaries: Sequence[Summary]) -> list[Summary]:
    """The full data under the method's protocol, by the same judge first where there is one."""
    found = [s for s in summaries if fold(s.method) == fold(FULL) and s.protocol == method.protocol]
    # It is often affordable only for another judge than the coresets'.
    return sorted(found, key=lambda s: s.judge != method.judge)


def place(s: Summary, summaries: Sequence[Summary]) -> str:
    """'Under HMC', with whatever else tells this bench from the others."""
    words = [f"Under {s.judge}"]
    if len({t.protocol for t in summaries}) > 1:
        words.append(f"protocol {s.protocol}")
    shown = varying(
        [t for t in summaries if t.protocol == s.protocol and fold(t.method) != fold(FULL)]
    )
    if "ipc" in shown:
        words.append(f"{images_per_class(s.ipc)} per class")
    if "weights" in shown:
        words.append(f"weights {s.weights}")
    return ", ".join(words)
