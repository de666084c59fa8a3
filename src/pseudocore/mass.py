"""How much a coreset's weights add up to when it is judged. Learning works at mass 1."""

import abc

import equinox as eqx

from pseudocore.checks import positive


class Mass(eqx.Module):
    """How much all weights of a coreset add up to when it is judged; always named in a result."""

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """What a result says of the weights."""

    @abc.abstractmethod
    def of(self, points: int, represented: int) -> float:
        """The mass of a coreset of so many points that stands for so many real ones."""


class FullMass(Mass):
    """w = N/M: the coreset carries the mass of the N points it stands for."""

    @property
    def name(self) -> str:
        return "N/M"

    def of(self, points: int, represented: int) -> float:
        return float(represented)


class UnitWeights(Mass):
    """w = 1: every pseudo-point counts once, the paper's definition."""

    @property
    def name(self) -> str:
        return "1"

    def of(self, points: int, represented: int) -> float:
        return float(points)


class Tempered(Mass):
    """One weight for every point between 1 and N/M: a tempered posterior, called so."""

    weight: float = eqx.field(static=True, default=20.0)

    def __check_init__(self):
        positive(self, "weight", of="mass")

    @property
    def name(self) -> str:
        return f"{self.weight:g} (tempered)"

    def of(self, points: int, represented: int) -> float:
        return self.weight * points
