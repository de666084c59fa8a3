"""A person's own rows, from training to the table: recipes are for images, these are none."""

import dataclasses
import json
import re

import numpy as np
import pytest

from pseudocore import DSA, Npz, Training, UserError, preset, train_plan
from pseudocore.augment import Unchanged
from pseudocore.cli.options import read_recipe
from pseudocore.data import Whole

RECIPE = "--plan.count 2 --plan.epochs 3 --plan.network.width 8 --steps 4 --infer.steps 3"
NO_IMAGES = "Points of shape (5,) are no images: no augmentation, and A-SGHMC is SGHMC here."
BLIND = "cannot see these points through its view: DSA takes images", "--judges.N.view 'Whole()'"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with an archive of rows: three clouds of points with five features."""
    folder = tmp_path_factory.mktemp("own")
    random = np.random.default_rng(0)
    y = np.arange(60) % 3
    x = random.normal(size=(60, 5)) + 3 * y[:, None]
    np.savez(folder / "rows.npz", x_train=x, y_train=y, x_test=x[:21], y_test=y[:21])
    return folder


@pytest.fixture(scope="module")
def trained(call, place):
    words = "--count", 2, "--epochs", 3, "--network.width", 8, "--training.augment", "DSA()"
    told = call(
        "experts", "digits", *words, "--data", place / "rows.npz", "--out", place / "experts"
    )
    assert told.code == 0, told.err
    return told


@pytest.fixture(scope="module")
def learned(command, call, place, trained):
    words = command(place / "run", "--augment", "DSA()", *RECIPE.split(), of=place / "experts")
    told = call(*words, "--data", place / "rows.npz")
    assert told.code == 0, told.err
    return told


def test_augmentations_are_left_out_and_a_line_says_so(place, trained, learned):
    for told in (trained, learned):
        assert told.err.count(NO_IMAGES) == 1
    recipe = read_recipe(place / "run")
    assert recipe.augment == recipe.plan.training.augment == Unchanged()
    assert {judge.view for judge in recipe.judges} == {Whole()}
    names = [judge.name for judge in recipe.judges]
    assert names[:2] == ["hmc", "sghmc"]  # without augmentation A-SGHMC is no more than that
    assert "a-sghmc" not in names


def test_rows_are_judged_and_compared_from_another_folder(
    call, place, learned, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    told = call("evaluate", place / "run", "--seeds", 2, "--json")
    assert told.code == 0, told.err
    assert {row["judge"] for row in json.loads(told.out)} >= {"hmc", "sghmc"}
    baselines = "--baselines", "random", "herding", "full data", "--experts", place / "experts"
    told = call("compare", place / "run", *baselines, "--seeds", 2, "--out", "page", "--json")
    assert told.code == 0, told.err
    assert {row["method"] for row in json.loads(told.out)} == {
        "random",
        "herding",
        "full data",
        "fKL",
    }
    text = (tmp_path / "page" / "report.html").read_text().split("<body")[1].split("<pre")[0]
    assert "A-SGHMC" not in text
    assert not re.search("image|pixel|picture", text)
    assert "1 learned coreset of 1 point per class." in text
    assert "image" not in (tmp_path / "page" / "table.md").read_text()
    told = call("evaluate", place / "run", "--seeds", 2)
    assert "points per class: 1" in " ".join(told.out.split())


def test_the_published_protocol_leaves_its_augmentation_out_too(call, place, learned, tmp_path):
    words = "--protocol", "paper", "--seeds", 2, "--json", "--out", tmp_path / "there"
    told = call("evaluate", place / "run", *words)
    assert told.code == 0, told.err
    assert NO_IMAGES in told.err
    assert [row["judge"] for row in json.loads(told.out)] == ["hmc", "hmc", "sghmc", "sghmc"]


def test_a_path_is_recorded_from_the_root(call, command, refused, place, trained, monkeypatch):
    monkeypatch.chdir(place)
    here = command(place / "here", *RECIPE.split(), of=place / "experts")
    assert call(*here, "--data", "rows.npz").code == 0
    assert read_recipe(place / "here").plan.data.path == str(place / "rows.npz")


def test_a_judge_that_cannot_see_rows_is_refused_before_any_chain_runs(
    call, refused, content, place, learned, tmp_path
):
    before = content(place / "run")
    words = "--judges.1.view", "Augmenting(DSA())", "--out", tmp_path / "out"
    refused(call("evaluate", place / "run", *words), "The judge sghmc", *BLIND)
    assert content(place / "run") == before
    assert not (tmp_path / "out").exists()


def test_rows_that_come_another_way_are_refused_before_anything_is_written(
    call, command, refused, place, trained, tmp_path
):
    """--data swaps what a recipe augments; a part that was typed in is left as it was typed."""
    out = tmp_path / "out"
    data = "--plan.data", f"Npz({str(place / 'rows.npz')!r}, 0.185)"
    words = command(out, *RECIPE.split(), *data, of=place / "experts")
    refused(call(*words), "The judge a-sghmc", *BLIND)
    seen = "--judges.1.view", "Whole()", "--augment", "DSA()"
    refused(call(*words, *seen), "distill: DSA takes images", "use Unchanged()")
    assert not out.exists()


def test_experts_augment_images_only(tmp_path, place):
    """In Python nothing is swapped."""
    plan = dataclasses.replace(
        preset("digits/ipc1-fkl").plan,
        data=Npz(str(place / "rows.npz")),
        training=Training(0.05, 32, DSA()),
    )
    with pytest.raises(UserError, match="DSA takes images"):
        train_plan(plan, tmp_path / "out")
    assert not (tmp_path / "out").exists()
