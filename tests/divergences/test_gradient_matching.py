"""Gradient matching against loops in numpy, finite differences and what it must not depend on."""

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from tests.worlds.gaussian import location
from tests.worlds.outer import blobs, noise, once, separable

from pseudocore.augment import DSA, Augment, Crop, Rotate, Unchanged
from pseudocore.data import Augmented, Data, Minibatches, labelled
from pseudocore.divergences import L2, Divergence, InnerProduct, LayerCosine, Match, ReverseKL
from pseudocore.infer import Unroll
from pseudocore.learn import Learner, learn
from pseudocore.model import Model
from pseudocore.networks import MLP, ConvNet, Linear
from pseudocore.optimise import OuterSGD
from pseudocore.posterior import Gaussian
from pseudocore.types import Theta

ALL = [L2(), InnerProduct(), LayerCosine()]
every = pytest.mark.parametrize("divergence", ALL, ids=lambda d: d.name)


def at(model: Model, u: Data, x: Data, theta: Theta, **changes) -> Match:
    q = Gaussian(theta, jnp.zeros(()))
    return Match(model, **({"u": u, "x": x, "q_u": q, "q_x": q, "start": theta} | changes))


@eqx.filter_jit
def value(divergence: Divergence, match: Match, seed: int = 0):
    return divergence(jr.key(seed), match)


@eqx.filter_jit
def gradients(divergence: Divergence, match: Match) -> Data:
    return jax.grad(lambda u: divergence(jr.key(0), eqx.tree_at(lambda m: m.u, match, u)))(match.u)


@once
def digits() -> tuple[Model, Data, Data, Theta]:
    """Random pictures, a ConvNet with a norm, and parameters of it."""
    keys = jr.split(jr.key(0), 4)
    u = labelled(jr.normal(keys[0], (6, 8, 8, 2)), jnp.arange(6) % 3, 3)
    x = labelled(jr.normal(keys[1], (20, 8, 8, 2)), jnp.arange(20) % 3, 3)
    model = Model.of(ConvNet(depth=2, width=5), u)
    return model, u, x, model.init(keys[2]) + 0.1 * jr.normal(keys[3], (model.layout.size,))


