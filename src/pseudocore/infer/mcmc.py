"""A Markov chain on the posterior: one draw an iteration after burn-in."""

import abc

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr

from pseudocore.checks import at_least
from pseudocore.data import Data, Source
from pseudocore.infer.base import Infer
from pseudocore.kernels.base import Info, Kernel
from pseudocore.model import Joint, LogDensity, Target
from pseudocore.posterior import Empirical
from pseudocore.types import PRNGKey, Theta


class Units(eqx.Module):
    """The lengths in which a chain measures parameters: θ = unit · z."""

    start: eqx.AbstractVar[float]

    @abc.abstractmethod
    def of(self, model: Joint) -> Theta:
        """One length for every parameter."""


class PriorUnits(Units):
    """The prior's deviations: z has prior N(0, I), and a chain starts at N(0, start²).

    Full draws of the prior (start = 1) lie so far out that some chains never take a step.
    """

    start: float = eqx.field(static=True, default=0.3)

    def of(self, model: Joint) -> Theta:
        return model.scale()


class RawUnits(Units):
    """θ itself, started at N(0, start²) in every coordinate."""

    start: float = eqx.field(static=True, default=0.1)

    def of(self, model: Joint) -> Theta:
        return jnp.ones_like(model.scale())


class MCMC(Infer):
    """`iterations` steps of a kernel, of which the first `burn` are thrown away."""

    kernel: Kernel
    iterations: int = eqx.field(static=True, default=100)
    burn: int = eqx.field(static=True, default=50)
    units: Units = PriorUnits()

    def __check_init__(self):
        at_least(self, 0, "burn", of="chain")

    def __call__(self, key: PRNGKey, model: Joint, source: Source, start: Theta) -> Empirical:
        return self.run(key, model, source, start)[0]

    def start(self, key: PRNGKey, model: Joint) -> Theta:
        unit = self.units.of(model)
        return unit * self.units.start * jr.normal(key, unit.shape)

    def run(
        self, key: PRNGKey, model: Joint, source: Source, start: Theta
    ) -> tuple[Empirical, Info]:
        """The draws after burn-in, and what every one of the iterations has to tell."""
        unit = self.units.of(model)
        known = isinstance(source, Data)
        target = LogDensity(model, source, unit) if known else Target(model, source, unit)
        key_init, key_burn, key_keep = jr.split(key, 3)

        def burn(state, key_step):
            return self.kernel.step(key_step, target, state)

        def keep(state, key_step):
            state, info = self.kernel.step(key_step, target, state)
            return state, (unit * state.z, info)

        state = self.kernel.init(key_init, target, start / unit)
        state, early = jax.lax.scan(burn, state, jr.split(key_burn, self.burn))
        kept = jr.split(key_keep, self.iterations - self.burn)
        _, (draws, late) = jax.lax.scan(keep, state, kept)
        infos = jax.tree.map(lambda a, b: jnp.concatenate([a, b]), early, late)
        return Empirical(draws), infos
