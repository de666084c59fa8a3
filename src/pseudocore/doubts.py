"""Why chains are not to be believed, in sentences: of one judgement or of many."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from pseudocore.limits import ACCEPTANCE_FLOOR, RHAT_LIMIT

# The rows of one judgement, and under "diverged" the seeds of the chains that did.
Record: TypeAlias = Mapping[str, Any]


def doubts(records: Sequence[Record]) -> list[str]:
    """What is wrong, and what to do: once for all coresets of a method under a judge.

    That chains of the published protocol do not meet is said once for all of them.
    """
    groups: dict[tuple[str, ...], list[Record]] = {}
    for record in records:
        first = record["rows"][0]
        key = tuple(first[name] for name in ("method", "protocol", "judge", "weights"))
        groups.setdefault(key, []).append(record)
    found = [sentence for group in groups.values() for sentence in _of_group(group)]
    published = [record for record in records if record["rows"][0]["protocol"] == "paper"]
    apart = [record for record in published if _rhat(record) > RHAT_LIMIT]
    if apart:
        many = f" in {len(apart)} of {len(published)} judgements" if len(published) > 1 else ""
        found.append(
            f"The chains of the published protocol have not met: {_worst(apart)}{many}. That is "
            "the protocol's own, see README."
        )
    return found


def _of_group(group: Sequence[Record]) -> list[str]:
    first = group[0]["rows"][0]
    where = f"{first['method']} under {first['protocol']} {first['judge']}"
    noun = "subsets" if first["method"] == "random" else "coresets"

    def share(of: Sequence[Record]) -> str:
        return f" in {len(of)} of {len(group)} {noun}" if len(group) > 1 else ""

    found = []
    sick = [record for record in group if record["diverged"]]
    if sick:
        seeds = sorted({seed for record in sick for seed in record["diverged"]})
        found.append(
            f"{where}: the chain of seed {seeds} diverged{share(sick)}; use a smaller step."
        )
    stuck = [record for record in group if _acceptance(record) < ACCEPTANCE_FLOOR]
    if stuck:
        lowest = min(map(_acceptance, stuck))
        found.append(
            f"{where}: a chain is stuck (accepts {lowest:.0%} of its proposals){share(stuck)}; use "
            "a smaller step."
        )
    apart = [record for record in group if _rhat(record) > RHAT_LIMIT]
    if apart and first["protocol"] != "paper":
        found.append(
            f"{where}: {_worst(apart)}{share(apart)}, so the chains have not met; run them longer."
        )
    return found


def _worst(records: Sequence[Record]) -> str:
    return f"R-hat is {'up to ' * (len(records) > 1)}{max(map(_rhat, records)):.2f}"


def _rhat(record: Record) -> float:
    """0 of a single chain, which has no other to meet."""
    found = (row["rhat"] for row in record["rows"])
    return max((rhat for rhat in found if rhat is not None and not math.isnan(rhat)), default=0.0)


def _acceptance(record: Record) -> float:
    """The lowest; 1 of a kernel that accepts everything."""
    rates = (row["acceptance"] for row in record["rows"])
    return min((rate for rate in rates if rate is not None), default=1.0)