def regressed(theta, data: Data, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """∇l of softmax regression by hand: Σ w x (y - p)ᵀ for the weights, Σ w (y - p) for biases."""
    x, y, w = (np.asarray(leaf, np.float64) for leaf in (data.x, data.y, data.w))
    bias, weight = theta[:classes], theta[classes:].reshape(-1, classes)
    logits = x @ weight + bias
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    left = w[:, None] * (y - p)
    return x.T @ left, left.sum(axis=0)


def test_the_values_are_the_formulas_of_softmax_regression():
    model, u, x = Model.of(Linear(), blobs()), noise(), blobs()
    theta = jr.normal(jr.key(3), (model.layout.size,))
    sides = [regressed(np.asarray(theta, np.float64), data, 3) for data in (u, x)]
    (weight_u, _), (weight_x, _) = sides
    g_u, g_x = (np.concatenate([part.ravel() for part in side]) for side in sides)
    norms = np.linalg.norm(weight_u, axis=0) * np.linalg.norm(weight_x, axis=0)
    found = [value(divergence, at(model, u, x, theta)) for divergence in ALL]
    expected = [
        0.5 * np.sum((g_u - g_x) ** 2),
        -g_u @ g_x,
        np.sum(1 - (weight_u * weight_x).sum(axis=0) / norms),
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_the_cosine_is_that_of_every_layer_and_output_unit():
    """DC's distance written out, one unit of one layer at a time."""
    model, u, x, theta = digits()
    uphill = eqx.filter_jit(jax.grad(model.loglik))
    found = [uphill(theta, data) for data in (u, x)]
    g_u, g_x = (jax.tree.map(np.asarray, model.layout.unravel(g)) for g in found)
    layers = [(g_u["head"], g_x["head"]), *zip(g_u["blocks"], g_x["blocks"], strict=True)]
    total = 0.0
    for a, b in layers:
        for unit in range(a["weight"].shape[-1]):
            one, other = a["weight"][..., unit].ravel(), b["weight"][..., unit].ravel()
            total += 1 - one @ other / np.sqrt((one @ one) * (other @ other))
    assert value(LayerCosine(), at(model, u, x, theta)) == pytest.approx(total, rel=1e-5)
    assert 0.5 < total < 2 * 13


@every
@pytest.mark.parametrize("augment", [Unchanged(), Crop()], ids=repr)
def test_the_gradient_is_exact(divergence: Divergence, augment: Augment):
    """In points, labels and weights, against central differences along random directions."""
    with jax.enable_x64(True):
        single = digits()
        model, u, x, theta = jax.tree.map(lambda leaf: leaf.astype(jnp.float64), single)

        @jax.jit
        def loss(u: Data):
            return divergence(jr.key(5), at(model, Augmented(u, augment), x, theta))

        gradient = jax.jit(jax.grad(loss))(u)
        for key in jr.split(jr.key(1), 3):
            keys = jax.tree.unflatten(jax.tree.structure(u), list(jr.split(key, 3)))
            ahead = jax.tree.map(lambda k, leaf: 1e-6 * jr.normal(k, leaf.shape), keys, u)
            there, back = (jax.tree.map(lambda a, b: a + sign * b, u, ahead) for sign in (1, -1))  # noqa: B023
            slopes = jax.tree.map(lambda g, a: jnp.vdot(g, a), gradient, ahead)
            slope = 2 * sum(jax.tree.leaves(slopes))
            assert float(loss(there) - loss(back)) == pytest.approx(float(slope), rel=1e-5)


def test_it_is_the_inner_product_and_the_size_of_its_own_gradient():
    model, u, x, theta = digits()
    match = at(model, u, x, theta)
    nothing = Data(x.x, x.y, 0 * x.w)
    whole, inner = gradients(L2(), match), gradients(InnerProduct(), match)
    size = gradients(L2(), at(model, u, nothing, theta))
    np.testing.assert_allclose(whole.x, inner.x + size.x, rtol=1e-3, atol=1e-6)
    assert float(jnp.linalg.norm(size.x)) > 0.1 * float(jnp.linalg.norm(inner.x))


def test_equal_gradients_are_a_stationary_point_of_l2_and_of_the_cosine_only():
    model, u, _, theta = digits()
    copies = jax.tree.map(lambda leaf: jnp.concatenate([leaf, leaf]), u)
    match = at(model, u, copies.with_mass(u.mass), theta)
    usual = jnp.linalg.norm(gradients(InnerProduct(), match).x)
    assert value(L2(), match) < 1e-10
    assert jnp.linalg.norm(gradients(L2(), match).x) < 1e-5 * usual
    assert abs(value(LayerCosine(), match)) < 1e-5
    assert jnp.linalg.norm(gradients(LayerCosine(), match).x) < 1e-3 * usual
    assert usual > 0.01


@pytest.mark.parametrize("mass", [1e-12, 1e12])
def test_the_cosine_ignores_the_scale_of_the_weights_and_the_others_do_not(mass):
    model, u, x, theta = digits()
    usual, scaled = at(model, u, x, theta), at(model, u.with_mass(mass), x, theta)
    values = [[float(value(d, match)) for match in (usual, scaled)] for d in ALL]
    assert values[2][1] == pytest.approx(values[2][0], rel=1e-4)
    assert all(abs(b / a - 1) > 0.1 for a, b in values[:2])


def test_a_unit_that_no_point_reaches_counts_one_and_has_no_gradient():
    model = Model.of(MLP(width=4), blobs())
    layers = model.layout.unravel(model.init(jr.key(0)))
    layers[0]["bias"] = layers[0]["bias"].at[2].set(-1e3)
    match = at(model, noise(), blobs(), model.layout.ravel(layers))
    shown = value(LayerCosine(), match)
    assert 1.0 <= float(shown) <= 2 * 7
    assert all(
        jnp.isfinite(leaf).all() for leaf in jax.tree.leaves(gradients(LayerCosine(), match))
    )


@every
def test_no_gradient_flows_through_the_posterior(divergence: Divergence):
    model, u, x, theta = digits()

    @jax.jit
    def moved(shift):
        q_u = Gaussian(theta + shift, jnp.zeros(()))
        return divergence(jr.key(0), at(model, u, x, theta, q_u=q_u))

    assert jax.grad(moved)(0.0) == 0
    assert moved(0.1) != moved(0.0)


class Once(Augment):
    """x -> x + one number for the whole batch."""

    def __call__(self, key, x):
        return x + jr.normal(key, ())


@every
def test_both_sides_see_one_augmentation(divergence: Divergence):
    model, u, x, theta = digits()

    def shifted(data: Data, key) -> Data:
        return Data(Once()(key, data.x), data.y, data.w)

    key_augment = jr.split(jr.key(0))[1]
    by_hand = at(model, *(shifted(data, key_augment) for data in (u, x)), theta)
    found = value(divergence, at(model, Augmented(u, Once()), x, theta))
    assert float(found) == pytest.approx(float(value(divergence, by_hand)), rel=1e-5)
    assert found != value(divergence, at(model, u, x, theta))


@every
def test_it_takes_batches_and_dsa(divergence: Divergence):
    model, u, x, theta = digits()
    match = at(model, Augmented(u, DSA((Crop(), Rotate()))), Minibatches(x, 7), theta)
    first, again, other = (value(divergence, match, seed) for seed in (0, 0, 1))
    assert first == again
    assert first != other


def test_the_cosine_refuses_a_model_without_layers():
    u = Data(jnp.ones((4, 3)), jnp.ones((4, 1)), jnp.ones(4))
    match = at(location(), u, u, jnp.ones(3))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="Location has no layout with weight arrays: use L2"):
        LayerCosine()(jr.key(0), match)
    assert L2()(jr.key(0), match) == 0


def test_reverse_kl_is_l2_matching_where_q_u_is_narrow():
    """-Cov of many draws over σ², in a smooth model, within its Monte-Carlo error."""
    model = Model.of(Linear(), blobs())
    theta = 0.3 * jr.normal(jr.key(1), (model.layout.size,))
    match = at(model, noise(), blobs(), theta)

    @jax.jit
    def slope(u: Data):
        q_u = Gaussian(theta, jnp.asarray(0.02))
        return ReverseKL(draws=20_000)(jr.key(0), at(model, u, blobs(), theta, q_u=q_u)) / 0.02**2

    found, claimed = jax.grad(slope)(noise()), gradients(L2(), match)
    np.testing.assert_allclose(found.x, claimed.x, atol=0.05 * float(jnp.abs(claimed.x).max()))
    other = gradients(InnerProduct(), match)
    assert float(jnp.abs(found.x - other.x).max()) > 0.2 * float(jnp.abs(claimed.x).max())


@pytest.mark.parametrize("divergence", [L2(), LayerCosine()], ids=lambda d: d.name)
def test_learning_lowers_it(divergence: Divergence):
    problem, infer, key = separable(), Unroll(steps=3, rate=0.2), jr.key(0)
    learner = Learner(divergence, OuterSGD(images=1.0, momentum=0.0).build())
    learned = learn(key, learner, problem, noise(), infer, 60)

    @jax.jit
    def loss(u: Data):
        begin = learner.init(u, infer).learned
        return jax.vmap(lambda k: learner.loss(k, problem, begin))(jr.split(key, 20)).mean()

    assert loss(learned.u) < 0.7 * loss(noise())
