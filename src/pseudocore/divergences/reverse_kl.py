"""KL(π_u || π_x), Algorithm BPC-rKL."""

from typing import ClassVar

import equinox as eqx
import jax
import jax.random as jr

from pseudocore.checks import at_least
from pseudocore.data import Source
from pseudocore.divergences.base import Divergence, Match
from pseudocore.expectation import streamed_mean
from pseudocore.posterior import detach
from pseudocore.types import PRNGKey, Scalar


class ReverseKL(Divergence):
    """KL(π_u || π_x). Its gradient in u is -Cov_{q_u}[∂l_u/∂u, l_x - l_u], by S draws.

    The covariance has 1/S as in the paper, so its expectation is (S-1)/S of the gradient.
    """

    name: ClassVar[str] = "rKL"
    draws: int = eqx.field(static=True, default=10)

    def __check_init__(self):
        at_least(self, 2, "draws", of="divergence")  # one draw has no covariance

    def __call__(self, key: PRNGKey, match: Match) -> Scalar:
        key_x, key_draws = jr.split(key)
        keys = jr.split(key_draws, self.draws)
        # The paper augments the inner steps only, so the covariance sees u as it is.
        u, x = match.u.plain, match.x.draw(key_x)
        constants = model, q_u = detach((match.model, match.q_u))

        def gap(key: PRNGKey) -> Scalar:
            theta = q_u.sample(key)
            return model.loglik(theta, x) - model.loglik(theta, detach(u))

        gaps = jax.lax.map(gap, keys)
        draws = jr.clone(keys), gaps - gaps.mean()  # the gaps belong to the same θ
        return -streamed_mean(u, weighted_loglik, draws, constants)


def weighted_loglik(u: Source, draw, constants) -> Scalar:
    model, q_u = constants
    key, weight = draw
    return weight * model.loglik(q_u.sample(key), u.plain)
