"""pseudocore reproduce: rows, figures and table; stopped and continued; wrong input."""

import json
import signal

import pytest
from PIL import Image

from pseudocore.gaussian.study import MEASURED

TINY = [
    *("--sizes", "3", "6", "--dimensions", "2", "--points", "6", "--steps", "20", "--looks", "2"),
    *("--draws", "3", "--seeds", "2"),
]


def synthetic(call, out, *more):
    return call("reproduce", "synthetic", "--out", out, *TINY, *more)


@pytest.fixture(scope="module")
def study(call, tmp_path_factory):
    """A tiny study. Look, do not touch."""
    out = tmp_path_factory.mktemp("reproduce") / "synthetic"
    told = synthetic(call, out)
    assert told.code == 0, told.err
    return out, told


def test_rows_say_all_that_was_asked(study):
    out, _ = study
    rows = json.loads((out / "synthetic.json").read_text())
    names = {"trained", "measured", "size", "weights", "step", "seed", "value", "floor"}
    assert all(set(row) == names for row in rows)
    # Three looks at the smallest size, start and end of the other.
    assert len(rows) == 3 * len(MEASURED) * 2 * 2 * (3 + 2)
    assert {row["weights"] for row in rows} == {"unit", "N/M"}
    assert {row["step"] for row in rows if row["size"] == 3} == {0, 10, 20}
    assert all(row["value"] >= row["floor"] - 1e-9 for row in rows)
    assert len({tuple(row.values()) for row in rows}) == len(rows)


def test_figures_and_table_are_there(study):
    out, told = study
    for name in ("synthetic-steps.png", "synthetic-sizes.png"):
        with Image.open(out / name) as picture:
            assert picture.width > 1000
    assert "excess ratio" in (out / "table.md").read_text()
    assert "excess ratio" in told.out
    assert str(out) in told.err


def test_it_can_be_stopped_and_goes_on(study, call, stop_after, tmp_path, monkeypatch):
    out, _ = study
    stopped = tmp_path / "stopped"
    with monkeypatch.context():
        stop_after(3, signal.SIGTERM)
        assert synthetic(call, stopped).code == 75
    assert not (stopped / "synthetic.json").exists()
    assert len(list((stopped / "cells").iterdir())) == 3
    monkeypatch.undo()
    assert synthetic(call, stopped, "--resume").code == 0
    assert (stopped / "synthetic.json").read_bytes() == (out / "synthetic.json").read_bytes()


def test_json_is_the_rows(study, call):
    out, _ = study
    told = synthetic(call, out, "--resume", "--json")
    assert json.loads(told.out) == json.loads((out / "synthetic.json").read_text())


def test_wrong_input_is_refused(call, refused, tmp_path):
    out = tmp_path / "none"
    refused(call("reproduce", "syntetic"), "'synthetic'")
    refused(call("reproduce"), "synthetic")
    refused(synthetic(call, out, "--looks", "3"), "steps=20", "looks=3")
    refused(synthetic(call, out, "--seeds", "0"), "--seeds 0")
    assert not out.exists()


def test_what_turns_non_finite_is_refused_and_not_kept(call, refused, tmp_path):
    told = synthetic(call, tmp_path / "wild", "--rate", "1e200")
    refused(told, "non-finite", "--rate", "1e+200")
    assert not (tmp_path / "wild" / "cells").exists()


def test_a_folder_of_other_settings_is_refused(study, call, refused):
    out, _ = study
    refused(synthetic(call, out, "--resume", "--draws", "4"), "draws", str(out))
