"""A model turns data into a log-density: network, categorical likelihood and prior."""

import abc

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
from jaxtyping import Array, Float

from pseudocore.data import Data, Source
from pseudocore.networks.base import Network
from pseudocore.prior import Isotropic, Prior
from pseudocore.tree import Layout
from pseudocore.types import Logits, Points, PRNGKey, Scalar, Shape, Theta


class Joint(eqx.Module):
    """p(data | θ) π_0(θ): all that divergences, inferences and samplers ask of a model."""

    @abc.abstractmethod
    def loglik(self, theta: Theta, data: Data) -> Scalar:
        """Σ_i w_i log p(x_i, y_i | θ), up to a constant. The weights carry every scale."""

    @abc.abstractmethod
    def logprior(self, theta: Theta) -> Scalar:
        """log π_0(θ), up to a constant."""

    @abc.abstractmethod
    def scale(self) -> Theta:
        """The natural length of every parameter: what a sampler uses as its unit."""


class Model(Joint):
    """p(y | x, θ) = softmax of a network's logits, with a prior on θ, one flat vector."""

    network: Network
    prior: Prior
    layout: Layout
    shape: Shape = eqx.field(static=True)
    classes: int = eqx.field(static=True)

    @classmethod
    def of(cls, network: Network, data: Data, prior: Prior = Isotropic()) -> "Model":  # noqa: B008
        """The model of this network on points and classes like those of `data`."""
        return cls.shaped(network, data.x.shape[1:], data.y.shape[1], prior)

    @classmethod
    def shaped(
        cls,
        network: Network,
        shape: Shape,
        classes: int,
        prior: Prior = Isotropic(),  # noqa: B008
    ) -> "Model":
        """The model of this network on points of a shape."""
        params = eqx.filter_eval_shape(network.init, jr.key(0), shape, classes)
        return cls(network, prior, Layout.of(params), shape, classes)

    def init(self, key: PRNGKey) -> Theta:
        """Fresh parameters, as the network draws them."""
        return self.layout.ravel(self.network.init(key, self.shape, self.classes))

    def logits(self, theta: Theta, x: Points) -> Logits:
        return self.network.apply(self.layout.unravel(theta), x)

    def features(self, theta: Theta, x: Points) -> Float[Array, "n d"]:
        return self.network.features(self.layout.unravel(theta), x)

    def loglik(self, theta: Theta, data: Data) -> Scalar:
        """Σ_i w_i Σ_c y_ic log p(c | x_i, θ). The weights carry every scale."""
        log_probs = jax.nn.log_softmax(self.logits(theta, data.x))
        return jnp.sum(data.w * jnp.sum(data.y * log_probs, axis=-1))

    def logprior(self, theta: Theta) -> Scalar:
        return self.prior.logpdf(theta, self.layout)

    def scale(self) -> Theta:
        return self.prior.scale(self.layout)

    def with_prior(self, prior: Prior) -> "Model":
        return Model(self.network, prior, self.layout, self.shape, self.classes)


class Target(eqx.Module):
    """The log-densities π(θ; D) of a random measure D: a new one for every key."""

    model: Joint
    source: Source
    unit: Theta

    def draw(self, key: PRNGKey) -> "LogDensity":
        return LogDensity(self.model, self.source.draw(key), self.unit)


class LogDensity(eqx.Module):
    """log π(θ; D) up to a constant, of θ = unit · z, as a function of z."""

    model: Joint
    data: Data
    unit: Theta

    def __call__(self, z: Theta) -> Scalar:
        theta = self.unit * z
        return self.model.loglik(theta, self.data) + self.model.logprior(theta)

    def draw(self, key: PRNGKey) -> "LogDensity":
        return self
