"""A posterior that is not Gaussian: softmax regression on a few points, nine parameters."""

import jax.numpy as jnp
import numpy as np
import pytest

from pseudocore.data import labelled
from pseudocore.model import LogDensity, Model
from pseudocore.networks import Linear
from pseudocore.prior import Isotropic


@pytest.fixture(scope="session")
def target() -> LogDensity:
    rng = np.random.default_rng(0)
    x = jnp.asarray(rng.standard_normal((20, 2)), jnp.float32)
    data = labelled(x, jnp.asarray(rng.integers(0, 3, 20)), 3, mass=20.0)
    model = Model.of(Linear(), data, Isotropic(2.0))
    return LogDensity(model, data, jnp.ones(model.layout.size))


@pytest.fixture(scope="session")
def flat(target: LogDensity) -> LogDensity:
    """θ = 0 · z: no force anywhere, so a particle goes where its momentum takes it."""
    return LogDensity(target.model, target.data, 0 * target.unit)


@pytest.fixture(scope="session")
def steep(target: LogDensity) -> LogDensity:
    """θ = 1e20 z: every step away from 0 leads where nothing is finite."""
    return LogDensity(target.model, target.data, 1e20 * target.unit)
