import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest

from pseudocore.data import labelled
from pseudocore.select import Herding, RandomSubset, pixels

key = jr.key(0)


def greedy(rows, ipc):
    """Every remaining candidate tried, every mean computed from scratch."""
    chosen = []
    for _ in range(ipc):
        rest = [i for i in range(len(rows)) if i not in chosen]
        misses = [np.linalg.norm(rows[[*chosen, i]].mean(0) - rows.mean(0)) for i in rest]
        chosen.append(rest[int(np.argmin(misses))])
    return chosen


@pytest.mark.parametrize("ipc", [1, 4, 6])
def test_it_is_the_greedy_search(data, features, found, classes, ipc):
    rows = np.asarray(features, np.float64)
    brute = [index[greedy(rows[index], ipc)] for index in classes]
    np.testing.assert_array_equal(found(Herding()(key, data, features, ipc)), np.concatenate(brute))


def test_it_follows_the_features_and_not_the_pixels(data, features, found):
    one, two = (found(Herding()(key, data, f, 3)) for f in (features, pixels(data)))
    assert (one != two).any()


def test_its_mean_is_nearer_than_that_of_random_points():
    rng = np.random.default_rng(2)
    x = jnp.asarray(rng.standard_normal((80, 5)), jnp.float32)
    data = labelled(x, jnp.repeat(jnp.arange(2), 40), 2)

    means = np.asarray(x).reshape(2, 40, 5).mean(axis=1)

    def misses(select, key):
        u = np.asarray(select(key, data, x, 8).x).reshape(2, 8, 5)
        return np.linalg.norm(u.mean(axis=1) - means, axis=1)

    herded = misses(Herding(), key)
    random = [misses(RandomSubset(), jr.key(seed)) for seed in range(30)]
    assert (np.min(random, axis=0) > herded).all()


def test_by_hand():
    """On a line the mean is 2: first the 2, then 1 (off by 0.5), then 3.5 to mend that."""
    x = jnp.array([[0.0], [1.0], [2.0], [3.5], [9.0], [-3.5]])
    data = labelled(x, jnp.zeros(6, int), 1)
    np.testing.assert_array_equal(Herding()(key, data, x, 3).x[:, 0], [2.0, 1.0, 3.5])
