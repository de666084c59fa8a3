import pytest

from pseudocore.report.findings import (
    alike,
    comparisons,
    conclusions,
    findings,
    headlines,
    verdict,
)
from pseudocore.report.metric import ACCURACY, NLL
from pseudocore.report.roles import learned
from pseudocore.report.summary import Spread, summarise

BASE = Spread(0.80, 0.03, 0.03, 5)


@pytest.mark.parametrize(
    ("mean", "higher", "lower"),
    # The combined error of .03 and .04 is .05, and two of it .1.
    [
        (0.91, "beats", "is worse than"),
        (0.89, "is level with", "is level with"),
        (0.71, "is level with", "is level with"),
        (0.69, "is worse than", "beats"),
    ],
)
def test_the_three_verdicts(mean, higher, lower) -> None:
    method = Spread(mean, 0.04, 0.04, 5)
    assert verdict(method, BASE, ACCURACY) == higher
    assert verdict(method, BASE, NLL) == lower


def test_one_seed_gives_no_verdict() -> None:
    alone = Spread(0.99, float("nan"), float("nan"), 1)
    assert verdict(alone, BASE, ACCURACY) == "cannot be told from"


def test_it_says_beats_level_and_not(rows) -> None:
    held = [*rows("random", [0.5, 0.52]), *rows("class means", [0.8, 0.82])]
    held += [*rows("good", [0.9, 0.92]), *rows("even", [0.79, 0.84]), *rows("bad", [0.6, 0.62])]
    said = comparisons(summarise(held))
    assert len(said) == 6
    assert said[0].startswith(
        "Under HMC, good beats random in accuracy (.910 against .510: +.400 ±"
    )
    assert (
        "good beats class means in accuracy (.910 against .810: +.100 ± .014) and in NLL" in said[1]
    )
    assert "even is level with class means in accuracy" in said[3]
    assert (
        "bad is worse than class means in accuracy (.610 against .810: −.200 ± .014) and" in said[5]
    )


def test_accuracy_and_nll_may_disagree(rows) -> None:
    held = [*rows("class means", [0.8, 0.82]), *rows("fKL", [0.9, 0.92])]
    for row in held[2:]:
        row["nll"] += 1
    (said,) = comparisons(summarise(held))
    assert "fKL beats class means in accuracy" in said
    assert "and is worse than it in NLL" in said


def test_it_owns_up_where_learning_gained_nothing(rows) -> None:
    held = [*rows("class means", [0.8, 0.82]), *rows("W", [0.80, 0.83]), *rows("rKL", [0.6, 0.61])]
    assert conclusions(summarise(held)) == [
        "Under HMC, no learned coreset beats class means in accuracy or NLL: W is level with it; "
        "rKL is worse than it.",
        "rKL is worse than class means in ECE under HMC.",
    ]


def test_it_owns_up_in_nll_too(rows) -> None:
    held = [*rows("class means", [0.8, 0.82]), *rows("W", [0.9, 0.93]), *rows("rKL", [0.9, 0.92])]
    for row in held[4:]:
        row["nll"] += 1
    assert conclusions(summarise(held))[:2] == [
        "Under HMC, W and rKL beat class means in accuracy.",
        "Under HMC, W beats class means in NLL; rKL is worse than it.",
    ]


def test_conclusions_name_each_standing(rows, summaries) -> None:
    held = [*rows("class means", [0.8, 0.82]), *rows("W", [0.80, 0.83])]
    held += [*rows("fKL", [0.9, 0.92]), *rows("rKL", [0.6, 0.61])]
    first, *_ = conclusions(summarise(held))
    assert first == (
        "Under HMC, fKL beats class means in accuracy and NLL; W is level with it; "
        "rKL is worse than it."
    )
    last = conclusions(summaries)[-1]
    assert "best learned coreset in accuracy is fKL with .910 ± .010" in last
    assert "full data under SGHMC: .955 ± .005" in last


