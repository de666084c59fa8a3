"""Weighted labelled points, and the sources that draw them at random.

Whatever feeds a log-density is a `Source`. `Data` draws itself; `Augmented` and `Minibatches` draw
something new for every key. A sampler that needs a fixed target (HMC) takes `Data` only, and so can
never see a moving one.
"""

import abc

import equinox as eqx
import jax.numpy as jnp
import jax.random as jr
from jaxtyping import Array, Float

from pseudocore.augment.base import Augment
from pseudocore.checks import at_least
from pseudocore.types import Labels, Points, PRNGKey, Scalar


class Source(eqx.Module):
    """A random weighted measure on labelled points."""

    @abc.abstractmethod
    def draw(self, key: PRNGKey) -> "Data":
        """One realisation of the measure."""

    @property
    @abc.abstractmethod
    def plain(self) -> "Data":
        """The points themselves, with nothing random about them."""


class Data(Source):
    """Σ_i w_i δ(x_i, y_i): points, target probabilities, and how much each point counts."""

    x: Points
    y: Float[Array, "n classes"]
    w: Float[Array, " n"]

    def draw(self, key: PRNGKey) -> "Data":
        return self

    @property
    def plain(self) -> "Data":
        return self

    @property
    def mass(self) -> Scalar:
        return self.w.sum()

    def with_mass(self, mass: float | Scalar) -> "Data":
        """The same measure, scaled so that the weights sum to `mass`."""
        return Data(self.x, self.y, self.w * (mass / self.mass))

    def __len__(self) -> int:
        return self.x.shape[0]


def labelled(x: Points, labels: Labels, classes: int, mass: float = 1.0) -> Data:
    """Data with hard labels, every point of equal weight, `mass` in all."""
    n = x.shape[0]
    return Data(
        x, jnp.eye(classes, dtype=x.dtype)[labels], jnp.full((n,), mass / max(n, 1), x.dtype)
    )


class Augmented(Source):
    """Every draw sees the same points through a fresh augmentation."""

    data: Data
    augment: Augment

    def draw(self, key: PRNGKey) -> Data:
        return Data(self.augment(key, self.data.x), self.data.y, self.data.w)

    @property
    def plain(self) -> Data:
        return self.data


class Minibatches(Source):
    """Every draw is `size` points, without repeats, whose weights stand for the whole (N/B)."""

    data: Data
    size: int = eqx.field(static=True)

    def draw(self, key: PRNGKey) -> Data:
        n = len(self.data)
        size = min(self.size, n)
        index = jr.choice(key, n, (size,), replace=False)
        batch = Data(self.data.x[index], self.data.y[index], self.data.w[index])
        return Data(batch.x, batch.y, batch.w * (n / size))

    @property
    def plain(self) -> Data:
        return self.data


class View(eqx.Module):
    """How a chain sees the points: all of them, augmented, or in batches."""

    @abc.abstractmethod
    def __call__(self, data: Data) -> Source:
        """What feeds the log-density."""


class Whole(View):
    """All points at every step: a fixed density, as HMC needs it."""

    def __call__(self, data: Data) -> Source:
        return data


class Augmenting(View):
    """All points, augmented anew at every inner step: A-SGHMC."""

    augment: Augment

    def __call__(self, data: Data) -> Source:
        return Augmented(data, self.augment)


class Batching(View):
    """A minibatch at every inner step, weighted to stand for all: SGHMC on whole datasets."""

    size: int = eqx.field(static=True, default=256)

    def __check_init__(self):
        at_least(self, 1, "size", of="view")

    def __call__(self, data: Data) -> Source:
        return Minibatches(data, self.size)
