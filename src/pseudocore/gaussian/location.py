"""The paper's synthetic model: a Gaussian with unknown location."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from pseudocore.data import Data
from pseudocore.gaussian.conjugate import Conjugate
from pseudocore.posterior import Correlated
from pseudocore.types import Scalar, Theta


class Location(Conjugate):
    """x_i ~ N(θ, Σ) and θ ~ N(θ_0, Σ_0); labels say nothing. Held by Σ⁻¹, θ_0 and Σ_0⁻¹."""

    precision: Float[Array, "p p"]
    centre: Theta
    prior_precision: Float[Array, "p p"]

    @classmethod
    def of(
        cls, noise: Float[Array, "p p"], centre: Theta, spread: Float[Array, "p p"]
    ) -> "Location":
        """The model with Σ = noise, θ_0 = centre and Σ_0 = spread."""
        return cls(jnp.linalg.inv(noise), centre, jnp.linalg.inv(spread))

    def loglik(self, theta: Theta, data: Data) -> Scalar:
        gap = data.x - theta
        return -0.5 * data.w @ jnp.sum((gap @ self.precision) * gap, axis=1)

    def logprior(self, theta: Theta) -> Scalar:
        gap = theta - self.centre
        return -0.5 * gap @ self.prior_precision @ gap

    def scale(self) -> Theta:
        return jnp.diag(self.prior_precision) ** -0.5

    def posterior(self, data: Data) -> Correlated:
        """Σ_u = (Σ_0⁻¹ + Σ_i w_i Σ⁻¹)⁻¹ and θ_u = Σ_u (Σ_0⁻¹ θ_0 + Σ⁻¹ Σ_i w_i x_i)."""
        precision = self.prior_precision + data.mass * self.precision
        pull = self.prior_precision @ self.centre + self.precision @ (data.w @ data.x)
        return gaussian(precision, pull)


def gaussian(precision: Float[Array, "p p"], pull: Theta) -> Correlated:
    """exp(-½ θᵀ Λ θ + θᵀ b), normalised: N(Λ⁻¹ b, Λ⁻¹)."""
    # Λ = C Cᵀ gives Λ⁻¹ = C⁻ᵀ C⁻¹, so C⁻ᵀ is a factor of the covariance.
    root = jnp.linalg.cholesky(precision)
    factor = jnp.linalg.inv(root).T
    return Correlated(factor @ (factor.T @ pull), factor)
