"""A Markov kernel leaves its target invariant: step(key, target, state) -> (state, info)."""

import abc
from typing import Any, ClassVar

import equinox as eqx
import jax.numpy as jnp

from pseudocore.model import LogDensity, Target
from pseudocore.types import PRNGKey, Scalar, Theta


class State(eqx.Module):
    """Where a chain is. Kernels add what their next step needs."""

    z: eqx.AbstractVar[Theta]


class Info(eqx.Module):
    """What a person wants to know of one step."""

    accepted: (
        Scalar  # probability with which the proposal is accepted; nan where nothing is proposed
    )
    energy: Scalar  # minus the log-density after the step

    @property
    def healthy(self):
        return jnp.isfinite(self.energy)


class Kernel(eqx.Module):
    """A Markov chain's transition."""

    fixed_only: ClassVar[bool] = False  # whether its target must stand still, as for an accept test

    @abc.abstractmethod
    def init(self, key: PRNGKey, target: LogDensity | Target, z: Theta) -> Any:
        """The state of a chain that starts at z."""

    @abc.abstractmethod
    def step(self, key: PRNGKey, target: LogDensity | Target, state: Any) -> tuple[Any, Info]:
        """One transition."""


def fixed(target: LogDensity | Target) -> LogDensity:
    """The target, if it stands still: a density that is cached must not move between steps."""
    if not isinstance(target, LogDensity):
        raise TypeError(
            "A kernel with an accept test compares densities at two points and so needs a fixed "
            "one, not a target that is drawn anew (augmentation, minibatches): give it Data, or "
            "use SGHMC."
        )
    return target
