"""What is recalled of an expert: a random epoch, and the posterior some epochs later."""

import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from scipy.stats import chisquare

from pseudocore.errors import UserError
from pseudocore.expert import Expert
from pseudocore.posterior import AlongPath, Fixed

EXPERTS, EPOCHS, KEYS = 3, 8, 2000


@pytest.fixture(scope="module")
def trajectories():
    """Parameters that say which expert and which epoch they are of."""
    expert, epoch = jnp.meshgrid(jnp.arange(EXPERTS), jnp.arange(EPOCHS), indexing="ij")
    return jnp.stack([expert, epoch, 10 * epoch], axis=-1) * 1.0


@pytest.mark.parametrize(("starts", "ahead"), [(1, 1), (3, 2), (4, 4), (2, 0)])
def test_the_target_lies_ahead_of_a_random_start(trajectories, starts: int, ahead: int):
    expert = Expert(trajectories, starts, ahead)
    recalls = jax.jit(jax.vmap(expert.recall))(jr.split(jr.key(0), KEYS))
    start, target = np.asarray(recalls.start), np.asarray(recalls.q_x.centre)
    np.testing.assert_array_equal(target[:, 0], start[:, 0])
    np.testing.assert_array_equal(target[:, 1], start[:, 1] + ahead)
    np.testing.assert_array_equal(target[:, 2], 10 * target[:, 1])
    numbers = start[:, 0] * starts + start[:, 1]
    counts = np.bincount(numbers.astype(int), minlength=EXPERTS * starts)
    assert len(counts) == EXPERTS * starts, "a start later than T+ - 1"
    assert chisquare(counts).pvalue > 1e-3, "experts and epochs are not equally likely"


def test_the_last_epoch_can_be_a_target(trajectories):
    """T+ = 6 starts and L_x = 2 reach the end of eight epochs, and nothing is clipped."""
    recalls = jax.vmap(Expert(trajectories, 6, 2).recall)(jr.split(jr.key(0), 200))
    assert set(np.asarray(recalls.start[:, 1], int)) == set(range(6))
    assert int(recalls.q_x.centre[:, 1].max()) == EPOCHS - 1


def test_the_spread_is_that_of_the_path_in_between(trajectories):
    keys = jr.split(jr.key(0), 20)
    fixed = jax.vmap(Expert(trajectories, 3, 2, Fixed(0.3)).recall)(keys)
    np.testing.assert_allclose(fixed.q_x.scale, 0.3, rtol=1e-6)
    along = jax.vmap(Expert(trajectories, 3, 2, AlongPath(0.3)).recall)(keys)
    expected = np.sqrt(0.3**2 + np.array([0, 2, 20]) ** 2 / 12)
    np.testing.assert_allclose(along.q_x.scale, np.tile(expected, (20, 1)), rtol=1e-5)


def test_a_key_recalls_the_same(trajectories):
    expert = Expert(trajectories, 3, 2)
    one, two = expert.recall(jr.key(5)), expert.recall(jr.key(5))
    np.testing.assert_array_equal(one.start, two.start)
    np.testing.assert_array_equal(one.q_x.mean(), two.q_x.mean())


@pytest.mark.parametrize(
    ("starts", "ahead", "word"), [(3, 2, "epoch 4"), (0, 1, "starts=0"), (1, -1, "ahead=-1")]
)
def test_a_window_beyond_the_trajectories_is_refused(starts, ahead, word):
    with pytest.raises(UserError, match=word):
        Expert(jnp.zeros((2, 4, 3)), starts, ahead)
