"""Models whose posterior is known, and the inference that knows it."""

import abc

from pseudocore.data import Data, Source
from pseudocore.infer.base import Infer
from pseudocore.model import Joint
from pseudocore.posterior import Correlated
from pseudocore.types import PRNGKey, Theta


class Conjugate(Joint):
    """Likelihood and prior are Gaussian, and so is the posterior of any weighted data."""

    @abc.abstractmethod
    def posterior(self, data: Data) -> Correlated:
        """π(θ; data)."""


class Exact(Infer):
    """q_u = π_u. Its gradient in u flows through the formula."""

    def __call__(self, key: PRNGKey, model: Joint, source: Source, start: Theta) -> Correlated:
        if not isinstance(model, Conjugate):
            raise TypeError(
                f"{type(model).__name__} has no closed posterior: use Unroll or MCMC, or give a "
                "Conjugate model."
            )
        return model.posterior(source.draw(key))
