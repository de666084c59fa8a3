"""How much the weights of a coreset add up to, and that a result says so."""

import jax.numpy as jnp
import numpy as np
import pytest

from pseudocore.data import Data, labelled
from pseudocore.mass import FullMass, Tempered, UnitWeights


@pytest.mark.parametrize(
    ("mass", "name", "each"),
    [
        (FullMass(), "N/M", 1000 / 8),
        (UnitWeights(), "1", 1.0),
        (Tempered(), "20 (tempered)", 20.0),
        (Tempered(2.5), "2.5 (tempered)", 2.5),
    ],
    ids=repr,
)
def test_every_point_has_the_weight_that_the_name_says(mass, name, each):
    data = labelled(jnp.zeros((8, 3)), jnp.arange(8) % 2, 2).with_mass(mass.of(8, 1000))
    assert mass.name == name
    np.testing.assert_allclose(data.w, each, rtol=1e-6)


def test_learned_weights_keep_their_proportions():
    data = Data(jnp.zeros((3, 1)), jnp.ones((3, 1)), jnp.array([1.0, 2.0, 5.0]))
    np.testing.assert_allclose(data.with_mass(FullMass().of(3, 16)).w, [2, 4, 10], rtol=1e-6)
    np.testing.assert_allclose(data.with_mass(UnitWeights().of(3, 16)).w, [0.375, 0.75, 1.875])


def test_all_data_have_unit_weights_whichever_way_they_are_counted():
    """The coreset that is the data itself: N/M is 1."""
    assert FullMass().of(50, 50) == UnitWeights().of(50, 50) == Tempered(1.0).of(50, 50)
