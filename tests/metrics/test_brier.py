import jax.numpy as jnp
import numpy as np
from sklearn.metrics import brier_score_loss

from pseudocore.metrics import brier


def test_it_is_the_sum_of_the_one_against_rest_scores_of_scikit_learn(predictions):
    probs, labels = predictions
    clipped = np.clip(np.asarray(probs, np.float64), 0, 1)
    truth = np.asarray(labels)
    oracle = sum(brier_score_loss(truth == c, clipped[:, c]) for c in range(5))
    np.testing.assert_allclose(brier(probs, labels), oracle, rtol=1e-5)


def test_by_hand():
    probs = jnp.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.25, 0.25]])
    truth = jnp.array([0, 0, 1])
    np.testing.assert_allclose(brier(probs[:1], truth[:1]), 0)
    np.testing.assert_allclose(brier(probs[1:2], truth[1:2]), 2)
    np.testing.assert_allclose(brier(probs, truth), (0 + 2 + 0.875) / 3)
