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
    """No force anywhere: a particle goes where its momentum takes it, which shows the momentum."""
    model = target.model.with_prior(Isotropic(1e12))
    return LogDensity(model, target.data.with_mass(0.0), target.unit)
