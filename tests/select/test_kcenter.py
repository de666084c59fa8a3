from itertools import combinations

import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest

from pseudocore.data import labelled
from pseudocore.select import KCenter, pixels

key = jr.key(0)


def distances(rows):
    return np.linalg.norm(rows[:, None] - rows[None], axis=2)


def radius(rows, chosen):
    return distances(rows)[:, list(chosen)].min(axis=1).max()


def farthest_first(rows, ipc):
    chosen = [int(np.linalg.norm(rows - rows.mean(0), axis=1).argmin())]
    while len(chosen) < ipc:
        chosen.append(int(distances(rows)[:, chosen].min(axis=1).argmax()))
    return chosen


@pytest.mark.parametrize("ipc", [1, 2, 5])
def test_it_is_farthest_first_from_the_middle(data, features, found, classes, ipc):
    rows = np.asarray(features, np.float64)
    brute = [index[farthest_first(rows[index], ipc)] for index in classes]
    np.testing.assert_array_equal(found(KCenter()(key, data, features, ipc)), np.concatenate(brute))


@pytest.mark.parametrize("ipc", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(5))
def test_its_radius_is_at_most_twice_the_best(seed, ipc):
    rows = np.random.default_rng(seed).standard_normal((12, 2))
    x = jnp.asarray(rows, jnp.float32)
    u = KCenter()(key, labelled(x, jnp.zeros(12, int), 1), x, ipc)
    rows = np.asarray(x, np.float64)
    chosen = [int(np.linalg.norm(rows - point, axis=1).argmin()) for point in np.asarray(u.x)]
    best = min(radius(rows, some) for some in combinations(range(12), ipc))
    assert radius(rows, chosen) <= 2 * best + 1e-6


def test_it_follows_the_features_and_not_the_pixels(data, features, found):
    one, two = (found(KCenter()(key, data, f, 3)) for f in (features, pixels(data)))
    assert (one != two).any()


def test_by_hand():
    """From the middle to one far end, to the other, then into the wider gap."""
    x = jnp.array([[-10.0], [-4.5], [0.0], [1.0], [11.0], [13.0]])
    data = labelled(x, jnp.zeros(6, int), 1)
    np.testing.assert_array_equal(KCenter()(key, data, x, 4).x[:, 0], [1.0, 13.0, -10.0, -4.5])


def test_features_far_from_the_origin_are_still_told_apart():
    """In float32 |f|² is 1e8 here, and products of the raw features would lose the distances."""
    x = 1e4 + jnp.array([[0.0], [0.25], [0.5], [1.25]])
    data = labelled(x, jnp.zeros(4, int), 1)
    np.testing.assert_array_equal(KCenter()(key, data, x, 3).x[:, 0] - 1e4, [0.5, 1.25, 0.0])
