import jax.random as jr
import numpy as np

from pseudocore.select import RandomSubset


def test_another_key_draws_other_points(data, features, found):
    runs = {tuple(found(RandomSubset()(jr.key(seed), data, features, 2))) for seed in range(5)}
    assert len(runs) == 5


def test_every_point_of_a_class_is_as_likely(data, features, found, classes):
    """One of nine, 300 times: 33 ± 5.4 draws of each."""
    draws = [found(RandomSubset()(jr.key(seed), data, features, 1))[0] for seed in range(300)]
    counts = np.bincount(draws, minlength=len(data))[classes[0]]
    assert counts.sum() == 300
    assert abs(counts - 300 / 9).max() < 4 * 5.4


def test_features_are_not_read(data, features, found):
    one, two = (RandomSubset()(jr.key(0), data, f, 3) for f in (features, -features))
    np.testing.assert_array_equal(found(one), found(two))
