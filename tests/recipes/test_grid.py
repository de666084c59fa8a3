"""The held-out choice of the digits recipes: every method has a grid, a wrong word an error."""

import dataclasses

import pytest
from benchmarks.choose_digits import GRID, main

from pseudocore.errors import UserError
from pseudocore.recipes import preset
from pseudocore.recipes.digits import METHODS


def test_every_method_has_a_grid():
    assert set(GRID) == set(METHODS)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("digit", "fkl"), "no family 'digit'. Did you mean 'digits'"),
        (("digits", "fkll"), "no method with a grid 'fkll'. Did you mean 'fkl'"),
    ],
)
def test_a_wrong_word_is_named_before_any_work(words, said):
    with pytest.raises(UserError, match=said):
        main(*words)


def test_a_recipe_refuses_two_judges_of_one_name():
    recipe = preset("digits/ipc1-fkl")
    hmc = recipe.judges[0]
    with pytest.raises(UserError, match=r"2 textbook judges are called 'hmc'.*--judges\.N\.name"):
        dataclasses.replace(recipe, judges=(*recipe.judges, hmc))
    as_published = dataclasses.replace(hmc, protocol="paper")
    both = dataclasses.replace(recipe, judges=(*recipe.judges, as_published))
    assert len(both.judges) == len(recipe.judges) + 1
