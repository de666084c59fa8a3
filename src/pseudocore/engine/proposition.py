"""Proposition 1 measured, into a folder: proposition.json, a figure and a table."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np

from pseudocore.claim import MATCHINGS, NETWORKS, Claim, estimates, noises, places
from pseudocore.datasets.digits import Digits
from pseudocore.engine.cells import Row, gather
from pseudocore.engine.control import Control
from pseudocore.gaussian import matching
from pseudocore.model import Model
from pseudocore.posterior import Gaussian
from pseudocore.proposition import descent
from pseudocore.report.proposition import save_figure
from pseudocore.report.proposition_table import summary
from pseudocore.select import RandomSubset, pixels
from pseudocore.store.run import Run
from pseudocore.types import PRNGKey, Scalar, Theta

GAUSSIAN = "gaussian location"


def reproduce(run: Run, claim: Claim, seeds: range, control: Control) -> str:
    """Measure every model under every seed."""
    cells = {
        f"{name}-{seed}": partial(measured, claim, name, seed)
        for name in (*NETWORKS, GAUSSIAN)
        for seed in seeds
    }
    rows = gather(run, "proposition", cells, control)
    save_figure(run.file("proposition.png"), rows)
    run.write_text("table.md", summary(rows))
    return summary(rows)


def measured(claim: Claim, name: str, seed: int) -> list[Row]:
    """The rows of one model and seed."""
    # The smallest moves are a millionth of θ: single precision would lose them.
    with jax.enable_x64(True):
        found = known(claim, seed) if name == GAUSSIAN else network(claim, name, seed)
        return [{"model": name, "seed": seed, **row} for row in found]


def network(claim: Claim, name: str, seed: int) -> Iterator[Row]:
    """A network at three places, u one image a class."""
    key_u, key_x, key_start, key_noise, key_few = jr.split(jr.key(seed), 5)
    train = jax.tree.map(lambda leaf: leaf.astype(float), Digits().load().train)
    space = pixels(train)
    u, x = (RandomSubset()(k, train, space, n) for k, n in ((key_u, 1), (key_x, claim.real)))
    model = Model.of(NETWORKS[name], train)
    noise = noises(model, key_noise)
    for place, theta in places(claim, model, u, x, model.init(key_start)).items():
        gradients = estimates(claim, model, u, x, theta, noise, key_few)
        found, directions = jax.device_get(gradients)
        for route, (scales, factors, many) in found.items():
            for scale, factor, both in zip(scales, factors, many, strict=True):
                yield from rows(place, route, scale, both / factor, directions)


def known(claim: Claim, seed: int) -> Iterator[Row]:
    """A world in which ∇_u KL(π_u || π_x) is known, against matching at two places."""
    for spread in claim.spreads:
        truth, directions = jax.device_get(compared(jr.key(seed), jnp.asarray(spread)))
        for place, here in directions.items():
            yield from rows(place, "exact", spread, truth[None], here)


@jax.jit
def compared(key: PRNGKey, spread: Scalar):
    """The exact gradient, and every direction at both places."""
    key_world, key_none = jr.split(key)
    model, u, x = matching.world(key_world, spread)
    flat = MATCHINGS[:2]  # there are no layers

    def at(theta: Theta):
        point = Gaussian(theta, jnp.zeros(()))
        found = {d.name: descent(d, key_none, model, u, x, point) for d in flat}
        return found | {"GM-L2 in Σ_u": matching.weighted(model, u, x)}

    places = {"mean of π_u": model.posterior(u).mean(), "prior mean": model.centre}
    return matching.exact(model, u, x), {place: at(theta) for place, theta in places.items()}


def rows(
    place: str, route: str, scale: float, both: np.ndarray, directions: dict[str, Any]
) -> Iterator[Row]:
    """An estimate, the mean of its halves where it has two, beside every direction."""
    estimate = both.mean(axis=0)
    for name, direction in directions.items():
        yield {
            "place": place,
            "route": route,
            "scale": float(scale),
            "matching": name,
            "cosine": cosine(estimate, direction),
            "ratio": short(np.linalg.norm(estimate) / np.linalg.norm(direction)),
            "agreement": cosine(both[0], both[-1]),
        }


def cosine(a: Any, b: Any) -> float:
    return short(np.vdot(a, b) / (np.linalg.norm(a) * np.linalg.norm(b)))


def short(value: Any) -> float:
    """Six digits: a file of thousands of rows is kept in the repository."""
    return float(f"{value:.6g}")
