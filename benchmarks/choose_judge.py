"""How the textbook judges of the CIFAR-10 recipes were chosen: held-out scores of a coreset.

python benchmarks/choose_judge.py RUN {hmc,a-sghmc} [FILE] prints, for priors, weights and steps of
a grid, accuracy, NLL, acceptance and R-hat on the held-out part of train, and writes the same as
JSON. The test part is not touched.
"""

import itertools
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import jax.random as jr

import pseudocore as pc
from pseudocore.cli.options import read_recipe
from pseudocore.recipes.judges import textbook_asghmc, textbook_hmc

PRIORS = (pc.FanIn(1.5), pc.Isotropic(1.0))
MASSES = (pc.UnitWeights(), pc.Tempered(20.0), pc.FullMass())
CHAIN = (100, 50)
CHAINS = 4


def judges(kind: str) -> Iterator[pc.Judge]:
    for prior, mass in itertools.product(PRIORS, MASSES):
        if kind == "hmc":
            for step in (0.003, 0.01, 0.03):
                yield textbook_hmc(pc.HMC(step, 30), CHAIN, prior, mass)
        else:
            for step in (0.003, 0.01):
                yield textbook_asghmc(pc.SGHMC(step, 30, 0.05), CHAIN, prior, mass, pc.DSA())


def main(folder: str, kind: str, out: str | None = None) -> None:
    recipe = read_recipe(Path(folder))
    data = recipe.plan.data.load()
    model = pc.Model.of(recipe.plan.network, data.train)
    u = pc.read_coreset(Path(folder) / "pseudocoreset.safetensors")
    rows = []
    for judge in judges(kind):
        began = time.monotonic()
        found = judge(jr.key(0), range(CHAINS), model, u, data.for_decisions, len(data.train))
        row = {
            "judge": kind,
            "prior": repr(judge.prior),
            "weights": judge.mass.name,
            "step": judge.chain.kernel.step_size,
            "acc": float(found.scores["acc"].mean()),
            "nll": float(found.scores["nll"].mean()),
            "accepted": float(found.acceptance.mean()),
            "rhat": found.rhat,
            "seconds": time.monotonic() - began,
        }
        rows.append(row)
        print(*(f"{k} {v:.4g}" if isinstance(v, float) else v for k, v in row.items()), flush=True)
    if out:
        Path(out).write_text(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main(*sys.argv[1:])
