"""The paper's outer optimiser as a frozen value: SGD with momentum, one rate for each role."""

import functools

import equinox as eqx
import optax

from pseudocore.checks import at_least
from pseudocore.errors import UserError
from pseudocore.learn import roles


class OuterSGD(eqx.Module):
    """A rate for images, labels, weights and the inner rate η; None keeps that part fixed.

    Any optax transformation serves a `Learner`; label the leaves with `roles` to treat them apart.
    """

    images: float | None = eqx.field(static=True, default=1000.0)
    labels: float | None = eqx.field(static=True, default=None)
    weights: float | None = eqx.field(static=True, default=None)
    rate: float | None = eqx.field(static=True, default=None)
    momentum: float = eqx.field(static=True, default=0.5)

    def __check_init__(self):
        rates = ("images", "labels", "weights", "rate")
        given = (name for name in rates if getattr(self, name) is not None)
        at_least(self, 0, "momentum", *given, of="optimiser")
        if self.momentum >= 1:
            raise UserError(f"optimiser.momentum={self.momentum} must be below 1.")

    @functools.lru_cache  # noqa: B019 - equal values must give the same functions, or all compiles anew
    def build(self) -> optax.GradientTransformation:
        rates = {
            "images": self.images,
            "labels": self.labels,
            "weights": self.weights,
            "rate": self.rate,
        }
        return optax.partition(
            {
                role: optax.set_to_zero()
                if rate is None
                else optax.sgd(rate, self.momentum or None)
                for role, rate in rates.items()
            },
            roles,
        )
