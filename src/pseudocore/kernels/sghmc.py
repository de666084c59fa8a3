"""Stochastic-gradient HMC in the paper's form (Algorithm A-SGHMC)."""

import math

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr

from pseudocore.checks import at_least, positive, within
from pseudocore.kernels.base import Info, Kernel, State
from pseudocore.model import LogDensity, Target
from pseudocore.types import PRNGKey, Theta


class SGHMCState(State):
    """A point and its momentum, which is carried over from step to step."""

    z: Theta
    momentum: Theta


class SGHMC(Kernel):
    """z += ε r;  r = (1-α) r + ε ∇log π(z; D) + N(0, 2αT), with D drawn anew in each inner step.

    α is the friction times the step, so at T = 1 the noise balances the friction and the chain
    samples π up to the discretisation; T < 1 gives a colder posterior (the paper's T is 0.01).
    """

    step_size: float = eqx.field(static=True, default=0.01)
    leapfrogs: int = eqx.field(static=True, default=5)
    friction: float = eqx.field(static=True, default=0.1)
    temperature: float = eqx.field(static=True, default=1.0)
    momentum: float = eqx.field(static=True, default=1.0)

    def __check_init__(self):
        positive(self, "step_size")
        at_least(self, 1, "leapfrogs")
        within(self, "friction", 0.0, 1.0)
        within(self, "temperature", 0.0, math.inf)
        within(self, "momentum", 0.0, math.inf)

    def init(self, key: PRNGKey, target: LogDensity | Target, z: Theta) -> SGHMCState:
        return SGHMCState(z, self.momentum * jr.normal(key, z.shape, z.dtype))

    def step(
        self, key: PRNGKey, target: LogDensity | Target, state: SGHMCState
    ) -> tuple[SGHMCState, Info]:
        noise = (2 * self.friction * self.temperature) ** 0.5

        def inner(state: SGHMCState, key_inner: PRNGKey):
            key_data, key_noise = jr.split(key_inner)
            z = state.z + self.step_size * state.momentum
            value, uphill = jax.value_and_grad(target.draw(key_data))(z)
            kicked = (1 - self.friction) * state.momentum + self.step_size * uphill
            kicked = kicked + noise * jr.normal(key_noise, z.shape, z.dtype)
            return SGHMCState(z, kicked), value

        state, values = jax.lax.scan(inner, state, jr.split(key, self.leapfrogs))
        return state, Info(jnp.full((), jnp.nan), -values[-1])
