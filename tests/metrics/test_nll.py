import jax.numpy as jnp

from pseudocore.metrics import nll


def test_a_sure_and_wrong_prediction_is_not_clipped():
    """exp(-200) is zero in float32, and scikit-learn would call it 1e-7."""
    log_probs = jnp.array([[0.0, -200.0], [-300.0, 0.0]])
    assert nll(log_probs, jnp.array([1, 1])) == 100
    assert nll(log_probs, jnp.array([0, 0])) == 150


def test_an_impossible_truth_costs_infinity():
    assert nll(jnp.array([[0.0, -jnp.inf]]), jnp.array([1])) == jnp.inf
