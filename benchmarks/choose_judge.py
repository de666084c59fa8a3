"""How the textbook HMC of the CIFAR-10 recipes was chosen: held-out scores of a coreset.

python benchmarks/choose_judge.py RUN prints, for priors, weights and steps of a grid, accuracy,
NLL, acceptance and R-hat on the held-out part of train. The test part is not touched.
"""

import itertools
import sys
import time
from pathlib import Path

import jax.random as jr

import pseudocore as pc
from pseudocore.cli.options import read_recipe

PRIORS = (pc.FanIn(1.5), pc.Isotropic(1.0))
MASSES = (pc.UnitWeights(), pc.Tempered(20.0), pc.FullMass())
STEPS = (0.003, 0.01, 0.03)


def main(folder: str) -> None:
    recipe = read_recipe(Path(folder))
    data = recipe.plan.data.load()
    model = pc.Model.of(recipe.plan.network, data.train)
    u = pc.read_coreset(Path(folder) / "pseudocoreset.safetensors")
    for prior, mass, step in itertools.product(PRIORS, MASSES, STEPS):
        chain = pc.MCMC(pc.HMC(step, 30), 100, 50, pc.PriorUnits())
        judge = pc.Judge("hmc", "textbook", chain, prior, mass)
        began = time.monotonic()
        found = judge(jr.key(0), range(4), model, u, data.held_out, len(data.train))
        print(
            f"{prior} w={mass.name} step {step:g}: acc {found.scores['acc'].mean():.4f} "
            f"nll {found.scores['nll'].mean():.4f} accepted {found.acceptance.mean():.2f} "
            f"R-hat {found.rhat:.2f} ({time.monotonic() - began:.1f} s)",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1])