def test_only_like_is_compared_with_like(rows) -> None:
    held = rows("fKL", [0.9, 0.92])
    for change in ({"judge": "x"}, {"ipc": 10}, {"weights": "1"}, {"protocol": "paper"}):
        held += rows("random", [0.1, 0.2], **change)
    assert comparisons(summarise(held)) == []


def test_the_place_names_what_differs(rows) -> None:
    held = []
    for ipc in (1, 10):
        held += rows("random", [0.5, 0.6], ipc=ipc) + rows("fKL", [0.9, 0.92], ipc=ipc)
    assert [s.split(", fKL")[0] for s in comparisons(summarise(held))] == [
        "Under HMC, 1 per class",
        "Under HMC, 10 per class",
    ]


def test_names_are_known_however_they_are_spelt(rows) -> None:
    held = [r for m in ("K_Center", "kcenter", "Class-means", "Full Data") for r in rows(m, [0.1])]
    assert learned(summarise(held)) == []


def test_findings_are_conclusions_then_comparisons(summaries) -> None:
    assert findings(summaries) == conclusions(summaries) + comparisons(summaries)
    assert findings([]) == []


def test_headlines(summaries, rows) -> None:
    assert headlines(summaries) == [
        ("random", ".550 ± .050", "HMC"),
        ("class means", ".810 ± .010", "HMC"),
        ("fKL, the best learned", ".910 ± .010", "HMC"),
        ("full data", ".955 ± .005", "SGHMC"),
    ]
    assert headlines(summarise(rows("random", [0.5]))) == []


def badly_calibrated(rows):
    held = rows("class means", [0.8, 0.82])
    for judge in ("HMC", "SGHMC"):
        held += rows("class means", [0.8, 0.82], judge=judge) if judge != "HMC" else []
        for method in ("W", "fKL"):
            held += rows(method, [0.8, 0.82], judge=judge, ece=0.3)
    return held


def test_worse_calibration_is_said_once_and_its_reason_where_the_numbers_show_it(rows) -> None:
    summaries = summarise(badly_calibrated(rows))
    said = [sentence for sentence in conclusions(summaries) if "ECE" in sentence]
    assert said == ["W and fKL are worse than class means in ECE under HMC and SGHMC."]
    modest = {judge: {"W": 0.29, "fKL": 0.25} for judge in ("HMC", "SGHMC")}
    (said,) = [s for s in conclusions(summaries, modest) if "ECE" in s]
    assert "under-confident: right more often than claimed, as the reliability diagrams" in said
    for gap in (0.1, -0.29):  # errs to both sides, and too sure
        other = modest | {"SGHMC": {"W": 0.29, "fKL": gap}}
        assert "under-confident" not in " ".join(conclusions(summaries, other))


def test_worse_calibration_under_one_judge_only_names_it(rows) -> None:
    held = badly_calibrated(rows)
    for row in held:
        if (row["method"], row["judge"]) == ("W", "SGHMC"):
            row["ece"] = 0.0
    (said,) = [sentence for sentence in conclusions(summarise(held)) if "ECE" in sentence]
    assert said == "W (HMC) and fKL (HMC, SGHMC) are worse than class means in ECE."


def test_level_or_better_calibration_is_no_finding(rows) -> None:
    held = [*rows("class means", [0.8, 0.82]), *rows("W", [0.8, 0.82], ece=0.0)]
    assert "ECE" not in " ".join(conclusions(summarise(held)))


def test_two_names_for_one_choice_are_said_at_one_image_a_class(rows) -> None:
    both = [*rows("herding", [0.5]), *rows("K-center", [0.5])]
    (said,) = alike(summarise(both))
    assert said.startswith("At one image per class herding and k-center choose the same image")
    assert "image" not in alike(summarise(both), "points")[0]
    assert alike(summarise(both[:1])) == []
    assert alike(summarise([*both[:1], *rows("k-center", [0.5], ipc=2)])) == []
