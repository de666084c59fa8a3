"""W_2² between Gaussians of equal covariance, BPC-W: the objective of MTT."""

from typing import ClassVar

from pseudocore.divergences.base import Divergence, Match
from pseudocore.types import PRNGKey, Scalar


class Wasserstein(Divergence):
    """|E q_u - E q_x|² / |θ_0 - E q_x|². Its gradient flows through q_u, all inner steps included.

    Equal covariances add nothing to W_2²; the denominator is the squared move of the expert.
    """

    name: ClassVar[str] = "W"

    def __call__(self, key: PRNGKey, match: Match) -> Scalar:
        return square(match.q_u.mean() - match.q_x.mean()) / move(match)


def move(match: Match) -> Scalar:
    return square(match.start - match.q_x.mean())


def square(vector) -> Scalar:
    return (vector**2).sum()
