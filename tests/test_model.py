"""Data turns a model into a log-density: every scale is in the weights, and nowhere else."""

import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
from scipy.special import log_softmax

from pseudocore.augment import Flip
from pseudocore.data import Augmented, Data, Minibatches, Whole, labelled
from pseudocore.model import LogDensity, Model, Target
from pseudocore.networks import MLP, Linear
from pseudocore.prior import FanIn, Isotropic

RNG = np.random.default_rng(0)
X = RNG.standard_normal((9, 4)).astype(np.float32)
Y = RNG.dirichlet(np.ones(3), 9).astype(np.float32)  # soft labels
W = RNG.uniform(0, 3, 9).astype(np.float32)
DATA = Data(jnp.asarray(X), jnp.asarray(Y), jnp.asarray(W))
MODEL = Model.of(Linear(), DATA, Isotropic(2.0))
THETA = jnp.asarray(RNG.standard_normal(15).astype(np.float32))


def logliks(theta) -> np.ndarray:
    """Σ_c y_c log p(c | x_i, θ) of every point, in float64. A flat θ is biases, then weights."""
    theta = np.asarray(theta, np.float64)
    logits = X @ theta[3:].reshape(4, 3) + theta[:3]
    return (Y * log_softmax(logits, axis=1)).sum(axis=1)


def test_the_log_likelihood_is_a_weighted_sum_and_not_a_mean():
    np.testing.assert_allclose(MODEL.loglik(THETA, DATA), W @ logliks(THETA), rtol=1e-5)
    twice = MODEL.loglik(THETA, DATA.with_mass(2 * DATA.mass))
    np.testing.assert_allclose(twice, 2 * W @ logliks(THETA), rtol=1e-5)


def test_the_log_density_has_one_prior_whatever_the_mass():
    logprior = -0.5 * (np.asarray(THETA, np.float64) ** 2).sum() / 4
    for mass in (1.0, 1000.0):
        found = LogDensity(MODEL, DATA.with_mass(mass), jnp.ones(15))(THETA)
        expected = mass * (W @ logliks(THETA)) / W.sum() + logprior
        np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_units_change_the_coordinates_and_not_the_density():
    unit = jnp.linspace(0.5, 2, 15)
    plain, scaled = LogDensity(MODEL, DATA, jnp.ones(15)), LogDensity(MODEL, DATA, unit)
    np.testing.assert_allclose(scaled(THETA / unit), plain(THETA), rtol=1e-5)
    slope = unit * jax.grad(plain)(THETA)
    np.testing.assert_allclose(jax.grad(scaled)(THETA / unit), slope, rtol=1e-4, atol=1e-5)


def test_in_units_of_the_prior_the_prior_is_a_standard_normal():
    model = Model.of(MLP(5), DATA, FanIn(1.5))
    unit = model.prior.scale(model.layout)
    z = jr.normal(jr.key(0), unit.shape)
    np.testing.assert_allclose(model.logprior(unit * z), -0.5 * z @ z, rtol=1e-5)


def test_minibatches_stand_for_the_whole_on_average():
    """E[log π(θ; batch)] = log π(θ; all): weights N/B, and the prior once."""
    data = DATA.with_mass(9.0)
    target = Target(MODEL, Minibatches(data, 4), jnp.ones(15))

    @jax.jit
    def values(keys):
        return jax.vmap(lambda key: target.draw(key)(THETA))(keys)

    drawn = np.asarray(values(jr.split(jr.key(0), 4000)), np.float64)
    whole = LogDensity(MODEL, data, jnp.ones(15))(THETA)
    assert drawn.std() > 0.1
    assert abs(drawn.mean() - whole) < 4 * drawn.std() / np.sqrt(4000)


def test_a_batch_of_all_points_is_the_data():
    batch = Minibatches(DATA, 100).draw(jr.key(0))
    np.testing.assert_allclose(sorted(batch.w), sorted(W), rtol=1e-6)
    np.testing.assert_allclose(MODEL.loglik(THETA, batch), MODEL.loglik(THETA, DATA), rtol=1e-5)


def test_a_fixed_target_is_its_own_draw_and_a_moving_one_is_not():
    fixed = LogDensity(MODEL, DATA, jnp.ones(15))
    assert fixed.draw(jr.key(0)) is fixed
    assert Whole()(DATA) is DATA
    images = labelled(jnp.asarray(X[:, :, None, None]), jnp.arange(9) % 3, 3)
    wide = Augmented(labelled(images.x.reshape(9, 2, 2, 1), jnp.arange(9) % 3, 3), Flip())
    drawn = [wide.draw(jr.key(seed)).x for seed in (0, 1)]
    assert not jnp.array_equal(*drawn)
    assert wide.plain is wide.data


def test_the_model_learns_its_shapes_from_the_data():
    model = Model.of(MLP(5), DATA)
    assert (model.shape, model.classes, model.layout.size) == ((4,), 3, 4 * 5 + 5 + 5 * 3 + 3)
    assert model.init(jr.key(0)).shape == (43,)
    other = model.with_prior(Isotropic(3.0))
    assert (other.prior, other.layout) == (Isotropic(3.0), model.layout)
