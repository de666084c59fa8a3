"""A recipe is the whole configuration of a run, as one frozen value."""

from collections import Counter
from collections.abc import Sequence

import equinox as eqx

from pseudocore.augment.base import Augment, Unchanged
from pseudocore.checks import at_least, positive
from pseudocore.datasets.base import Dataset
from pseudocore.divergences import Divergence
from pseudocore.errors import UserError
from pseudocore.evaluate import Judge
from pseudocore.infer import Unroll
from pseudocore.networks import Network
from pseudocore.optimise import OuterSGD
from pseudocore.posterior import Fixed, Spread
from pseudocore.select import RandomSubset, Select
from pseudocore.train import Training

SEEDS = 2**32  # JAX takes 32 bits of a seed: larger ones would be smaller ones again


def is_seed(seed: int) -> None:
    """Refuse what is no seed."""
    if not 0 <= seed < SEEDS:
        raise UserError(f"seed={seed} must be at least 0 and below {SEEDS}.")


def distinct(judges: Sequence[Judge]) -> None:
    """Refuse two judges of one name and protocol: their rows would be taken for one judge's."""
    counts = Counter((judge.protocol, judge.name) for judge in judges)
    for (protocol, name), count in counts.items():
        if count > 1:
            raise UserError(
                f"{count} {protocol} judges are called {name!r}, and no table could tell them "
                "apart: give one another --judges.N.name."
            )


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
        at_least(self, 1, "count", "epochs", "together")
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
        at_least(self, 1, "ipc", "steps", "starts", "ahead", "batch")
        # As an inference no step and any rate make sense, to learn a coreset through they do not.
        at_least(self.infer, 1, "steps", of="infer")
        positive(self.infer, "rate", of="infer")
        is_seed(self.seed)
        distinct(self.judges)

    @property
    def window(self) -> int:
        """Epochs of an expert that are ever looked at, besides its initialisation."""
        return self.starts - 1 + self.ahead
