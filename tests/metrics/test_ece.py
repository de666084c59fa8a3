import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sklearn.calibration import calibration_curve

from pseudocore.errors import UserError
from pseudocore.metrics import ece
from pseudocore.metrics.ece import which_bin


def from_curve(probs, labels, bins):
    """The definition, on scikit-learn's bins: sum of n_b/n |acc_b - conf_b|."""
    top, best = np.asarray(probs.max(axis=1), np.float64), np.asarray(probs).argmax(axis=1)
    acc, conf = calibration_curve(best == np.asarray(labels), top, n_bins=bins)
    sizes = np.unique(np.ceil(top * bins), return_counts=True)[1]
    return (sizes / len(top) * np.abs(acc - conf)).sum()


@pytest.mark.parametrize("bins", [1, 2, 10, 15])
def test_it_agrees_with_the_curve_of_scikit_learn(predictions, bins):
    oracle = from_curve(*predictions, bins)
    np.testing.assert_allclose(ece(*predictions, bins), oracle, rtol=1e-4)


def test_there_are_fifteen_bins(predictions):
    np.testing.assert_allclose(ece(*predictions), from_curve(*predictions, 15), rtol=1e-4)
    assert not np.isclose(ece(*predictions), from_curve(*predictions, 14), rtol=1e-3)


def test_by_hand():
    """Bins (0.5, 0.75] and (0.75, 1]: gaps of |1 - 1.2| and |1 - 1.8| over four points."""
    probs = jnp.array([[0.6, 0.4], [0.6, 0.4], [0.9, 0.1], [0.9, 0.1]])
    got = ece(probs, jnp.array([0, 1, 0, 1]), bins=4)
    np.testing.assert_allclose(got, (0.2 + 0.8) / 4, rtol=1e-5)


def test_a_bin_holds_its_upper_edge():
    top = jnp.array([0.25, 0.2500001, 0.5, 0.75, 1.0, 1.0000001])
    np.testing.assert_array_equal(which_bin(top, 4), [0, 1, 1, 2, 3, 3])


def test_a_sure_and_right_model_is_calibrated_and_a_wrong_one_is_not():
    probs = jnp.eye(3)
    assert ece(probs, jnp.arange(3)) == 0
    assert ece(probs, (jnp.arange(3) + 1) % 3) == 1


def test_a_prediction_that_is_not_a_number_is_not_calibrated():
    assert jnp.isnan(ece(jnp.array([[jnp.nan, 0.5], [0.1, 0.9]]), jnp.array([0, 1])))


def test_it_maps_over_draws_inside_jit(predictions):
    probs, labels = predictions
    stack = jnp.stack([probs, probs[:, ::-1]])
    got = jax.jit(jax.vmap(ece, in_axes=(0, None)))(stack, labels)
    np.testing.assert_allclose(got, [ece(p, labels) for p in stack], rtol=1e-5)


@pytest.mark.parametrize("bins", [0, -3])
def test_no_bins_is_refused(predictions, bins):
    with pytest.raises(UserError, match=f"^{bins} calibration bins.*one bin or more"):
        ece(*predictions, bins)
