"""How rates and steps of the digits recipes were chosen: HMC on the held-out part of train.

python benchmarks/choose_digits.py FAMILY METHOD prints accuracy and NLL for every setting of the
grid. The test part is not touched.
"""

import dataclasses
import itertools
import sys

import jax.numpy as jnp
import jax.random as jr
import numpy as np

import pseudocore as pc
from pseudocore.errors import unknown
from pseudocore.recipes.digits import FAMILIES, METHODS

CONSTRUCTIONS, CHAINS = 3, 4
# outer rate for images, outer steps, inner rate, rate of the inner rate
PATHS = (3.0, 10.0, 30.0), (250, 500, 1000), (0.05, 0.1), (None, 1e-5, 1e-4)
GRID = {
    "fkl": itertools.product((3.0, 10.0, 30.0), (250, 500, 1000), (0.05, 0.1), (None,)),
    "w": itertools.product(*PATHS),
    "w-diagonal": itertools.product(*PATHS),
    "rkl": itertools.product((1e3, 1e4, 1e5), (1000, 3000), (0.05,), (None,)),
    "gm-l2": itertools.product((3.0, 10.0, 30.0), (250, 500, 1000), (0.05, 0.1), (None,)),
    "gm-cosine": itertools.product((0.01, 0.03, 0.1), (250, 500, 1000), (0.05, 0.1), (None,)),
}


def main(family: str, method: str) -> None:
    if family not in FAMILIES:
        raise unknown("family", family, FAMILIES)
    if method not in GRID:
        raise unknown("method with a grid", method, GRID)
    plan, judges = FAMILIES[family]
    hmc = next(judge for judge in judges if judge.name == "hmc")
    data = plan.data.load()
    model = pc.Model.of(plan.network, data.train)
    paths = pc.train_experts(jr.key(0), model, data.train, plan.training, plan.count, plan.epochs)
    recipe = METHODS[method](plan, judges, 1)
    expert = pc.Expert(paths[:, : recipe.window + 1], recipe.starts, recipe.ahead, recipe.spread)
    problem = pc.Problem(model, expert, pc.Minibatches(data.train, recipe.batch))
    for images, steps, rate, rate_of_rate in GRID[method]:
        infer = dataclasses.replace(recipe.infer, rate=rate)
        sgd = dataclasses.replace(recipe.optimiser, images=images, rate=rate_of_rate)
        learner = pc.Learner(recipe.divergence, sgd.build())
        scores = []
        for seed in range(CONSTRUCTIONS):
            u = pc.RandomSubset()(jr.key(seed), data.train, pc.pixels(data.train), 1)
            try:
                u = pc.learn(jr.key(seed), learner, problem, u, infer, steps).u
            except pc.UserError:
                scores = [[jnp.nan] * 3]
                break
            found = hmc(jr.key(9), range(CHAINS), model, u, data.for_decisions, len(data.train))
            scores.append([found.scores["acc"].mean(), found.scores["nll"].mean(), found.rhat])
        accuracy, nll, rhat = np.array(scores).T
        print(
            f"{family} {method} images {images:g} steps {steps} rate {rate:g} rate of it "
            f"{rate_of_rate}: acc {accuracy.mean():.3f} "
            f"± {accuracy.std() / len(scores) ** 0.5:.3f} "
            f"nll {nll.mean():.3f} R-hat {rhat.max():.2f}",
            flush=True,
        )


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python benchmarks/choose_digits.py FAMILY METHOD")
    try:
        main(*sys.argv[1:])
    except pc.UserError as error:
        sys.exit(str(error))
