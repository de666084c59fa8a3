"""A judgement is kept under all it rests on, and one of sick chains can still be shown."""

import shutil
import subprocess
import sys
from pathlib import Path

import jax.random as jr
import numpy as np
import pytest

import pseudocore as pc
from pseudocore.engine.comparison import compare
from pseudocore.engine.control import Control
from pseudocore.engine.judging import calibration
from pseudocore.engine.runs import create
from pseudocore.engine.telling import calibrations
from pseudocore.errors import UserError
from pseudocore.report.reliability import Bins

IDENTITY = """
import pseudocore as pc
from pseudocore.engine.judging import identity
recipe = pc.preset("digits/ipc1-fkl")
split = recipe.plan.data.load()
model = pc.Model.of(recipe.plan.network, split.train)
print(identity(recipe.judges[0], range(2), 0, "fKL", split.held_out, model, split))
"""


@pytest.fixture
def judged_as(tmp_path):
    """The name of a judgement by a copy of the package, and the copy's folder."""
    copy = tmp_path / "pseudocore"
    skip = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(pc.__file__).parent, copy, ignore=skip)

    def name():
        words = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"]
        words[-1] += IDENTITY
        done = subprocess.run(words, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return name, copy


def test_other_code_judges_anew(judged_as):
    name, copy = judged_as
    before = name()
    assert name() == before
    with open(copy / "metrics" / "nll.py", "a") as file:
        file.write("\n# Changed.\n")
    assert name() != before


RECIPE = pc.preset("digits/ipc1-fkl")
SPLIT = RECIPE.plan.data.load()
WILD = pc.Judge("sghmc", "textbook", pc.MCMC(pc.SGHMC(step_size=50.0, leapfrogs=3), 8, 4))


@pytest.fixture(scope="module")
def diverged():
    """The judgement of chains that all went where nothing is finite."""
    model = pc.Model.of(RECIPE.plan.network, SPLIT.train)
    u = pc.RandomSubset()(jr.key(0), SPLIT.train, pc.pixels(SPLIT.train), 1)
    found = WILD(jr.key(0), range(2), model, u, SPLIT.test, len(SPLIT.train))
    assert not found.healthy.any()
    return found


def test_probabilities_that_are_nan_are_in_no_bin(diverged):
    assert np.isnan(diverged.probs).all()
    assert calibration(diverged, SPLIT) == []


def test_what_has_no_bins_has_no_diagram():
    def record(method, bins):
        return {
            "rows": [{"judge": "hmc"}],
            "method": method,
            "construction": 0,
            "reliability": bins,
        }

    shown = calibrations([record("fKL", []), record("W", [[0.5, 0.25, 4.0]])], "hmc")
    assert shown == {"W": Bins((0.5,), (0.25,), (4.0,))}


@pytest.mark.parametrize(
    ("judges", "said"),
    [
        ((WILD, WILD), "2 textbook judges are called 'sghmc'"),
        (
            (pc.Judge("x", "textbook", WILD.chain, view=pc.Augmenting(pc.DSA())),),
            r"judge x cannot see these points .*use Unchanged.*--judges\.N\.view 'Whole",
        ),
    ],
    ids=["two of one name", "augmented rows"],
)
def test_judges_that_cannot_serve_are_refused_before_any_chain_runs(tmp_path, judges, said):
    y = np.arange(12) % 3
    x = np.linspace(0, 1, 36).reshape(12, 3)
    np.savez(tmp_path / "rows.npz", x_train=x, y_train=y, x_test=x, y_test=y)
    plan = pc.ExpertPlan(pc.Npz(str(tmp_path / "rows.npz")), pc.MLP(4), pc.Training())
    infer, sgd = pc.Unroll(), pc.OuterSGD()
    recipe = pc.Recipe(plan, pc.ForwardKL(), infer, sgd, judges[:1])
    u = recipe.plan.data.load().train
    run = create(tmp_path / "run", {})
    said_so = []
    with pytest.raises(UserError, match=said):
        compare(recipe, {"fKL": (u,)}, judges, range(2), run, Control(lambda *a: said_so.append(a)))
    assert said_so == []
