"""Where Proposition 1 is looked at: networks, places, and the ladders of its two small numbers."""

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
from jaxtyping import Array, Float

from pseudocore.checks import at_least, positive
from pseudocore.data import Data
from pseudocore.divergences import L2, Divergence, InnerProduct, LayerCosine, ReverseKL
from pseudocore.errors import UserError
from pseudocore.infer import Unroll
from pseudocore.model import Model
from pseudocore.networks import ConvNet, Linear, Network
from pseudocore.networks.base import flatten
from pseudocore.networks.convnet import halve
from pseudocore.networks.convolution import convolve
from pseudocore.posterior import Gaussian
from pseudocore.proposition import covariance, descent, direct, path, steps
from pseudocore.types import Points, PRNGKey, Theta

MATCHINGS: tuple[Divergence, ...] = (L2(), InnerProduct(), LayerCosine())


class Smooth(ConvNet):
    """A ConvNet with softplus for ReLU: no kinks."""

    def features(self, params, x: Points) -> Float[Array, "n d"]:
        for block in params["blocks"]:
            maps = convolve(x, block["weight"]) + block["bias"]
            x = halve(jax.nn.softplus(self.norm(block["norm"], maps)))
        return flatten(x)


NETWORKS: dict[str, Network] = {
    "logistic": Linear(),
    "ReLU": ConvNet(2, 3),
    "softplus": Smooth(2, 3),
}


class Claim(eqx.Module):
    """Widths σ of q_u, inner rates η, spreads of the Gaussian world's noise, and the places."""

    sigmas: tuple[float, ...] = eqx.field(static=True, default=(0.1, 0.01, 1e-3, 1e-5, 1e-8))
    etas: tuple[float, ...] = eqx.field(static=True, default=(1.0, 0.1, 0.01, 1e-3, 1e-7))
    spreads: tuple[float, ...] = eqx.field(static=True, default=(1.0, 3.0, 10.0, 30.0, 100.0))
    draws: int = eqx.field(static=True, default=10)  # as few as BPC-rKL takes
    real: int = eqx.field(static=True, default=3)  # real images a class
    rate: float = eqx.field(static=True, default=0.2)
    steps_x: int = eqx.field(static=True, default=200)
    steps_u: int = eqx.field(static=True, default=1000)

    def __check_init__(self):
        for name in ("sigmas", "etas", "spreads"):
            given = getattr(self, name)
            if not given or not min(given) > 0:
                raise UserError(f"{name}={given} must be one or more numbers above 0.")
        at_least(self, 1, "real")
        at_least(self, 2, "draws")
        positive(self, "rate")
        at_least(self, 0, "steps_x", "steps_u")


def places(claim: Claim, model: Model, u: Data, x: Data, start: Theta) -> dict[str, Theta]:
    """Where a student stands: at the start, after some steps on x, after many on u."""
    return {
        "start": start,
        "trained on x": descend(Unroll(claim.steps_x, claim.rate), model, x, start),
        "trained on u": descend(Unroll(claim.steps_u, claim.rate), model, u, start),
    }


@eqx.filter_jit
def descend(infer: Unroll, model: Model, data: Data, start: Theta) -> Theta:
    return infer(jr.key(0), model, data, start).mean()


@eqx.filter_jit
def noises(model: Model, key: PRNGKey) -> Float[Array, "2 p p"]:
    """The steps of two estimates of a covariance that know nothing of each other."""
    return jax.lax.map(lambda k: steps(k, model.layout.size), jr.split(key))


@eqx.filter_jit
def estimates(
    claim: Claim,
    model: Model,
    u: Data,
    x: Data,
    theta: Theta,
    noise: Float[Array, "2 p p"],
    key: PRNGKey,
):
    """By route: scales, what they multiply gradients with, one or two estimates; the directions."""
    key_few, key_none = jr.split(key)
    sigmas, etas = jnp.array(claim.sigmas), jnp.array(claim.etas)

    def whole(sigma):
        return jax.lax.map(lambda n: covariance(model, u, x, theta, sigma * n), noise)

    def few(sigma):
        rkl, q_u = ReverseKL(claim.draws), Gaussian(theta, sigma)
        return descent(rkl, key_few, model, u, x, q_u)[None]

    def moved(eta):
        return [route(model, u, x, theta, eta)[None] for route in (path, direct)]

    paths, directs = jax.lax.map(moved, etas)
    found = {
        "covariance": (sigmas, sigmas**2, jax.lax.map(whole, sigmas)),
        "few draws": (sigmas, sigmas**2, jax.lax.map(few, sigmas)),
        "path": (etas, etas, paths),
        "direct": (etas, etas, directs),
    }
    point = Gaussian(theta, jnp.zeros(()))
    return found, {d.name: descent(d, key_none, model, u, x, point) for d in MATCHINGS}
