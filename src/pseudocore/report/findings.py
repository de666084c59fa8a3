"""Sentences that follow from the numbers, whichever way the numbers went.

A method counts as learned unless its name (case, spaces and dashes aside) is in NOT_LEARNED.
"""

import math
from collections.abc import Sequence

from pseudocore.report.metric import ACCURACY, NLL, Metric, short, with_error
from pseudocore.report.roles import bench, full_data, learned, place, rivals
from pseudocore.report.summary import Spread, Summary

# Two standard errors: about the 95 % interval of a difference.
LEVEL = 2.0


def findings(summaries: Sequence[Summary]) -> list[str]:
    """The conclusions, then every comparison they rest on."""
    return [*conclusions(summaries), *comparisons(summaries)]


def comparisons(summaries: Sequence[Summary]) -> list[str]:
    """Every learned method against random and class means, under every judge."""
    return [
        _against(method, baseline, place(method, summaries))
        for method in learned(summaries)
        for baseline in rivals(method, summaries)
    ]


def conclusions(summaries: Sequence[Summary]) -> list[str]:
    """Per bench: who beats which baseline, and how far the full data still is."""
    said = []
    for _, peers in _benches(summaries).items():
        where = place(peers[0], summaries)
        said += [
            f"{where}, {standing}."
            for rival in rivals(peers[0], summaries)
            for standing in _standings(peers, rival)
        ]
        best = max(peers, key=lambda s: s.acc.mean)
        said += [
            f"{where}, the best learned coreset in accuracy is {best.method} with "
            f"{with_error(best.acc)}; {full.method} under {full.judge}: {with_error(full.acc)}."
            for full in full_data(best, summaries)[:1]
        ]
    return said


def headlines(summaries: Sequence[Summary]) -> list[tuple[str, str, str]]:
    """(what, accuracy, judge) of the baselines, the best learned coreset and the full data."""
    benches = list(_benches(summaries).values())
    if not benches:
        return []
    best = max(benches[0], key=lambda s: s.acc.mean)
    shown = [(s, s.method) for s in rivals(best, summaries)]
    shown.append((best, f"{best.method}, the best learned"))
    shown += [(s, s.method) for s in full_data(best, summaries)[:1]]
    return [(name, with_error(s.acc), s.judge) for s, name in shown]


def verdict(method: Spread, baseline: Spread, metric: Metric) -> str:
    """'beats', 'is level with' (within two standard errors), 'does not beat', or none possible."""
    gain = metric.better * (method.mean - baseline.mean)
    error = math.hypot(method.error, baseline.error)
    if math.isnan(gain) or math.isnan(error):
        return "cannot be told from"
    if abs(gain) <= LEVEL * error:
        return "is level with"
    return "beats" if gain > 0 else "does not beat"


def _benches(summaries: Sequence[Summary]) -> dict[tuple[str, str, int | None, str], list[Summary]]:
    found: dict[tuple[str, str, int | None, str], list[Summary]] = {}
    for s in learned(summaries):
        found.setdefault(bench(s), []).append(s)
    return found


def _standings(peers: Sequence[Summary], rival: Summary) -> list[str]:
    """Who beats a baseline, is level with it, or does not beat it: in each metric, or in both."""
    accuracy, nll = (_groups(peers, rival, metric) for metric in (ACCURACY, NLL))
    if accuracy == nll:
        return [_standing(accuracy, rival, (ACCURACY, NLL))]
    return [_standing(accuracy, rival, (ACCURACY,)), _standing(nll, rival, (NLL,))]


def _groups(peers: Sequence[Summary], rival: Summary, metric: Metric) -> dict[str, list[str]]:
    """The methods by their verdict."""
    reference = metric.of(rival)
    groups: dict[str, list[str]] = {}
    for s in peers:
        mine = metric.of(s)
        if mine is not None and reference is not None:
            groups.setdefault(verdict(mine, reference, metric), []).append(s.method)
    return groups


def _standing(groups: dict[str, list[str]], rival: Summary, metrics: Sequence[Metric]) -> str:
    headings = [metric.heading for metric in metrics]
    if "beats" not in groups and "cannot be told from" not in groups:
        level = groups.get("is level with", [])
        tail = f" ({_listed(level)} {_number('is', level)} level with it)" if level else ""
        return f"no learned coreset beats {rival.method} in {' or '.join(headings)}{tail}"
    order = ("beats", "is level with", "does not beat", "cannot be told from")
    told = [
        f"{_listed(groups[word])} {_number(word, groups[word])}" for word in order if word in groups
    ]
    clauses = [f"{told[0]} {rival.method} in {' and '.join(headings)}"]
    return "; ".join([*clauses, *(f"{clause} it" for clause in told[1:])])


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _number(word: str, names: Sequence[str]) -> str:
    """The verb in the number of its subject."""
    if len(names) == 1:
        return word
    plural = {"beats": "beat", "is": "are", "is level with": "are level with"}
    return plural.get(word, word.replace("does not", "do not"))


def _against(method: Summary, baseline: Summary, where: str) -> str:
    first = verdict(method.acc, baseline.acc, ACCURACY)
    second = verdict(method.nll, baseline.nll, NLL)
    joint = {"does not beat": "or", "cannot be told from": "or"}.get(first, "and")
    link = joint if second == first else f"and {second} it"
    return (
        f"{where}, {method.method} {first} {baseline.method} in accuracy "
        f"({_difference(method.acc, baseline.acc)}) {link} in NLL "
        f"({_difference(method.nll, baseline.nll)})."
    )


def _difference(a: Spread, b: Spread) -> str:
    gap, error = a.mean - b.mean, math.hypot(a.error, b.error)
    sign = "+" if gap >= 0 else "−"
    told = f"{short(a.mean)} against {short(b.mean)}: {sign}{short(abs(gap))}"
    if math.isnan(error):
        return f"{told}, and one seed has no standard error"
    return f"{told} ± {short(error)}"
