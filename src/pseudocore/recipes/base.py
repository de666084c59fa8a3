"""A recipe is the whole configuration of a run, as one frozen value."""

import operator

import equinox as eqx

from pseudocore.augment.base import Augment, Unchanged
from pseudocore.datasets.base import Dataset
from pseudocore.divergences import Divergence
from pseudocore.errors import UserError
from pseudocore.evaluate import Judge
from pseudocore.infer import Unroll
from pseudocore.metrics.rhat import FEWEST
from pseudocore.networks import Network
from pseudocore.optimise import OuterSGD
from pseudocore.posterior import Fixed, Spread
from pseudocore.select import RandomSubset, Select
from pseudocore.train import Training

SEEDS = 2**32  # JAX takes 32 bits of a seed: larger ones would be smaller ones again


def at_least(what: object, floor: int, *names: str) -> None:
    """Refuse counts below what makes sense, by name; `infer.steps` is a part's."""
    for name in names:
        value = operator.attrgetter(name)(what)
        if value < floor:
            raise UserError(f"{name}={value} must be at least {floor}.")


def positive(what: object, name: str) -> None:
    """Refuse a rate of zero or less, which teaches nothing or the opposite; NaN too."""
    value = operator.attrgetter(name)(what)
    if not value > 0:
        raise UserError(f"{name}={value} must be above 0.")


def is_seed(seed: int) -> None:
    """Refuse what is no seed."""
    if not 0 <= seed < SEEDS:
        raise UserError(f"seed={seed} must be at least 0 and below {SEEDS}.")


def is_judge(judge: Judge) -> None:
    """Refuse a chain that keeps too few draws, or whose kernel cannot move."""
    chain, kernel = judge.chain, judge.chain.kernel
    at_least(judge, 0, "chain.burn")
    if chain.iterations - chain.burn < FEWEST:
        raise UserError(
            f"The judge {judge.name} keeps {chain.iterations - chain.burn} draws a chain "
            f"(chain.iterations={chain.iterations}, chain.burn={chain.burn}): R-hat needs {FEWEST}."
        )
    if hasattr(kernel, "leapfrogs"):
        at_least(judge, 1, "chain.kernel.leapfrogs")
    if hasattr(kernel, "step_size"):
        positive(judge, "chain.kernel.step_size")


class ExpertPlan(eqx.Module):
    """Which experts: the data, the network, and how it is trained how often."""

    data: Dataset
    network: Network
    training: Training
    count: int = eqx.field(static=True, default=100)  # how many experts
    epochs: int = eqx.field(static=True, default=50)  # how long each is trained
    together: int = eqx.field(static=True, default=10)  # experts trained in one program
    seed: int = eqx.field(static=True, default=0)

    def __check_init__(self):
        at_least(self, 1, "count", "epochs", "together", "training.batch")
        positive(self, "training.rate")
        is_seed(self.seed)


class Recipe(eqx.Module):
    """Experts, divergence and optimiser of a coreset, and the judges that it is made for."""

    plan: ExpertPlan
    divergence: Divergence
    infer: Unroll
    optimiser: OuterSGD
    judges: tuple[Judge, ...]
    full: Judge | None = None  # how the posterior of the whole data is sampled
    ipc: int = eqx.field(static=True, default=1)  # images per class
    steps: int = eqx.field(static=True, default=5000)  # K: updates of the coreset
    starts: int = eqx.field(static=True, default=2)  # T+: first epochs 0 .. T+ - 1
    ahead: int = eqx.field(static=True, default=1)  # L_x: epochs from there to the target
    spread: Spread = Fixed()  # Σ_x^½
    initial: Select = RandomSubset()  # the first coreset
    augment: Augment = Unchanged()
    batch: int = eqx.field(static=True, default=1000)  # B: real points a step (reverse KL)
    seed: int = eqx.field(static=True, default=0)

    def __check_init__(self):
        at_least(self, 1, "ipc", "steps", "starts", "ahead", "batch", "infer.steps")
        if hasattr(self.divergence, "draws"):
            at_least(self, 1, "divergence.draws")
        positive(self, "infer.rate")
        rates = ("images", "labels", "weights", "rate")
        given = [name for name in rates if getattr(self.optimiser, name) is not None]
        at_least(self, 0, "optimiser.momentum", *(f"optimiser.{name}" for name in given))
        if self.optimiser.momentum >= 1:
            raise UserError(f"optimiser.momentum={self.optimiser.momentum} must be below 1.")
        is_seed(self.seed)
        for judge in (*self.judges, *([self.full] if self.full else [])):
            is_judge(judge)

    @property
    def window(self) -> int:
        """Epochs of an expert that are ever looked at, besides its initialisation."""
        return self.starts - 1 + self.ahead
