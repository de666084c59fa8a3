"""What decisions are made on, nothing has learned from; what is reported on, nothing looked at.

Every test tries to break that: points that must not be seen are poisoned, or changed.
"""

import dataclasses
import json

import equinox as eqx
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest

import pseudocore as pc
from pseudocore.datasets.base import Raw
from pseudocore.datasets.parts import Part
from pseudocore.engine.comparison import BASELINES
from pseudocore.engine.control import Control
from pseudocore.engine.distill import begin, prepare
from pseudocore.model import Model
from pseudocore.select import pixels
from pseudocore.store.coreset import CORESET, read_coreset
from pseudocore.store.trajectories import read_index

RECIPE = pc.preset("digits/ipc1-rkl")  # of all methods the one that draws real points as it learns


class Altered(pc.Dataset):
    """The digits, with some of their points changed by a rule of the test."""

    change: str = eqx.field(static=True, default="")
    held_out: float = eqx.field(static=True, default=0.185)
    seed: int = eqx.field(static=True, default=0)
    whiten: pc.Whiten = pc.Unwhitened()

    def read(self, say=None) -> Raw:
        raw = pc.Digits().read()
        train, test = raw.train.values.copy(), raw.test.values.copy()
        gone = pc.Digits(self.held_out, self.seed).open().gone
        if self.change == "held out":
            train[gone] = 1.0 - train[gone]
        if self.change == "test":
            test = 1.0 - test
        if self.change == "one of train":
            train[np.setdiff1d(np.arange(len(train)), gone)[5]] += 0.5
        parts = Part(train, raw.train.labels), Part(test, raw.test.labels)
        return Raw(*parts, raw.classes, raw.channels, raw.white, raw.standardise)


def small(data):
    plan = dataclasses.replace(RECIPE.plan, data=data, network=pc.MLP(8), count=2, epochs=4)
    return dataclasses.replace(RECIPE, plan=plan, steps=20, batch=64)


def learned(data, folder):
    recipe = small(data)
    experts = pc.train_plan(recipe.plan, folder / "experts")
    run = pc.make_coreset(recipe, experts, folder / "run")
    return experts, read_coreset(run / CORESET)


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return learned(Altered(), tmp_path_factory.mktemp("plain"))


@pytest.mark.parametrize("change", ["held out", "test"])
def test_experts_first_u_and_minibatches_never_see_it(change, plain, tmp_path):
    """Other points there, and not a bit of experts or coreset is another."""
    experts, u = learned(Altered(change), tmp_path)
    for number in range(2):
        name = f"expert-00{number}.safetensors"
        assert (experts / name).read_bytes() == (plain[0] / name).read_bytes()
    for here, there in zip((u.x, u.y, u.w), (plain[1].x, plain[1].y, plain[1].w), strict=True):
        np.testing.assert_array_equal(here, there)


def test_a_point_of_train_does_change_them(plain, tmp_path):
    """Else the tests above would see nothing at all."""
    _, u = learned(Altered("one of train"), tmp_path)
    assert not np.array_equal(u.x, plain[1].x)


def test_no_subset_takes_a_held_out_point():
    split = pc.Digits(held_out=0.5).load()
    hidden = {row.tobytes() for row in np.asarray(split.held_out.x)}
    shown = {row.tobytes() for row in np.asarray(split.train.x)}
    assert not hidden & shown
    poisoned = eqx.tree_at(lambda s: s.held_out.x, split, jnp.full_like(split.held_out.x, jnp.nan))
    for name, select in BASELINES.items():
        u = select(jr.key(0), poisoned.train, pixels(poisoned.train), 5)
        assert bool(jnp.isfinite(u.x).all())
        if name != "class means":
            assert {row.tobytes() for row in np.asarray(u.x)} <= shown
    assert {row.tobytes() for row in np.asarray(begin(RECIPE, poisoned).x)} <= shown


@pytest.mark.parametrize(
    "other",
    [Altered(held_out=0.3), Altered(seed=1), Altered(held_out=0.0), Altered("one of train")],
    ids=["another share", "another seed", "nothing held out", "another point"],
)
def test_experts_that_saw_other_points_are_refused(other, plain):
    """Whoever was trained on all has seen what is held out now."""
    with pytest.raises(pc.UserError, match=r"experts in .* have the data .*train them"):
        prepare(small(other), plain[0], Control())


def test_a_forged_description_does_not_help(plain, tmp_path):
    """Points are compared, not what is said of them."""
    other = pc.train_plan(small(Altered(held_out=0.0)).plan, tmp_path / "all")
    index = json.loads((other / "index.json").read_text())
    index["plan"] = json.loads((plain[0] / "index.json").read_text())["plan"]
    (other / "index.json").write_text(json.dumps(index))
    with pytest.raises(pc.UserError, match="whose files have changed since"):
        prepare(small(Altered()), other, Control())


def test_data_that_moved_are_the_same_data(tmp_path):
    """The path is another, the points are not."""
    raw = pc.Digits().read()
    arrays = {
        "x_train": raw.train.values,
        "y_train": raw.train.labels,
        "x_test": raw.test.values,
        "y_test": raw.test.labels,
    }
    for name in ("here", "there"):
        np.savez(tmp_path / f"{name}.npz", **arrays)
    recipe = small(pc.Npz(str(tmp_path / "here.npz")))
    experts = pc.train_plan(recipe.plan, tmp_path / "experts")
    moved = small(pc.Npz(str(tmp_path / "there.npz")))
    assert prepare(moved, experts, Control()).expert.trajectories.shape[0] == 2


def test_to_decide_takes_a_held_out_part():
    split = pc.Digits().load()
    assert split.for_decisions is split.held_out
    with pytest.raises(pc.UserError, match=r"Nothing is held out.*test part is not.*held-out 0\.1"):
        _ = pc.Digits(held_out=0.0).load().for_decisions


def test_the_index_says_which_points_were_seen(plain):
    index, split = read_index(plain[0]), Altered().load()
    assert index["seen"] == split.fingerprint
    assert index["preprocess"]["standardise"]["mean"] == list(split.preprocess.standardise.mean)
    assert Model.of(pc.MLP(8), split.train).layout.size == index["parameters"]
