import math

import numpy as np
import pytest

from pseudocore.errors import UserError
from pseudocore.report.summary import by_protocol, one_protocol, spread, summarise


def test_spread_is_that_of_numpy() -> None:
    values = [0.7, 0.9, 0.8, 0.75]
    s = spread(values)
    assert s.count == 4
    assert s.mean == pytest.approx(np.mean(values))
    assert s.deviation == pytest.approx(np.std(values, ddof=1))
    assert s.error == pytest.approx(np.std(values, ddof=1) / 2)


def test_one_value_has_no_spread() -> None:
    s = spread([0.5])
    assert (s.mean, s.count) == (0.5, 1)
    assert math.isnan(s.deviation)
    assert math.isnan(s.error)


def test_every_metric_of_a_group(rows) -> None:
    (s,) = summarise(rows("fKL", [0.8, 0.9]))
    assert s.acc.mean == pytest.approx(0.85)
    assert s.nll.mean == pytest.approx(1.15)
    assert s.ece.mean == pytest.approx(0.0915)
    assert s.brier.mean == pytest.approx(0.15)
    assert s.acceptance is not None
    assert s.acceptance.mean == pytest.approx(0.8)
    assert (s.rhat, s.count, s.nll_published) == (1.01, 2, None)


def test_groups_keep_the_order_in_which_they_appear(rows) -> None:
    mixed = [*rows("b", [0.1]), *rows("a", [0.2]), *rows("b", [0.3], seed=7)]
    assert [(s.method, s.count) for s in summarise(mixed)] == [("b", 2), ("a", 1)]


@pytest.mark.parametrize(
    "change", [{"judge": "x"}, {"protocol": "paper"}, {"weights": "1"}, {"ipc": 2}]
)
def test_what_differs_is_never_averaged(rows, change) -> None:
    assert [s.count for s in summarise(rows("a", [0.1, 0.2]) + rows("a", [0.3], **change))] == [
        2,
        1,
    ]


def test_the_worst_rhat_of_a_group_counts(rows) -> None:
    held = rows("a", [0.1, 0.2])
    held[1]["rhat"] = 1.3
    assert summarise(held)[0].rhat == 1.3


def test_a_seed_cannot_count_twice(rows) -> None:
    with pytest.raises(UserError, match="repeat"):
        summarise(rows("a", [0.1, 0.2]) + rows("a", [0.1]))


def test_a_row_without_a_metric_is_refused(rows) -> None:
    held = rows("a", [0.1])
    del held[0]["nll"]
    with pytest.raises(UserError, match="lacks nll"):
        summarise(held)


def test_a_metric_of_some_seeds_only_is_refused(rows) -> None:
    held = rows("a", [0.1, 0.2])
    held[0]["acceptance"] = None
    with pytest.raises(UserError, match="acceptance is given for 1 of 2"):
        summarise(held)


def test_protocols_are_told_apart(rows) -> None:
    both = summarise(rows("a", [0.1]) + rows("a", [0.1], protocol="paper"))
    assert {name: len(held) for name, held in by_protocol(both).items()} == {
        "textbook": 1,
        "paper": 1,
    }
    with pytest.raises(ValueError, match="one protocol"):
        one_protocol(both)
