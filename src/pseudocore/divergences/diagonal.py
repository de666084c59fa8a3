"""W_2² between Gaussians with diagonal covariances: BPC-W 'with d.c.' (tab:tm-advance)."""

from typing import ClassVar

from pseudocore.divergences.base import Divergence, Match
from pseudocore.divergences.wasserstein import move, square
from pseudocore.posterior import Gaussian
from pseudocore.types import PRNGKey, Scalar


class DiagonalWasserstein(Divergence):
    """(|E q_u - E q_x|² + |s_u - s_x|²) / |θ_0 - E q_x|²: W_2² of Gaussians with diagonal Σ = s².

    The deviations s come from the `Spread` of the two posteriors, `AlongPath` for the paper's
    'diagonal covariances'.
    """

    name: ClassVar[str] = "W-diagonal"

    def __call__(self, key: PRNGKey, match: Match) -> Scalar:
        q_u, q_x = match.q_u, match.q_x
        if not isinstance(q_u, Gaussian) or not isinstance(q_x, Gaussian):
            raise TypeError("DiagonalWasserstein compares Gaussians: use Unroll as the inference.")
        means = square(q_u.centre - q_x.centre)
        return (means + square(q_u.scale - q_x.scale)) / move(match)
