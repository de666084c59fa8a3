"""A small world of three classes, in which features and pixels have nothing in common."""

import jax.numpy as jnp
import numpy as np
import pytest

from pseudocore.data import Data, labelled

SIZES = (9, 6, 8)


@pytest.fixture(scope="session")
def data() -> Data:
    """23 images of 2 x 3 pixels, classes mixed, of mass 23."""
    rng = np.random.default_rng(0)
    labels = rng.permutation(np.repeat(np.arange(3), SIZES))
    x = jnp.asarray(rng.standard_normal((len(labels), 2, 3, 1)), jnp.float32)
    return labelled(x, jnp.asarray(labels), 3, mass=23.0)


@pytest.fixture(scope="session")
def features(data):
    rng = np.random.default_rng(1)
    return jnp.asarray(5 + rng.standard_normal((len(data), 4)), jnp.float32)


@pytest.fixture(scope="session")
def classes(data):
    """The indices of the points of each class."""
    return [np.flatnonzero(np.asarray(data.y[:, c])) for c in range(3)]


@pytest.fixture(scope="session")
def found(data):
    """Which point of the data each chosen one is."""

    def index(chosen: Data) -> np.ndarray:
        same = (chosen.x[:, None] == data.x[None]).all(axis=(2, 3, 4))
        assert (same.sum(axis=1) == 1).all(), "a chosen point is not in the data"
        return np.asarray(same.argmax(axis=1))

    return index
