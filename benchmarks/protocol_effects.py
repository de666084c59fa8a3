"""What each difference between the paper's evaluation and a textbook's does to the numbers.

python benchmarks/protocol_effects.py

One coreset of the digits (forward KL, 10 images per class) is judged as published and as a textbook
has it, and by every judge that differs from one of the two in a single thing; and HMC with each of
the published faults samples a correlated Gaussian whose covariance is known. Leaves
results/protocol-effects.json and the tables in docs/protocols.md.
"""

import dataclasses

import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
from record import ROOT, clean, made, put, write

import pseudocore as pc
from pseudocore.engine.experts import device
from pseudocore.evaluate import NEVER_MET, Judge
from pseudocore.gaussian import Location
from pseudocore.recipes.judges import paper_judges
from pseudocore.store.environment import environment

NAME, COMMAND = "protocol-effects", "python benchmarks/protocol_effects.py"
IPC, CHAINS = 10, range(5)
METRICS = ("acc", "nll", "nll_published", "ece", "ece_published", "brier")


def judges() -> dict[str, dict[str, Judge]]:
    """Each judge that differs from a protocol in one thing, under the name of that thing."""
    hmc, asghmc = paper_judges(IPC, 10)
    textbook, augmented = pc.preset(f"digits/ipc{IPC}-fkl").judges
    strength = hmc.prior.strength
    return {
        "HMC as published": {
            "nothing": hmc,
            "momentum of unit scale": kernel(
                hmc, dataclasses.replace(hmc.chain.kernel, momentum=1.0)
            ),
            "and the right accept test": kernel(hmc, pc.HMC(0.01, 5, jitter=0.0)),
            "the norm squared": dataclasses.replace(
                hmc, prior=pc.Isotropic((2 * strength) ** -0.5)
            ),
            "weights N/M": dataclasses.replace(hmc, mass=pc.FullMass()),
            "ten times as long": longer(hmc, 10),
        },
        "HMC of the textbook": {
            "nothing": textbook,
            "the published accept test": kernel(textbook, published(textbook, 1.0)),
            "and the published momentum": kernel(textbook, published(textbook, 0.1)),
            "weights 1": dataclasses.replace(textbook, mass=pc.UnitWeights()),
        },
        "A-SGHMC as published": {
            "nothing": asghmc,
            "temperature 1": kernel(
                asghmc, dataclasses.replace(asghmc.chain.kernel, temperature=1.0)
            ),
            "no augmentation": dataclasses.replace(asghmc, view=pc.Whole()),
            "weights N/M": dataclasses.replace(asghmc, mass=pc.FullMass()),
        },
        "A-SGHMC of the textbook": {
            "nothing": augmented,
            "temperature 0.01": kernel(
                augmented, dataclasses.replace(augmented.chain.kernel, temperature=0.01)
            ),
            "no augmentation": dataclasses.replace(augmented, view=pc.Whole()),
        },
    }


def kernel(judge: Judge, other: pc.Kernel) -> Judge:
    return dataclasses.replace(judge, chain=dataclasses.replace(judge.chain, kernel=other))


def published(judge: Judge, momentum: float) -> pc.PublishedHMC:
    hmc = judge.chain.kernel
    return pc.PublishedHMC(hmc.step_size, hmc.leapfrogs, momentum)


def longer(judge: Judge, times: int) -> Judge:
    chain = judge.chain
    chain = dataclasses.replace(chain, iterations=times * chain.iterations, burn=times * chain.burn)
    return dataclasses.replace(judge, chain=chain)


def coreset(recipe: pc.Recipe, data: pc.Split, model: pc.Model) -> pc.Data:
    plan = recipe.plan
    paths = pc.train_experts(jr.key(0), model, data.train, plan.training, plan.count, plan.epochs)
    expert = pc.Expert(paths[:, : recipe.window + 1], recipe.starts, recipe.ahead, recipe.spread)
    learner = pc.Learner(recipe.divergence, recipe.optimiser.build())
    first = recipe.initial(jr.key(0), data.train, pc.pixels(data.train), recipe.ipc)
    problem = pc.Problem(model, expert, data.train)
    return pc.learn(jr.key(0), learner, problem, first, recipe.infer, recipe.steps).u


