"""A divergence is a scalar loss whose gradient in u estimates that of D(π_u, π_x)."""

import abc
from typing import ClassVar

import equinox as eqx

from pseudocore.data import Source
from pseudocore.model import Joint
from pseudocore.posterior import Posterior
from pseudocore.types import PRNGKey, Scalar, Theta


class Match(eqx.Module):
    """Two measures and their posteriors, side by side."""

    model: Joint
    u: Source
    x: Source
    q_u: Posterior
    q_x: Posterior
    start: Theta  # where both inferences began


class Divergence(eqx.Module):
    """(key, Match) -> Scalar. Which path carries the gradient is visible as `detach`."""

    name: ClassVar[str]  # what tables call the method

    @abc.abstractmethod
    def __call__(self, key: PRNGKey, match: Match) -> Scalar:
        """The loss."""
