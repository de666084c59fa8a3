"""An inference turns data into a posterior."""

import abc

import equinox as eqx

from pseudocore.data import Source
from pseudocore.model import Joint
from pseudocore.posterior import Posterior
from pseudocore.types import PRNGKey, Theta


class Infer(eqx.Module):
    """(key, model, data, start) -> Posterior."""

    @abc.abstractmethod
    def __call__(self, key: PRNGKey, model: Joint, source: Source, start: Theta) -> Posterior:
        """The posterior given the source's points, found from `start`."""

    def feasible(self) -> "Infer":
        """The nearest inference that makes sense, after an optimiser changed its leaves."""
        return self
