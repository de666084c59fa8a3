"""Judges: what they report, that it is what the draws say, and that they warn of sick chains."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from scipy.special import log_softmax, logsumexp
from sklearn.metrics import log_loss

from pseudocore.augment import Unchanged
from pseudocore.data import Augmented, Augmenting, Batching, labelled
from pseudocore.errors import UserError
from pseudocore.evaluate import Judge
from pseudocore.infer import MCMC, RawUnits
from pseudocore.kernels import HMC, SGHMC, PublishedHMC
from pseudocore.kernels.base import Info
from pseudocore.mass import FullMass, Tempered, UnitWeights
from pseudocore.model import LogDensity, Model
from pseudocore.networks import Function
from pseudocore.posterior import Empirical
from pseudocore.prior import Isotropic

CLASSES, N = 3, 200  # of test points: one batch of 128, one of 72
REPRESENTED = 60
RNG = np.random.default_rng(0)
CENTRES = np.array([[2.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]])


def cluster(n: int):
    labels = np.arange(n, dtype=np.int32) % CLASSES
    x = (CENTRES[labels] + RNG.standard_normal((n, 2))).astype(np.float32)
    return labelled(jnp.asarray(x), jnp.asarray(labels), CLASSES), x, labels


CORESET = cluster(6)[0]
TEST, X, LABELS = cluster(N)
TRACES = []


def fresh(key):
    return jnp.zeros((2, CLASSES))


def forward(params, x):
    TRACES.append(x.shape)
    return x @ params


MODEL = Model.of(Function(fresh, forward), CORESET)
HEALTHY = MCMC(HMC(0.25, 10), iterations=130, burn=30)
TEXTBOOK = Judge("hmc", "textbook", HEALTHY, Isotropic(1.0), FullMass())
KEYS = {"method", "ipc", "judge", "protocol", "weights", "seed", "acc", "nll", "ece", "brier"}
KEYS |= {"acceptance", "rhat"}


def judged(judge: Judge, seeds=range(3), key: int = 0, coreset=CORESET, represented=REPRESENTED):
    return judge(jr.key(key), seeds, MODEL, coreset, TEST, represented)


@pytest.fixture(scope="module")
def judgement():
    return judged(TEXTBOOK)


def test_one_row_a_seed_with_exactly_the_documented_keys(judgement):
    rows = judgement.rows("random", 2)
    assert [row["seed"] for row in rows] == [0, 1, 2]
    for row in rows:
        assert set(row) == KEYS
        named = [row[key] for key in ("method", "ipc", "judge", "protocol", "weights")]
        assert named == ["random", 2, "hmc", "textbook", "N/M"]
        assert 0.5 < row["acc"] <= 1
        assert 0.5 < row["acceptance"] <= 1
        assert 0.9 < row["rhat"] < 1.1
        assert all(type(row[key]) is float for key in ("acc", "nll", "ece", "brier", "rhat"))
    assert len({row["nll"] for row in rows}) == 3
    assert judgement.warnings("random") == []


def test_the_same_key_gives_the_same_numbers_and_another_key_others(judgement):
    again = judged(TEXTBOOK)
    assert again.rows("random", 2) == judgement.rows("random", 2)
    np.testing.assert_array_equal(again.probs, judgement.probs)
    other = judged(TEXTBOOK, key=1)
    assert (other.scores["nll"] != judgement.scores["nll"]).all()


def test_a_seed_s_numbers_do_not_depend_on_the_seeds_beside_it(judgement):
    later = judged(TEXTBOOK, seeds=range(1, 4))
    assert [row["seed"] for row in later.rows("random", 2)] == [1, 2, 3]
    for name, values in later.scores.items():
        np.testing.assert_array_equal(values[:2], judgement.scores[name][1:])
        assert values[2] not in values[:2] or name == "acc"


def test_coresets_of_one_size_share_a_program(judgement):
    before = len(TRACES)
    other = judged(TEXTBOOK, coreset=cluster(6)[0])
    assert len(TRACES) == before
    assert (other.scores["nll"] != judgement.scores["nll"]).all()


class Known(MCMC):
    """A chain whose draws are given, and which tells the log-density it was to sample."""

    draws: Any = None
    accepted: Any = None

    def run(self, key, model, source, start):
        target = LogDensity(model, source.plain, jnp.ones(model.layout.size))
        energy = jnp.full(self.iterations, -target(self.draws[0]))
        return Empirical(self.draws[self.burn :]), jax.vmap(Info)(self.accepted, energy)


DRAWS = RNG.standard_normal((12, 6)).astype(np.float32)
ACCEPTED = RNG.uniform(size=12).astype(np.float32)
KNOWN = Known(HMC(), 12, 4, draws=jnp.asarray(DRAWS), accepted=jnp.asarray(ACCEPTED))


def log_probs(x: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """(draws x n x classes) in float64."""
    return log_softmax(x.astype(np.float64) @ draws.reshape(-1, 2, CLASSES), axis=-1)


@pytest.fixture(scope="module")
def by_hand():
    """Every metric from the draws after burn-in, written out."""
    each = log_probs(X, DRAWS[4:])
    probs = np.exp(each).mean(axis=0)
    top, hit = probs.max(axis=1), probs.argmax(axis=1) == LABELS
    right = each[:, np.arange(N), LABELS]

    def gaps(points: slice, bins: int) -> float:
        t, h = top[points], hit[points]
        which = np.ceil(t * bins)
        return sum(abs((h - t)[which == b].sum()) for b in range(1, bins + 1)) / len(t)

    batches = [slice(0, 128), slice(128, N)]
    return probs, {
        "acc": hit.mean(),
        "nll": log_loss(LABELS, probs),
        "ece": gaps(slice(None), 15),
        "brier": ((probs - np.eye(CLASSES)[LABELS]) ** 2).sum(axis=1).mean(),
        "nll_published": -np.mean(
            [logsumexp(right[:, b].mean(axis=1)) - np.log(8) for b in batches]
        ),
        "ece_published": np.mean([gaps(b, 29) for b in batches]),
        "acceptance": ACCEPTED[4:].mean(),
    }


@pytest.fixture(scope="module")
def known():
    return judged(Judge("known", "textbook", KNOWN), seeds=range(1))


@pytest.mark.parametrize("protocol", ["textbook", "paper"])
def test_the_numbers_are_those_of_the_draws(protocol, known, by_hand):
    """The published NLL and ECE are told under the published protocol only."""
    probs, expected = by_hand
    found = dataclasses.replace(known, judge=Judge("known", protocol, KNOWN))
    (row,) = found.rows("random", None)
    published = {"nll_published", "ece_published"}
    assert set(row) == (KEYS | published if protocol == "paper" else KEYS)
    assert row["ipc"] is None
    for name, value in expected.items():
        if name in row:
            np.testing.assert_allclose(row[name], value, rtol=1e-5, err_msg=name)
    np.testing.assert_allclose(found.probs, probs, rtol=1e-5)
    assert expected["nll_published"] > expected["nll"] * 1.01
    # One chain has no other to agree with.
    assert np.isnan(row["rhat"])
    assert found.warnings("random") == []


def test_probabilities_are_averaged_over_the_chains_too(judgement):
    np.testing.assert_allclose(judgement.probs.sum(axis=1), 1, rtol=1e-5)
    acc = (judgement.probs.argmax(axis=1) == LABELS).mean()
    np.testing.assert_allclose(acc, judgement.scores["acc"].mean(), atol=0.05)


@pytest.mark.parametrize(
    ("mass", "name", "each"),
    [(FullMass(), "N/M", 10.0), (UnitWeights(), "1", 1.0), (Tempered(4.0), "4 (tempered)", 4.0)],
    ids=repr,
)
def test_the_log_density_has_the_weights_that_the_row_states(mass, name, each):
    prior = Isotropic(0.7)
    found = judged(Judge("known", "textbook", KNOWN, prior, mass), seeds=range(1))
    assert found.rows("random", 2)[0]["weights"] == name
    theta = DRAWS[0].astype(np.float64)
    x, labels = np.asarray(CORESET.x), np.asarray(CORESET.y).argmax(axis=1)
    loglik = log_probs(x, theta)[0, np.arange(6), labels].sum()
    expected = each * loglik - 0.5 * (theta**2).sum() / 0.7**2
    np.testing.assert_allclose(-found.traces[0][0, 0], expected, rtol=1e-5)


def test_a_stuck_chain_is_named():
    """A density so steep that every proposal falls off it."""
    found = judged(TEXTBOOK, represented=10**12)
    stuck, apart = found.warnings("fKL")
    assert stuck.startswith(
        "fKL under textbook hmc: a chain is stuck (accepts 0% of its proposals)"
    )
    assert stuck.endswith("use a smaller step.")
    assert "R-hat is" in apart
    assert found.rows("fKL", 2)[0]["acceptance"] == 0


def test_a_chain_that_diverged_is_named_with_its_seed():
    judge = Judge("sghmc", "textbook", MCMC(SGHMC(0.05, 2), 12, 4))
    assert not any("diverged" in line for line in judged(judge).warnings("W"))
    found = judged(judge, represented=10**30)
    lines = found.warnings("W")
    assert any("chain of seed [0, 1, 2] diverged; use a smaller step" in line for line in lines)
    assert found.rows("W", 2)[0]["acceptance"] is None  # nothing is proposed
    assert not any("stuck" in line for line in lines)


class Sick(MCMC):
    """The chain of seed 0 starts where nothing is finite."""

    def start(self, key, model):
        first = jnp.array_equal(key, jr.split(jr.fold_in(jr.key(0), 0))[0])
        return jnp.where(first, jnp.nan, super().start(key, model))


def test_one_sick_chain_among_healthy_ones_is_named():
    found = judged(Judge("hmc", "textbook", Sick(HMC(0.25, 1), 12, 4)))
    assert found.healthy.tolist() == [False, True, True]
    assert any("the chain of seed [0] diverged" in line for line in found.warnings("W"))
    assert not np.isnan(found.acceptance).any()


def test_chains_that_have_not_met_are_named_and_so_is_the_published_protocol_s_part_in_it():
    chain = MCMC(HMC(1e-4, 1), 12, 4, RawUnits(2.0))
    found = judged(Judge("hmc", "textbook", chain))
    assert found.rhat > 1.5
    (line,) = found.warnings("rKL")
    assert line.endswith(f"R-hat is {found.rhat:.2f}, so the chains have not met; run them longer.")
    (line,) = dataclasses.replace(found, judge=Judge("hmc", "paper", chain)).warnings("rKL")
    assert f"published protocol have not met: R-hat is {found.rhat:.2f}. That is the" in line


def test_hmc_refuses_to_judge_through_an_augmentation():
    with pytest.raises(
        UserError, match=r"judge hmc has the view Augmenting, other points.*Whole\(\), or use SGHMC"
    ):
        Judge("hmc", "textbook", HEALTHY, view=Augmenting(Unchanged()))
    published = MCMC(PublishedHMC(), 12, 4)
    with pytest.raises(UserError, match="accept test of PublishedHMC needs the same"):
        Judge("hmc", "paper", published, view=Batching(2))


def test_a_judge_keeps_the_draws_that_r_hat_needs():
    with pytest.raises(UserError, match=r"judge hmc keeps 3 draws.*R-hat needs 4"):
        Judge("hmc", "textbook", MCMC(HMC(), 12, 9))


def test_the_view_is_what_the_chain_sees():
    class Seen(Known):
        def run(self, key, model, source, start):
            assert isinstance(source, Augmented)
            return super().run(key, model, source, start)

    chain = Seen(SGHMC(), 12, 4, draws=KNOWN.draws, accepted=KNOWN.accepted)
    judge = Judge("seen", "textbook", chain, view=Augmenting(Unchanged()))
    assert np.isfinite(judged(judge, seeds=range(1)).scores["nll"]).all()
