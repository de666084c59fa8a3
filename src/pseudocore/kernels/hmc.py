"""Hamiltonian Monte Carlo: r ~ N(0, I), leapfrog, accept with min(1, exp(H(z, r) - H(z', r')))."""

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr

from pseudocore.kernels.base import Info, Kernel, State, fixed
from pseudocore.model import LogDensity, Target
from pseudocore.types import PRNGKey, Scalar, Theta


class HMCState(State):
    """A point, with its log-density and gradient."""

    z: Theta
    value: Scalar
    gradient: Theta

    @classmethod
    def at(cls, target: LogDensity, z: Theta) -> "HMCState":
        return cls(z, *jax.value_and_grad(target)(z))


class HMC(Kernel):
    """Exact HMC with unit mass. The step is jittered, so that no orbit closes on itself."""

    step_size: float = eqx.field(static=True, default=0.05)
    leapfrogs: int = eqx.field(static=True, default=20)
    jitter: float = eqx.field(static=True, default=0.2)

    def init(self, key: PRNGKey, target: LogDensity | Target, z: Theta) -> HMCState:
        return HMCState.at(fixed(target), z)

    def step(
        self, key: PRNGKey, target: LogDensity | Target, state: HMCState
    ) -> tuple[HMCState, Info]:
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

    step_size: float = eqx.field(static=True, default=0.01)
    leapfrogs: int = eqx.field(static=True, default=5)
    momentum: float = eqx.field(static=True, default=0.1)

    def init(self, key: PRNGKey, target: LogDensity | Target, z: Theta) -> HMCState:
        return HMCState.at(fixed(target), z)

    def step(
        self, key: PRNGKey, target: LogDensity | Target, state: HMCState
    ) -> tuple[HMCState, Info]:
        key_momentum, key_accept = jr.split(key)
        momentum = self.momentum * jr.normal(key_momentum, state.z.shape, state.z.dtype)
        proposal, end = leapfrog(fixed(target), state, momentum, self.step_size, self.leapfrogs)
        log_ratio = (proposal.value + kinetic(end)) - (state.value + kinetic(momentum))
        return choose(key_accept, log_ratio, proposal, state)


def leapfrog(
    target: LogDensity, state: HMCState, momentum: Theta, step_size: float | Scalar, steps: int
) -> tuple[HMCState, Theta]:
    """Half a kick, then `steps` drifts with kicks between them, and half a kick."""

    def kick_drift_kick(carry, _):
        state, momentum = carry
        momentum = momentum + 0.5 * step_size * state.gradient
        state = HMCState.at(target, state.z + step_size * momentum)
        return (state, momentum + 0.5 * step_size * state.gradient), None

    end, _ = jax.lax.scan(kick_drift_kick, (state, momentum), length=steps)
    return end


def kinetic(momentum: Theta) -> Scalar:
    return 0.5 * jnp.sum(momentum**2)


def choose(
    key: PRNGKey, log_ratio: Scalar, proposal: HMCState, state: HMCState
) -> tuple[HMCState, Info]:
    """The proposal with probability min(1, exp(log_ratio)), never one that diverged."""
    # A nan would pass every threshold it is held to, and make the mean acceptance of a chain nan.
    sound = jnp.isfinite(proposal.value) & ~jnp.isnan(log_ratio)
    log_ratio = jnp.where(sound, log_ratio, -jnp.inf)
    probability = jnp.exp(jnp.minimum(0.0, log_ratio))
    accept = jr.uniform(key) < probability
    chosen = jax.tree.map(lambda new, old: jnp.where(accept, new, old), proposal, state)
    return chosen, Info(probability, -chosen.value)
