"""Judges: a chain on the coreset's posterior, and how well its draws predict real points."""

import math
from typing import Any

import equinox as eqx
import jax
import jax.random as jr
import numpy as np
from jaxtyping import Array, Bool, Float

from pseudocore.data import Data, View, Whole
from pseudocore.doubts import doubts
from pseudocore.errors import UserError
from pseudocore.infer.mcmc import MCMC
from pseudocore.mass import FullMass, Mass
from pseudocore.metrics import (
    accuracy,
    brier,
    ece,
    nll,
    published_ece,
    published_nll,
    split_rhat,
)
from pseudocore.metrics.rhat import FEWEST
from pseudocore.model import Model
from pseudocore.predict import Prediction, predict
from pseudocore.prior import Isotropic, Prior
from pseudocore.types import Keys, PRNGKey

# R-hat of chains that never moved is infinite, which JSON cannot hold.
NEVER_MET = 1e6


class Judge(eqx.Module):
    """A protocol to judge coresets by: prior, mass, chain. Several seeds run as one program."""

    name: str = eqx.field(static=True)
    protocol: str = eqx.field(static=True)
    chain: MCMC
    prior: Prior = Isotropic()
    mass: Mass = FullMass()
    view: View = Whole()

    def __check_init__(self):
        chain, kernel = self.chain, self.chain.kernel
        if chain.iterations - chain.burn < FEWEST:
            raise UserError(
                f"The judge {self.name} keeps {chain.iterations - chain.burn} draws a chain "
                f"(chain.iterations={chain.iterations}, chain.burn={chain.burn}): R-hat needs "
                f"{FEWEST}."
            )
        if kernel.fixed_only and not isinstance(self.view, Whole):
            raise UserError(
                f"The judge {self.name} has the view {type(self.view).__name__}, other points at "
                f"every step, while the accept test of {type(kernel).__name__} needs the same: "
                "give it the view Whole(), or use SGHMC."
            )

    def __call__(
        self, key: PRNGKey, seeds: range, model: Model, coreset: Data, test: Data, represented: int
    ) -> "Judgement":
        """The coreset's chains, one a seed. `represented`: how many points it stands for."""
        data = coreset.with_mass(self.mass.of(len(coreset), represented))
        keys = jax.vmap(lambda seed: jr.fold_in(key, seed))(np.asarray(seeds, np.uint32))
        numbers = self.run(keys, model.with_prior(self.prior), data, test)
        return Judgement(self, tuple(seeds), *jax.device_get(numbers))

    @eqx.filter_jit
    def run(self, keys: Keys, model: Model, data: Data, test: Data):
        """What every chain found: one compiled program for all coresets of one size."""

        def one(key: PRNGKey):
            key_start, key_chain = jr.split(key)
            start = self.chain.start(key_start, model)
            draws, info = self.chain.run(key_chain, model, self.view(data), start)
            return predict(model, draws, test), info

        predictions, infos = jax.vmap(one)(keys)
        scores = jax.vmap(lambda p: score(p, test))(predictions)
        late = infos.accepted[:, self.chain.burn :].mean(axis=1)
        traces = infos.energy[:, self.chain.burn :], predictions.loglik
        return (
            scores,
            late,
            traces,
            infos.healthy.all(axis=1),
            jax.numpy.exp(predictions.log_probs).mean(axis=0),
        )


def score(prediction: Prediction, test: Data) -> dict[str, Array]:
    """Every metric of one chain's predictions."""
    labels, probs = test.y.argmax(-1), jax.numpy.exp(prediction.log_probs)
    return {
        "acc": accuracy(probs, labels),
        "nll": nll(prediction.log_probs, labels),
        "ece": ece(probs, labels),
        "brier": brier(probs, labels),
        "nll_published": published_nll(prediction.batch_loglik),
        "ece_published": published_ece(probs, labels),
    }


class Judgement(eqx.Module):
    """What the chains of all seeds found, and whether they can be believed."""

    judge: Judge
    seeds: tuple[int, ...]
    scores: dict[str, Float[np.ndarray, " seeds"]]
    acceptance: Float[np.ndarray, " seeds"]
    traces: tuple[Float[np.ndarray, "seeds draws"], ...]
    healthy: Bool[np.ndarray, " seeds"]
    probs: Float[np.ndarray, "n classes"]  # averaged over the chains too

    @property
    def rhat(self) -> float:
        """The larger split R-hat of the energy and of the predictive log-likelihood."""
        if len(self.seeds) < 2:
            return math.nan
        worst = max(float(split_rhat(jax.numpy.asarray(trace))) for trace in self.traces)
        return min(worst, NEVER_MET)

    def rows(self, method: str, ipc: int | None) -> list[dict[str, Any]]:
        """One row a seed, for results.json."""
        published = self.judge.protocol == "paper"
        return [
            {
                "method": method,
                "ipc": ipc,
                "judge": self.judge.name,
                "protocol": self.judge.protocol,
                "weights": self.judge.mass.name,
                "seed": seed,
                **{
                    name: float(values[i])
                    for name, values in self.scores.items()
                    if published or not name.endswith("_published")
                },
                "acceptance": None if np.isnan(self.acceptance[i]) else float(self.acceptance[i]),
                "rhat": self.rhat,
            }
            for i, seed in enumerate(self.seeds)
        ]

    @property
    def diverged(self) -> list[int]:
        """The seeds of the chains that left the finite numbers."""
        return [seed for seed, fine in zip(self.seeds, self.healthy, strict=True) if not fine]

    def warnings(self, method: str) -> list[str]:
        """What is wrong with these chains, in sentences that say what to do."""
        return doubts([{"rows": self.rows(method, None), "diverged": self.diverged}])
