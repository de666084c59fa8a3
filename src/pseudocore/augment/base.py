"""An augmentation is a pure function (key, images) -> images of the same shape."""

import abc

import equinox as eqx

from pseudocore.types import Points, PRNGKey


class Augment(eqx.Module):
    """A random, differentiable change of a batch of points."""

    @abc.abstractmethod
    def __call__(self, key: PRNGKey, x: Points) -> Points:
        """The batch, changed."""


class Unchanged(Augment):
    """x -> x."""

    def __call__(self, key: PRNGKey, x: Points) -> Points:
        return x
