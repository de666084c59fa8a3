"""scripts/mutants fits the code it breaks, and says so when a fault lives."""

import importlib.machinery
import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "mutants"


@pytest.fixture(scope="module")
def mutants():
    loader = importlib.machinery.SourceFileLoader("mutants", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutants", loader))
    sys.modules["mutants"] = module  # where dataclasses look up their annotations
    loader.exec_module(module)
    yield module
    del sys.modules["mutants"]


def test_every_fault_has_one_place_and_tests_that_exist(mutants):
    for mutant in mutants.MUTANTS:
        text = (mutants.ROOT / "src" / "pseudocore" / mutant.file).read_text()
        assert text.count(mutant.old) == 1, mutant.fault
        assert mutant.new != mutant.old
        compile(text.replace(mutant.old, mutant.new), mutant.file, "exec")
        for file in mutant.tests:
            assert (mutants.ROOT / file).is_file(), mutant.fault
    assert len({mutant.fault for mutant in mutants.MUTANTS}) == len(mutants.MUTANTS)


def test_a_fault_that_lives_and_one_that_does_not(mutants, capsys):
    tests = ("tests/test_mass.py",)
    old = 'return "N/M"'
    same = mutants.Mutant("nothing changes", "mass.py", old, f"{old}  # as before", tests)
    broken = mutants.Mutant("another name", "mass.py", old, 'return "M/N"', tests)
    assert mutants.main([], (same, broken)) == 1
    told = capsys.readouterr().out
    assert "nothing changes: LIVES" in told
    assert "another name: caught by tests/test_mass.py::test_" in told
    assert told.endswith("caught 1 of 2\n")
