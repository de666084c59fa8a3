"""The rates in docs/conventions.md: how gradients grow when both measures carry mass N."""

import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from tests.worlds.gaussian import location

from pseudocore.data import Data
from pseudocore.divergences import ForwardKL, Match, ReverseKL, Wasserstein
from pseudocore.infer import Unroll
from pseudocore.posterior import Gaussian

N, M = 100, 5


def measure(key, n: int, mass: float) -> Data:
    return Data(jr.normal(key, (n, 3)), jnp.ones((n, 1)), jnp.full(n, mass / n))


@pytest.mark.parametrize(
    ("divergence", "grows"),
    [(ForwardKL(4), N), (ReverseKL(4), N**2), (Wasserstein(), 1)],
    ids=["fKL", "rKL", "W"],
)
def test_a_step_at_mass_n_is_that_at_mass_one_at_the_rates_of_the_table(divergence, grows):
    """The student is the same at η/N, and the gradient in u as many times larger."""
    with jax.enable_x64(True):
        model, start = location(), jnp.ones(3)
        key_u, key_x = jr.split(jr.key(0))

        def gradient(mass: float):
            u, x = measure(key_u, M, mass), measure(key_x, N, mass)

            def loss(points):
                moved = Data(points, u.y, u.w)
                infer = Unroll(steps=3, rate=0.1 / mass)
                q_u = infer(jr.key(1), model, moved, start)
                q_x = Gaussian(jnp.zeros(3), q_u.scale)
                return divergence(jr.key(2), Match(model, moved, x, q_u, q_x, start))

            return jax.grad(loss)(u.x)

        one = gradient(1.0)
        assert jnp.abs(one).max() > 1e-6
        np.testing.assert_allclose(gradient(float(N)), grows * one, rtol=1e-8)
