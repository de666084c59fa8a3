"""Proposition 1 into a folder: what the rows say, and that stopped work goes on."""

import json

import numpy as np
import pytest

from pseudocore.claim import Claim
from pseudocore.engine import proposition
from pseudocore.engine.cells import CELLS
from pseudocore.engine.control import Control, Stopped
from pseudocore.engine.proposition import reproduce
from pseudocore.errors import UserError
from pseudocore.networks import Linear
from pseudocore.report.proposition import of
from pseudocore.store.run import Run

TINY = Claim(
    sigmas=(0.01, 1e-5),
    etas=(0.1, 1e-6),
    spreads=(1.0, 20.0),
    draws=3,
    real=1,
    steps_x=5,
    steps_u=200,
)
SEEDS = range(2)


@pytest.fixture(autouse=True)
def _logistic(monkeypatch):
    monkeypatch.setattr(proposition, "NETWORKS", {"logistic": Linear()})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A finished run, and what it returned. Look, do not touch."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proposition, "NETWORKS", {"logistic": Linear()})
        run = Run.create(tmp_path_factory.mktemp("proposition") / "run", {"reproduce": "it"})
        return run, reproduce(run, TINY, SEEDS, Control())


@pytest.fixture(scope="module")
def rows(folder):
    return json.loads(folder[0].file("proposition.json").read_text())


def cosines(rows, **asked):
    found = [row["cosine"] for row in of(rows, **asked)]
    assert found
    return np.array(found)


@pytest.mark.parametrize(("route", "scale"), [("covariance", 1e-5), ("path", 1e-6)])
def test_narrow_covariances_and_short_steps_are_l2_matching(rows, route, scale):
    asked = {"model": "logistic", "route": route, "scale": scale}
    assert cosines(rows, matching="GM-L2", **asked).min() > 0.9999
    assert cosines(rows, matching="GM-inner", place="start", **asked).max() < 0.9
    assert cosines(rows, matching="GM-cosine", place="start", **asked).max() < 0.95
    sizes = [row["ratio"] for row in of(rows, matching="GM-L2", **asked)]
    np.testing.assert_allclose(sizes, 1, rtol=1e-3)


def test_the_inner_product_is_the_kl_of_q_itself_and_l2_where_u_is_learned(rows):
    asked = {"model": "logistic", "route": "direct", "scale": 1e-6}
    assert cosines(rows, matching="GM-inner", **asked).min() > 0.9999
    assert cosines(rows, matching="GM-L2", place="start", **asked).max() < 0.9
    at_end = cosines(rows, matching="GM-L2", place="trained on u", **asked)
    assert at_end.min() > cosines(rows, matching="GM-L2", place="start", **asked).max()


def test_a_few_draws_show_mostly_noise(rows):
    asked = {"route": "few draws", "scale": 1e-5, "matching": "GM-L2", "place": "start"}
    assert np.abs(cosines(rows, **asked)).max() < 0.7
    agreement = [row["agreement"] for row in of(rows, route="covariance", scale=1e-5)]
    assert min(agreement) > 0.9999


def test_the_exact_gradient_of_a_gaussian_is_l2_in_the_posterior_covariance(rows):
    asked = {"route": "exact", "place": "mean of π_u"}
    assert cosines(rows, matching="GM-L2 in Σ_u", **asked).min() > 1 - 1e-9
    assert cosines(rows, matching="GM-L2", scale=1.0, **asked).min() > 1 - 1e-9
    assert cosines(rows, matching="GM-L2", scale=20.0, **asked).max() < 0.99


def test_the_folder_holds_rows_figure_and_table(folder):
    run, told = folder
    assert run.file("table.md").read_text() == told
    assert run.file("proposition.png").read_bytes().startswith(b"\x89PNG")
    table, _, caption = told.partition("\n\n")
    assert len(table.splitlines()) == 2 + 3
    assert "1.000 / " in table
    assert "medians over 2 seeds" in caption
    lines = run.file("proposition.json").read_text().splitlines()
    assert len(lines) == 2 + len(json.loads("\n".join(lines)))


def test_what_was_stopped_goes_on_where_it_was(folder, tmp_path):
    run = Run.create(tmp_path / "run", {"reproduce": "it"})
    told = []

    def say(what, done, total, facts):
        told.append(done)
        control.signum = 2 if len(told) == 2 else 0

    control = Control(say)
    with pytest.raises(Stopped, match="2 of 4 cells are saved"):
        reproduce(run, TINY, SEEDS, control)
    before = {file: file.stat().st_mtime_ns for file in run.file(CELLS).iterdir()}
    assert len(before) == 2
    assert reproduce(run, TINY, SEEDS, Control()) == folder[1]
    assert {file: file.stat().st_mtime_ns for file in before} == before
    assert (
        run.file("proposition.json").read_bytes() == folder[0].file("proposition.json").read_bytes()
    )


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"sigmas": ()}, r"sigmas=\(\) must be one or more numbers above 0"),
        ({"etas": (0.1, 0.0)}, r"etas=\(0.1, 0.0\) must be"),
        ({"spreads": (float("nan"),)}, "spreads="),
        ({"draws": 1}, "draws=1 must be at least 2"),
        ({"real": 0}, "real=0 must be at least 1"),
        ({"rate": 0.0}, "rate=0.0 must be above 0"),
    ],
)
def test_what_cannot_be_measured_is_refused(wrong, said):
    with pytest.raises(UserError, match=said):
        Claim(**wrong)
