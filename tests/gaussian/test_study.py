"""The synthetic study: its floors are those of the closed form, and every method reaches them."""

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest

from pseudocore.errors import UserError
from pseudocore.gaussian.study import (
    MEASURED,
    Study,
    distances,
    floor,
    train,
    unlabelled,
    weighted,
    world,
)

TINY = Study(dimensions=3, points=12, sizes=(3, 12), steps=200, looks=4, draws=20, rate=0.1)
SEEDS = 4


def closed_floor(size: int, weight: float, points: int = 100, d: int = 10) -> list[float]:
    """Direction by direction, each of d alike, for unit variances of noise and prior."""
    u, x = 1 / (1 + weight * size), 1 / (1 + points)
    rho = u / x
    return [
        d * 0.5 * (rho - 1 - np.log(rho)),
        d * (np.sqrt(u) - np.sqrt(x)) ** 2,
        d * 0.5 * (1 / rho - 1 + np.log(rho)),
    ]


@pytest.mark.parametrize("size", [5, 20, 60, 100])
@pytest.mark.parametrize("kind", ["unit", "N/M"])
def test_the_floor_is_that_of_the_closed_form(size, kind):
    with jax.enable_x64(True):
        model, q_x, _ = world(Study(), jr.key(0))
        weight = 1.0 if kind == "unit" else 100 / size
        u = unlabelled(jr.normal(jr.key(1), (100, 10)), weighted(Study(), size, weight))
        found = floor(model.posterior(u), q_x)
        np.testing.assert_allclose(found, closed_floor(size, weight), rtol=1e-9, atol=1e-12)


def test_the_floors_of_five_points_are_the_known_numbers():
    np.testing.assert_allclose(closed_floor(5, 1.0), [65.05, 0.953, 9.414], rtol=1e-3)


def test_no_points_undercut_the_floor():
    with jax.enable_x64(True):
        model, q_x, _ = world(TINY, jr.key(0))
        weights = weighted(TINY, 3, 1.0)

        def excess(x):
            q_u = model.posterior(unlabelled(x, weights))
            return distances(q_u, q_x) - floor(q_u, q_x)

        many = jax.vmap(excess)(q_x.centre + 0.5 * jr.normal(jr.key(1), (500, 12, 3)))
        assert (many > 0).all()
        # It can be reached: four thirds of the mean, which the prior pulls back to it.
        assert jnp.abs(excess(jnp.broadcast_to(q_x.centre * 4 / 3, (12, 3)))).max() < 1e-12


@eqx.filter_jit
def one_step_gradient(x, weights):
    model, q_x, _ = world(TINY, jr.key(0))
    return jax.grad(lambda x: distances(model.posterior(unlabelled(x, weights)), q_x).sum())(x)


def test_points_that_weigh_nothing_change_nothing():
    slopes = one_step_gradient(jr.normal(jr.key(1), (12, 3)), weighted(TINY, 3, 1.0))
    assert (slopes[3:] == 0).all()
    assert (slopes[:3] != 0).all()


@pytest.fixture(scope="module", params=list(TINY.divergences))
def course(request):
    """Unit weights, then N/M, for every seed; of three points."""
    with jax.enable_x64(True):
        keys = jax.vmap(jr.key)(jnp.arange(2 * SEEDS) % SEEDS)
        each = jnp.stack([weighted(TINY, 3, w) for w in (1.0, 4.0) for _ in range(SEEDS)])
        return jax.device_get(train(TINY, TINY.divergences[request.param], each, keys))


def test_every_divergence_falls_to_its_floor_whichever_is_trained(course):
    excess = course.values - course.floor[:, None]
    assert (excess[:, 0] > 100 * np.maximum(excess[:, -1], 0)).all()
    np.testing.assert_allclose(course.values[:SEEDS, -1], course.floor[:SEEDS], rtol=0.05)


def test_with_full_mass_the_floor_is_zero(course):
    np.testing.assert_allclose(course.floor[SEEDS:], 0, atol=1e-12)
    assert (course.floor[:SEEDS] > 0.01).all()


def test_seeds_differ(course):
    assert len(np.unique(course.values[:SEEDS, 0, MEASURED.index("W")])) == SEEDS


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"sizes": (0,)}, "sizes"),
        ({"sizes": (101,)}, "points"),
        ({"sizes": (5, 5)}, "each once"),
        ({"looks": 7}, "multiple"),
        ({"steps": 0}, "steps=0"),
        ({"dimensions": 0}, "dimensions=0"),
        ({"draws": 1}, "draws=1"),
        ({"rate": -1.0}, "rate=-1"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, word):
    with pytest.raises(UserError, match=word):
        Study(**settings)