def effects() -> list[dict]:
    """A row a judge: means over chains on one coreset of the digits."""
    recipe = pc.preset(f"digits/ipc{IPC}-fkl")
    data = recipe.plan.data.load()
    model = pc.Model.of(recipe.plan.network, data.train)
    u = coreset(recipe, data, model)
    rows = []
    for protocol, variants in judges().items():
        for change, judge in variants.items():
            found = judge(jr.key(0), CHAINS, model, u, data.test, len(data.train))
            row = {"protocol": protocol, "changed": change}
            row |= {name: round(float(found.scores[name].mean()), 4) for name in METRICS}
            accepted = float(found.acceptance.mean())
            row |= {
                "acceptance": None if np.isnan(accepted) else round(accepted, 3),
                "rhat": round(found.rhat, 2),
            }
            rows.append(row)
            print(row, flush=True)
    return rows


def gaussian_rows(chains: int = 400, kept: int = 400, burn: int = 50) -> list[dict]:
    """The largest error of a covariance entry, for HMC and for each published fault."""
    d = 10
    root = jnp.tril(0.4 * jr.normal(jr.key(0), (d, d)), -1) + jnp.eye(d)
    covariance = root @ root.T
    scale = jnp.diag(covariance) ** -0.5
    covariance = scale[:, None] * covariance * scale
    model = Location.of(jnp.eye(d), jnp.zeros(d), covariance)
    nothing = pc.Data(jnp.zeros((1, d)), jnp.ones((1, 1)), jnp.zeros(1))
    rows = []
    for name, tried in {
        "HMC": pc.HMC(0.15, 12),
        "the published accept test": pc.PublishedHMC(0.15, 12, momentum=1.0),
        "and the published momentum": pc.PublishedHMC(0.15, 12, momentum=0.1),
    }.items():
        chain = pc.MCMC(tried, kept + burn, burn, pc.RawUnits(1.0))

        def run(key, chain=chain):
            key_start, key_run = jr.split(key)
            posterior, info = chain.run(key_run, model, nothing, chain.start(key_start, model))
            return posterior.draws, info.accepted.mean()

        draws, accepted = jax.jit(jax.vmap(run))(jr.split(jr.key(1), chains))
        draws = np.asarray(draws, np.float64).reshape(-1, d)
        error = float(np.abs(draws.T @ draws / len(draws) - covariance).max())
        rows.append(
            {
                "sampler": name,
                "covariance_error": round(error, 4),
                "accepted": round(float(accepted.mean()), 3),
            }
        )
        print(rows[-1], flush=True)
    return rows


def section(gaussian: list[dict], effects: list[dict]) -> str:
    """The tables of docs/protocols.md."""
    heads = [
        "judge",
        "changed",
        "accuracy",
        "NLL",
        "NLL published",
        "ECE",
        "ECE published",
        "Brier",
    ]
    heads += ["accepted", "R-hat"]
    names = ["protocol", "changed", *METRICS, "acceptance", "rhat"]
    faults = table(
        ["sampler", "largest error of a covariance entry", "accepted"],
        [[said(value) for value in row.values()] for row in gaussian],
    )
    return faults + "\n" + table(heads, [[said(row[name]) for name in names] for row in effects])


def table(heads: list[str], lines: list[list[str]]) -> str:
    rule = [":--" if not line.replace(".", "").isdigit() else "--:" for line in lines[0]]
    return "".join(f"| {' | '.join(line)} |\n" for line in [heads, rule, *lines])


def said(value) -> str:
    if isinstance(value, str):
        return value
    if value == NEVER_MET:
        return "∞"
    return "–" if value is None else f"{value:.3f}".removeprefix("0")


def main() -> None:
    where = clean(environment(device()))
    gaussian, found = gaussian_rows(), effects()
    told = (
        f"digits, MLP(64), forward KL, {IPC} images per class, means of {len(CHAINS)} chains "
        f"(seeds {CHAINS.start} to {CHAINS.stop - 1}) on one coreset."
    )
    write(NAME, COMMAND, where, [*gaussian, *found])
    page = f"{section(gaussian, found)}\n{made(COMMAND, where, told)}"
    put(ROOT / "docs" / "protocols.md", NAME, page)


if __name__ == "__main__":
    main()
