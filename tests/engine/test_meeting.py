"""Preprocessing travels with experts and coresets, and is compared wherever they meet."""

import dataclasses
import json

import numpy as np
import pytest

import pseudocore as pc
from pseudocore.datasets.preprocess import check_meet
from pseudocore.engine.comparison import learned, subsets
from pseudocore.engine.control import Control
from pseudocore.engine.distill import prepare
from pseudocore.model import Model
from pseudocore.store.coreset import CORESET, read_preprocess
from pseudocore.store.tensors import read_tensors, write_tensors
from pseudocore.store.trajectories import read_index, read_prepared

RECIPE = pc.preset("digits/ipc1-fkl")


def small(data):
    plan = dataclasses.replace(RECIPE.plan, data=data, network=pc.MLP(8), count=2, epochs=4)
    return dataclasses.replace(RECIPE, plan=plan, steps=4)


def made(data, folder):
    experts = pc.train_plan(small(data).plan, folder / "experts")
    return experts, pc.make_coreset(small(data), experts, folder / "run")


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return made(pc.Digits(), tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def whitened(tmp_path_factory):
    return made(pc.Digits(whiten=pc.ZCA(0.1)), tmp_path_factory.mktemp("whitened"))


def same(a, b):
    return a.differences(b) == [] and a.white == b.white


@pytest.mark.parametrize("data", [pc.Digits(), pc.Digits(whiten=pc.ZCA(0.1))], ids=["plain", "zca"])
def test_experts_and_coreset_say_how_their_points_were_prepared(data, plain, whitened):
    experts, run = plain if data == pc.Digits() else whitened
    split = data.load()
    for found in (read_prepared(experts, read_index(experts)), read_preprocess(run / CORESET)):
        assert found is not None
        assert same(found, split.preprocess)
        back = found.undo(np.asarray(split.train.x[:9]))
        np.testing.assert_allclose(back, split.preprocess.undo(split.train.x[:9]), atol=1e-5)
        assert -1e-3 < back.min() < back.max() < 1 + 1e-3  # pixels again


def test_experts_of_points_prepared_in_another_way_are_refused(plain, whitened):
    for experts, data in ((plain[0], pc.Digits(whiten=pc.ZCA(0.1))), (whitened[0], pc.Digits())):
        with pytest.raises(pc.UserError, match=r"experts in .* not prepared alike.*whitened"):
            prepare(small(data), experts, Control())
    with pytest.raises(pc.UserError, match="whitened by another matrix"):
        prepare(small(pc.Digits(whiten=pc.ZCA(0.2))), whitened[0], Control())


def test_a_coreset_is_not_judged_on_points_prepared_in_another_way(plain, whitened):
    split, other = pc.Digits().load(), pc.Digits(whiten=pc.ZCA(0.1)).load()
    assert learned(plain[1], split).x.shape == (10, 8, 8, 1)
    assert learned(whitened[1], other).x.shape == (10, 8, 8, 1)
    for run, points in ((plain[1], other), (whitened[1], split)):
        with pytest.raises(pc.UserError, match=r"coreset .* and the test points were not prepared"):
            learned(run, points)


def test_features_of_such_experts_choose_no_subset(whitened):
    split = pc.Digits().load()
    model = Model.of(pc.MLP(8), split.train)
    with pytest.raises(pc.UserError, match="not prepared alike"):
        subsets(["herding"], split, model, 1, whitened[0], 0)


def changed(run, tmp_path, **fields):
    """A copy of a run whose coreset says something else of its preparation."""
    arrays, facts = read_tensors(run / CORESET, ["points", "labels", "weights"])
    said = json.loads(facts["preprocess"]) | fields
    folder = tmp_path / "copy"
    folder.mkdir()
    (folder / "recipe.json").write_bytes((run / "recipe.json").read_bytes())
    write_tensors(folder / CORESET, arrays, facts | {"preprocess": json.dumps(said)})
    return folder


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"standardise": {"type": "Standardise", "mean": [0.5], "deviation": [1.0]}}, "mean"),
        ({"channels": "BGR"}, "channels BGR against gray"),
        ({"shape": [16, 16, 1]}, r"shape \(16, 16, 1\) against \(8, 8, 1\)"),
    ],
    ids=["statistics", "channels", "size"],
)
def test_what_differs_is_named(plain, tmp_path, fields, said):
    with pytest.raises(pc.UserError, match=said):
        learned(changed(plain[1], tmp_path, **fields), pc.Digits().load())


def test_rounding_is_no_difference(plain, tmp_path):
    split = pc.Digits().load()
    mean, deviation = split.preprocess.standardise.mean[0], split.preprocess.standardise.deviation
    for shift, fits in ((1e-9, True), (1e-3, False)):
        near = pc.Standardise((mean + shift,), deviation)
        found = dataclasses.replace(split.preprocess, standardise=near)
        assert (found.differences(split.preprocess) == []) is fits
    with pytest.raises(pc.UserError, match=r"mean .* against .*use the data, held-out part"):
        check_meet("a", found, "b", split.preprocess)


def test_a_coreset_of_before_this_record_is_still_judged(plain, tmp_path):
    folder = changed(plain[1], tmp_path)
    arrays, facts = read_tensors(folder / CORESET, ["points", "labels", "weights"])
    del facts["preprocess"]
    write_tensors(folder / CORESET, arrays, facts)
    assert read_preprocess(folder / CORESET) is None
    assert learned(folder, pc.Digits().load()).x.shape == (10, 8, 8, 1)


@pytest.mark.parametrize(
    "said",
    ["{", "[]", '{"type": "Preprocess"}', '{"type": "HMC"}', '{"whitening": {"type": "Rotated"}}'],
)
def test_damaged_words_are_named(plain, tmp_path, said):
    folder = changed(plain[1], tmp_path)
    arrays, facts = read_tensors(folder / CORESET, ["points", "labels", "weights"])
    write_tensors(folder / CORESET, arrays, facts | {"preprocess": said})
    said = r"does not say how its points were prepared|has no whitening"
    with pytest.raises(pc.UserError, match=said):
        learned(folder, pc.Digits().load())
