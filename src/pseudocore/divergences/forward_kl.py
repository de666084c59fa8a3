"""KL(π_x || π_u), Algorithm BPC-fKL."""

from typing import ClassVar

import equinox as eqx
import jax.random as jr

from pseudocore.checks import at_least
from pseudocore.data import Source
from pseudocore.divergences.base import Divergence, Match
from pseudocore.expectation import streamed_mean
from pseudocore.posterior import detach
from pseudocore.types import PRNGKey, Scalar


class ForwardKL(Divergence):
    """KL(π_x || π_u). Its gradient in u is E_{q_u}[∂l_u/∂u] - E_{q_x}[∂l_u/∂u]."""

    name: ClassVar[str] = "fKL"
    draws: int = eqx.field(static=True, default=30)

    def __check_init__(self):
        at_least(self, 1, "draws", of="divergence")

    def __call__(self, key: PRNGKey, match: Match) -> Scalar:
        constants = detach((match.model, match.q_u, match.q_x))
        return streamed_mean(match.u, contrast, jr.split(key, self.draws), constants)


def contrast(u: Source, key: PRNGKey, constants) -> Scalar:
    """l_u(student) - l_u(expert) under one augmentation of u, shared by the two."""
    model, q_u, q_x = constants
    key_augment, key_u, key_x = jr.split(key, 3)
    seen = u.draw(key_augment)
    return model.loglik(q_u.sample(key_u), seen) - model.loglik(q_x.sample(key_x), seen)
