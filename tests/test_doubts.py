"""What is wrong with chains is said once for all coresets of a method, and once for the paper's."""

import math

import pytest

from pseudocore.doubts import doubts


def record(method="random", judge="hmc", protocol="textbook", rhat=1.0, accepted=0.8, diverged=()):
    row = {"method": method, "judge": judge, "protocol": protocol, "weights": "N/M"}
    rows = [row | {"seed": seed, "rhat": rhat, "acceptance": accepted} for seed in (0, 1)]
    return {"rows": rows, "diverged": list(diverged)}


def test_nothing_is_wrong_with_chains_that_met():
    assert doubts([record(), record(rhat=1.1), record(rhat=math.nan), record(rhat=None)]) == []
    assert doubts([record(accepted=None), record(accepted=0.1)]) == []


def test_several_coresets_of_a_method_share_a_sentence():
    many = [record(rhat=rhat) for rhat in (1.12, 1.24, 1.0, 1.2, 1.11)]
    (said,) = doubts([*many, record("fKL"), record("W", rhat=1.05)])
    assert said == (
        "random under textbook hmc: R-hat is up to 1.24 in 4 of 5 subsets, so the chains have not "
        "met; run them longer."
    )
    (said,) = doubts([record("fKL", rhat=1.3), record("fKL")])
    assert "fKL under textbook hmc: R-hat is 1.30 in 1 of 2 coresets, so" in said


def test_each_judge_and_each_fault_has_its_own():
    ill = record(rhat=9.5, accepted=0.02, diverged=(1,))
    said = doubts([ill, record(judge="sghmc", rhat=1.2), record()])
    assert [line.split(": ")[0] for line in said] == ["random under textbook hmc"] * 3 + [
        "random under textbook sghmc"
    ]
    sick, stuck, apart, _ = said
    assert "the chain of seed [1] diverged in 1 of 2 subsets; use a smaller step." in sick
    assert "a chain is stuck (accepts 2% of its proposals) in 1 of 2 subsets; use a" in stuck
    assert "R-hat is 9.50 in 1 of 2 subsets" in apart


def test_one_judgement_has_no_share():
    (said,) = doubts([record("W", rhat=1.5)])
    assert said == (
        "W under textbook hmc: R-hat is 1.50, so the chains have not met; run them longer."
    )


@pytest.mark.parametrize(("count", "told"), [(1, "2.20. That"), (3, "up to 2.20 in 3 of 4 judge")])
def test_the_published_chains_share_one_sentence(count, told):
    records = [record(str(i), protocol="paper", rhat=2.2 - i / 10) for i in range(count)]
    records += [record("met", protocol="paper")] if count > 1 else []
    (said,) = doubts(records)
    assert "published protocol" in said
    assert told in said
    assert "README" in said
    (first, _) = doubts([*records, record("ill", protocol="paper", diverged=(0,))])
    assert first.startswith("ill under paper hmc: the chain of seed [0] diverged; use")
