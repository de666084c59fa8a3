import jax.numpy as jnp
import numpy as np

from pseudocore.metrics import brier


def test_by_hand():
    probs = jnp.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.25, 0.25]])
    truth = jnp.array([0, 0, 1])
    np.testing.assert_allclose(brier(probs[:1], truth[:1]), 0)
    np.testing.assert_allclose(brier(probs[1:2], truth[1:2]), 2)
    np.testing.assert_allclose(brier(probs, truth), (0 + 2 + 0.875) / 3)
