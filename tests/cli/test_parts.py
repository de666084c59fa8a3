"""Whole parts of a recipe as flags, written as the recipe prints them."""

import dataclasses
import json

import pytest

import pseudocore as pc
from pseudocore.cli.options import known
from pseudocore.cli.parts import take_parts
from pseudocore.errors import UserError
from pseudocore.store.source import from_python, to_python

RECIPE = pc.preset("digits/ipc1-fkl")


@pytest.mark.parametrize("name", sorted(pc.presets()))
def test_what_a_recipe_prints_is_read_back(name):
    recipe = pc.preset(name)
    assert from_python(to_python(recipe), known()) == recipe


def test_a_part_is_replaced_whole_and_the_rest_left_over():
    words = [
        "--steps",
        "5",
        "--plan.network",
        "ConvNet(depth=2)",
        "--seed=3",
        "--augment=DSA((Crop(),))",
    ]
    recipe, rest = take_parts(RECIPE, words, known())
    expected = dataclasses.replace(
        RECIPE,
        plan=dataclasses.replace(RECIPE.plan, network=pc.ConvNet(depth=2)),
        augment=pc.DSA((pc.Crop(),)),
    )
    assert recipe == expected
    assert rest == ["--steps", "5", "--seed=3"]


def test_parts_of_several_are_counted():
    words = ["--judges.1.mass", "Tempered(3.5e0)", "--judges.0.chain.kernel", "HMC(0.1, 2)"]
    recipe, rest = take_parts(RECIPE, words, known())
    assert rest == []
    assert recipe.judges[1].mass == pc.Tempered(3.5)
    whole, _ = take_parts(RECIPE, ["--judges.0.mass", "Tempered(3)"], known())
    assert type(whole.judges[0].mass.weight) is float
    assert recipe.judges[0].chain.kernel == pc.HMC(0.1, 2)
    assert recipe.judges[0].mass == RECIPE.judges[0].mass


def test_parts_that_only_fit_together_come_in_any_order():
    """Neither HMC on batches nor what comes between two orders is ever asked for."""
    view, kernel = ["--judges.0.view", "Batching(5)"], ["--judges.0.chain.kernel", "SGHMC()"]
    for words in (view + kernel, kernel + view):
        judge = take_parts(RECIPE, words, known())[0].judges[0]
        assert (judge.view, judge.chain.kernel) == (pc.Batching(5), pc.SGHMC())
    with pytest.raises(UserError, match="accept test of HMC needs the same"):
        take_parts(RECIPE, view, known())


def test_a_part_of_a_part_that_was_just_given():
    words = ["--plan.network", "ConvNet(depth=2)", "--plan.network.norm", "GroupNorm()"]
    network = take_parts(RECIPE, words, known())[0].plan.network
    assert network == pc.ConvNet(depth=2, norm=pc.GroupNorm())


def test_numbers_are_no_parts_nor_is_what_means_something_else():
    words = ["--judges.7.mass", "x", "--steps", "1", "plan", "--divergence.draws", "3", "--augment"]
    recipe, rest = take_parts(RECIPE, words, known(), but=["--augment"])
    assert recipe == RECIPE
    assert rest == words


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("MPL(8)", "no type 'MPL'. Did you mean 'MLP'"),
        ("HMC()", "recipe.plan.network of ExpertPlan is HMC.*, not Network"),
        ("MLP(width='a')", "MLP.width of MLP is 'a', not int"),
        ("MLP(1, 2, 3)", "MLP takes 2 values, 3 are given"),
        ("MLP(deep=1)", "no MLP field 'deep'. Did you mean 'depth'\\? Known: depth, width"),
        ("MLP(8", "'MLP\\(8' is no value: write it as"),
        ("", "'' is no value"),
        ("3", "recipe.plan.network of ExpertPlan is 3, not Network"),
        ("Network()", "abstract"),
        ("__import__('os').system('true')", "is no value"),
        ("MLP(width=len('abc'))", "no type 'len'"),
        ("MLP(*(1, 2))", "is no value"),
        ("MLP(**{'width': 3})", "is no value"),
        ("(" * 500 + ")" * 500, "is no value"),
    ],
)
def test_what_is_no_such_part_is_refused(text, said):
    with pytest.raises(UserError, match=said):
        take_parts(RECIPE, ["--plan.network", text], known())


def test_what_the_recipe_itself_refuses_is_said():
    with pytest.raises(UserError, match=r"optimiser.momentum=1.5 must be below 1"):
        take_parts(RECIPE, ["--optimiser", "OuterSGD(momentum=1.5)"], known())


def test_experts_and_coresets_of_another_network_and_augmentation(call, distill, tmp_path):
    plan = "--network", "MLP(width=6, depth=2)", "--network.width", 7, "--count", 1, "--epochs", 3
    augment = "--training.augment", "DSA((Crop(),))"
    assert call("experts", "digits", *plan, *augment, "--out", tmp_path / "experts").code == 0
    held = json.loads((tmp_path / "experts" / "index.json").read_text())["plan"]
    assert held["network"] == {"type": "MLP", "width": 7, "depth": 2}
    assert held["training"]["augment"]["operations"] == [{"type": "Crop", "fraction": 0.125}]
    told = distill(
        tmp_path / "run",
        *(
            "--plan.network",
            "MLP(7, 2)",
            "--plan.network.width",
            7,
            "--plan.training.augment",
            "DSA((Crop(),))",
        ),
        *("--plan.count", 1, "--plan.epochs", 3, "--divergence", "Wasserstein()"),
        *("--augment", "DSA((Rotate(),))"),
        of=tmp_path / "experts",
    )
    assert told.code == 0, told.err
    recipe = json.loads((tmp_path / "run" / "recipe.json").read_text())["recipe"]
    assert recipe["divergence"] == {"type": "Wasserstein"}
    assert recipe["augment"]["operations"][0]["type"] == "Rotate"


def test_a_judge_of_another_prior_and_mass(call, run, tmp_path):
    words = "--judges.0.mass", "Tempered(20)", "--judges.0.prior", "Isotropic(2.0)"
    told = call("evaluate", run, "--seeds", 2, "--json", "--out", tmp_path / "there", *words)
    assert told.code == 0, told.err
    assert {row["weights"] for row in json.loads(told.out)} == {"20 (tempered)", "N/M"}
