"""What is told beside the numbers follows from judges, records and data."""

import jax.numpy as jnp
import pytest

import pseudocore as pc
from pseudocore.data import Augmenting, Batching, Whole, labelled
from pseudocore.datasets import Preprocess, Split, Standardise
from pseudocore.engine.advice import to_train
from pseudocore.engine.telling import confidence_gaps, kind, numbered, seen
from pseudocore.networks import Function, Linear
from pseudocore.report.words import AFRESH, AS_IS


@pytest.mark.parametrize(
    ("view", "told"),
    [
        (Whole(), AS_IS),
        (Batching(5), AS_IS),
        (Augmenting(pc.Unchanged()), AS_IS),
        (Augmenting(pc.Crop()), f"{AFRESH}: shifted"),
        (Augmenting(pc.DSA((pc.Crop(), pc.Rotate()))), f"{AFRESH}: shifted or turned"),
        (pc.preset("digits/ipc1-fkl").judges[1].view, f"{AFRESH}: shifted, resized or turned"),
    ],
    ids=repr,
)
def test_how_a_judge_sees_the_coreset_follows_from_its_view(view, told):
    assert seen(view) == told


def test_the_gap_is_that_of_all_points_of_all_coresets():
    def record(method, bins):
        return {"rows": [{"judge": "hmc", "method": method}], "reliability": bins}

    gaps = confidence_gaps(
        [
            record("W", [[0.5, 0.9, 30], [0.9, 0.8, 10]]),
            record("W", [[0.6, 0.7, 60]]),
            record("fKL", []),  # its chains diverged
        ]
    )
    assert gaps == {"hmc": {"W": pytest.approx((30 * 0.4 - 10 * 0.1 + 60 * 0.1) / 100)}}


@pytest.mark.parametrize(("shape", "called"), [((8, 8, 1), "images"), ((5,), "points")])
def test_points_are_called_by_their_shape(shape, called):
    data = labelled(jnp.zeros((4, *shape)), jnp.arange(4) % 2, 2)
    preprocess = Preprocess(Standardise((0.0,), (1.0,)), shape, "gray")
    assert kind(Split(data, data, data, preprocess)) == called


def test_one_seed_is_said_in_the_singular():
    assert (numbered(range(3, 4)), numbered(range(5))) == ("seed 3", "seeds 0 to 4")


def start(key):
    return jnp.zeros((64, 10))


def forward(params, x):
    return x @ params


@pytest.mark.parametrize(
    ("data", "network", "command"),
    [
        (pc.Digits(), pc.MLP(64), "pseudocore experts digits --out FOLDER"),
        (
            pc.Digits(seed=3),
            Linear(),
            "pseudocore experts digits --network 'Linear()' --data.seed 3 --out FOLDER",
        ),
        (
            pc.Npz("a b.npz", held_out=0.2),
            pc.MLP(64),
            "pseudocore experts digits --data 'a b.npz' --data.held-out 0.2 --out FOLDER",
        ),
        (
            pc.Cifar10("c", held_out=0.0),
            pc.ConvNet(),
            "pseudocore experts paper/cifar10 --data cifar10:c --out FOLDER",
        ),
        (pc.Digits(), Function(start, forward), "train_plan(recipe.plan, FOLDER)"),
    ],
)
def test_the_command_trains_experts_of_this_data_and_network(data, network, command):
    assert to_train(pc.ExpertPlan(data, network, pc.Training())) == command
