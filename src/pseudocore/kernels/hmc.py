"""Hamiltonian Monte Carlo: r ~ N(0, I), leapfrog, accept with min(1, exp(H(z, r) - H(z', r')))."""

from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr

from pseudocore.checks import at_least, positive, within
from pseudocore.kernels.base import Info, Kernel, fixed
from pseudocore.kernels.metropolis import Point, choose
from pseudocore.model import LogDensity, Target
from pseudocore.types import PRNGKey, Scalar, Theta


class HMC(Kernel):
    """Exact HMC with unit mass. The step is jittered, so that no orbit closes on itself."""

    fixed_only: ClassVar[bool] = True
    step_size: float = eqx.field(static=True, default=0.05)
    leapfrogs: int = eqx.field(static=True, default=20)
    jitter: float = eqx.field(static=True, default=0.2)

    def __check_init__(self):
        positive(self, "step_size")
        at_least(self, 1, "leapfrogs")
        within(self, "jitter", 0.0, 1.0)

    def init(self, key: PRNGKey, target: LogDensity | Target, z: Theta) -> Point:
        return Point.at(fixed(target), z)

    def step(self, key: PRNGKey, target: LogDensity | Target, state: Point) -> tuple[Point, Info]:
        key_momentum, key_jitter, key_accept = jr.split(key, 3)
        momentum = jr.normal(key_momentum, state.z.shape, state.z.dtype)
        stretch = jr.uniform(key_jitter, minval=1 - self.jitter, maxval=1 + self.jitter)
        proposal, end = leapfrog(
            fixed(target), state, momentum, self.step_size * stretch, self.leapfrogs
        )
        log_ratio = (proposal.value - kinetic(end)) - (state.value - kinetic(momentum))
        return choose(key_accept, log_ratio, proposal, state)


class PublishedHMC(Kernel):
    """The paper's HMC as its authors ran it: not a valid sampler, kept to compare with its tables.

    r ~ N(0, σ_r²) while dynamics and kinetic energy assume unit mass, and the accept test adds
    K(r') - K(r) where it should subtract it, so that practically every proposal is accepted.
    """

    fixed_only: ClassVar[bool] = True
    step_size: float = eqx.field(static=True, default=0.01)
    leapfrogs: int = eqx.field(static=True, default=5)
    momentum: float = eqx.field(static=True, default=0.1)

    def __check_init__(self):
        positive(self, "step_size", "momentum")
        at_least(self, 1, "leapfrogs")

    def init(self, key: PRNGKey, target: LogDensity | Target, z: Theta) -> Point:
        return Point.at(fixed(target), z)

    def step(self, key: PRNGKey, target: LogDensity | Target, state: Point) -> tuple[Point, Info]:
        key_momentum, key_accept = jr.split(key)
        momentum = self.momentum * jr.normal(key_momentum, state.z.shape, state.z.dtype)
        proposal, end = leapfrog(fixed(target), state, momentum, self.step_size, self.leapfrogs)
        log_ratio = (proposal.value + kinetic(end)) - (state.value + kinetic(momentum))
        return choose(key_accept, log_ratio, proposal, state)


def leapfrog(
    target: LogDensity, state: Point, momentum: Theta, step_size: float | Scalar, steps: int
) -> tuple[Point, Theta]:
    """Half a kick, then `steps` drifts with kicks between them, and half a kick."""

    def kick_drift_kick(carry, _):
        state, momentum = carry
        momentum = momentum + 0.5 * step_size * state.gradient
        state = Point.at(target, state.z + step_size * momentum)
        return (state, momentum + 0.5 * step_size * state.gradient), None

    end, _ = jax.lax.scan(kick_drift_kick, (state, momentum), length=steps)
    return end


def kinetic(momentum: Theta) -> Scalar:
    return 0.5 * jnp.sum(momentum**2)
