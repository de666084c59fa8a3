"""Sentences that follow from the numbers, whichever way the numbers went.

A method counts as learned unless its name (case, spaces and dashes aside) is in NOT_LEARNED.
"""

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from pseudocore.report.metric import ACCURACY, ECE, NLL, Metric, listed, short, with_error
from pseudocore.report.roles import bench, fold, full_data, learned, place, rivals
from pseudocore.report.summary import Spread, Summary

# Two standard errors: about the 95 % interval of a difference.
LEVEL = 2.0
VERDICTS = ("beats", "is level with", "is worse than", "cannot be told from")
# By judge and method: accuracy less mean confidence, above 0 where the judge is too modest.
Gaps: TypeAlias = Mapping[str, Mapping[str, float]]


def alike(summaries: Sequence[Summary], points: str = "images") -> list[str]:
    """Why two baselines have the same numbers, where both are there."""
    ones = {fold(s.method) for s in summaries if s.ipc == 1}
    if not {"herding", "kcenter"} <= ones:
        return []
    one = points[:-1]
    return [
        f"At one {one} per class herding and k-center choose the same {one}: the one closest to "
        "the mean of its class."
    ]


def findings(summaries: Sequence[Summary], gaps: Gaps | None = None) -> list[str]:
    """The conclusions, then every comparison they rest on."""
    return [*conclusions(summaries, gaps), *comparisons(summaries)]


def comparisons(summaries: Sequence[Summary]) -> list[str]:
    """Every learned method against random and class means, under every judge."""
    return [
        _against(method, baseline, place(method, summaries))
        for method in learned(summaries)
        for baseline in rivals(method, summaries)
    ]


def conclusions(summaries: Sequence[Summary], gaps: Gaps | None = None) -> list[str]:
    """Per bench: who beats which baseline, and how far the full data still is; calibration once."""
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
    return [*said, *_calibration(summaries, gaps or {})]


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
    """'beats', 'is level with' (within two standard errors), 'is worse than', or none possible."""
    gain = metric.better * (method.mean - baseline.mean)
    error = math.hypot(method.error, baseline.error)
    if math.isnan(gain) or math.isnan(error):
        return "cannot be told from"
    if abs(gain) <= LEVEL * error:
        return "is level with"
    return "beats" if gain > 0 else "is worse than"


def _benches(summaries: Sequence[Summary]) -> dict[tuple[str, str, int | None, str], list[Summary]]:
    found: dict[tuple[str, str, int | None, str], list[Summary]] = {}
    for s in learned(summaries):
        found.setdefault(bench(s), []).append(s)
    return found


def _standings(peers: Sequence[Summary], rival: Summary) -> list[str]:
    """Who beats a baseline, is level with it, or is worse: in each metric, or in both."""
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
        told = [_clause(groups, "is level with", "it"), _clause(groups, "is worse than", "it")]
        tail = "; ".join(filter(None, told))
        return f"no learned coreset beats {rival.method} in {' or '.join(headings)}: {tail}"
    order = [word for word in VERDICTS if word in groups]
    first = _clause(groups, order[0], f"{rival.method} in {' and '.join(headings)}")
    return "; ".join([first, *(_clause(groups, word, "it") for word in order[1:])])


def _clause(groups: dict[str, list[str]], word: str, whom: str) -> str:
    """'rKL and W are worse than it', or nothing if nobody is."""
    if word not in groups:
        return ""
    return f"{listed(groups[word])} {_number(word, groups[word])} {whom}"


def _number(word: str, names: Sequence[str]) -> str:
    """The verb in the number of its subject."""
    if len(names) == 1 or word == "cannot be told from":
        return word
    return "beat" if word == "beats" else word.replace("is ", "are ", 1)


def _calibration(summaries: Sequence[Summary], gaps: Gaps) -> list[str]:
    """Who is worse than class means in ECE, and why, where the gaps say so."""
    worse = [
        s
        for s in learned(summaries)
        for rival in rivals(s, summaries)
        if fold(rival.method) == fold("class means")
        and verdict(s.ece, rival.ece, ECE) == "is worse than"
    ]
    if not worse:
        return []
    under: dict[str, list[str]] = {}
    for s in worse:
        under.setdefault(s.method, []).append(s.judge)
    judges = {tuple(dict.fromkeys(names)) for names in under.values()}
    methods, where = list(under), f" under {listed(list(*judges))}" if len(judges) == 1 else ""
    if not where:
        methods = [f"{method} ({', '.join(dict.fromkeys(under[method]))})" for method in under]
    verb = _number("is worse than", methods)
    # The gap is at most the ECE; most of it, and confidence errs to one side.
    modest = all(gaps.get(s.judge, {}).get(s.method, 0) > s.ece.mean / 2 for s in worse)
    why = ", being under-confident: right more often than claimed, as the reliability diagrams show"
    return [f"{listed(methods)} {verb} class means in ECE{where}{why if modest else ''}."]


def _against(method: Summary, baseline: Summary, where: str) -> str:
    first = verdict(method.acc, baseline.acc, ACCURACY)
    second = verdict(method.nll, baseline.nll, NLL)
    joint = "or" if first == "cannot be told from" else "and"
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
