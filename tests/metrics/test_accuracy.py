import jax
import jax.numpy as jnp
import numpy as np

from pseudocore.metrics import accuracy


def test_of_equal_probabilities_the_first_class_is_taken():
    probs = jnp.array([[0.4, 0.4, 0.2], [0.2, 0.4, 0.4]])
    assert accuracy(probs, jnp.array([0, 2])) == 0.5


def test_a_prediction_that_is_not_a_number_is_not_a_guess():
    probs = jnp.array([[jnp.nan, 0.5], [0.1, 0.9]])
    assert jnp.isnan(accuracy(probs, jnp.array([0, 1])))


def test_it_maps_over_draws_inside_jit(predictions):
    probs, labels = predictions
    stack = jnp.stack([probs, probs[:, ::-1]])
    got = jax.jit(jax.vmap(accuracy, in_axes=(0, None)))(stack, labels)
    np.testing.assert_allclose(got, [accuracy(p, labels) for p in stack], rtol=1e-6)
