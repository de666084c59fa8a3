"""What every network promises, a user's own included: it adds a row here, and registers nothing."""

import copy
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest

from pseudocore.data import Data, labelled
from pseudocore.infer import Unroll
from pseudocore.model import Model
from pseudocore.networks import MLP, ConvNet, Function, GroupNorm, Linear, Module

RNG = np.random.default_rng(0)
LABELS = jnp.arange(12, dtype=jnp.int32) % 3
DATA = labelled(jnp.asarray(RNG.standard_normal((12, 8, 8, 1)), jnp.float32), LABELS, 3, 12.0)


def fresh(key):
    key_a, key_b = jr.split(key)
    return (0.1 * jr.normal(key_a, (64, 5)), [0.1 * jr.normal(key_b, (5, 3))])


def forward(params, x):
    first, (second,) = params
    return jnp.tanh(x.reshape(len(x), -1) @ first) @ second


def perceptron(key):
    """One point in, logits out, with what Equinox keeps beside arrays: activations and sizes."""
    key_a, key_b = jr.split(key)
    return eqx.nn.Sequential(
        [
            eqx.nn.Lambda(jnp.ravel),
            eqx.nn.MLP(64, 6, 5, 1, key=key_a),
            eqx.nn.Lambda(jax.nn.relu),
            eqx.nn.Linear(6, 3, key=key_b),
        ]
    )


def convolutional(key):
    key_a, key_b = jr.split(key)
    return eqx.nn.Sequential(
        [
            eqx.nn.Lambda(lambda x: jnp.moveaxis(x, -1, 0)),
            eqx.nn.Conv2d(1, 2, 3, key=key_a),
            eqx.nn.Lambda(jnp.ravel),
            eqx.nn.Linear(72, 3, key=key_b),
        ]
    )


every = pytest.mark.parametrize(
    "network",
    [
        Linear(),
        MLP(8),
        MLP(8, depth=2),
        ConvNet(1, 4),
        ConvNet(1, 4, GroupNorm(2)),
        Function(fresh, forward),
        Module(perceptron),
        Module(convolutional),
    ],
    ids=[
        "linear",
        "mlp",
        "deep mlp",
        "convnet",
        "group norm",
        "function",
        "module",
        "convolutional module",
    ],
)


def mean_loss(model, theta):
    return -model.loglik(theta, DATA.with_mass(1.0))


class Look(eqx.Module):
    """Fresh parameters, what they make of points, and where a few gradient steps lead."""

    params: Any
    theta: Any
    back: Any
    few: Any
    logits: Any
    features: Any
    losses: Any


@eqx.filter_jit
def look(model: Model, data: Data) -> Look:
    params = model.network.init(jr.key(0), model.shape, model.classes)
    theta = model.init(jr.key(0))
    trained = Unroll(steps=10, rate=0.3)(jr.key(1), model, data.with_mass(1.0), theta).centre
    return Look(
        params,
        theta,
        model.layout.unravel(theta),
        model.logits(theta, data.x[:5]),
        model.logits(theta, data.x),
        model.features(theta, data.x),
        [mean_loss(model, theta), mean_loss(model, trained)],
    )


@pytest.fixture(scope="module")
def looks():
    known = {}

    def at(network):
        if network not in known:
            known[network] = jax.device_get(look(Model.of(network, DATA), DATA))
        return known[network]

    return at


@every
def test_it_becomes_a_model_and_learns(network, looks):
    found = looks(network)
    assert found.theta.shape == (Model.of(network, DATA).layout.size,)
    assert found.logits.shape == (12, 3)
    assert found.features.shape[0] == 12
    assert found.features.ndim == 2
    assert found.losses[1] < found.losses[0] - 0.01


@every
def test_the_flat_vector_is_the_parameters(network, looks):
    """All of them, in the structure that the network drew."""
    found = looks(network)
    assert jax.tree.structure(found.back) == jax.tree.structure(found.params)
    leaves = jax.tree.leaves(found.params)
    for a, b in zip(jax.tree.leaves(found.back), leaves, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)
    np.testing.assert_array_equal(found.theta, np.concatenate([np.ravel(a) for a in leaves]))


@every
def test_points_do_not_see_each_other(network, looks):
    found = looks(network)
    np.testing.assert_allclose(found.few, found.logits[:5], rtol=1e-4, atol=1e-5)


@every
def test_equal_values_are_not_compiled_anew(network):
    traces = []

    @eqx.filter_jit
    def size(model):
        traces.append(model)
        return jnp.asarray(model.layout.size)

    for _ in range(2):
        size(Model.of(copy.copy(network), DATA))
    assert len(traces) == 1


def test_a_module_is_evaluated_as_equinox_does():
    model = Model.of(Module(perceptron), DATA)

    @jax.jit
    def both(key):
        return model.logits(model.init(key), DATA.x), jax.vmap(perceptron(key))(DATA.x)

    ours, theirs = both(jr.key(3))
    np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


def test_an_mlp_is_affine_maps_with_relu_between():
    network = MLP(5, depth=2)
    params = jax.jit(lambda: network.init(jr.key(0), (8, 8, 1), 3))()
    hidden = np.asarray(DATA.x).reshape(12, 64)
    for layer in params[:-1]:
        hidden = np.maximum(hidden @ np.asarray(layer["weight"]) + np.asarray(layer["bias"]), 0)
    expected = hidden @ np.asarray(params[-1]["weight"]) + np.asarray(params[-1]["bias"])
    logits, features = jax.jit(lambda *given: (network.apply(*given), network.features(*given)))(
        params, DATA.x
    )
    np.testing.assert_allclose(logits, expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(features, hidden, rtol=1e-4, atol=1e-5)
    assert jnp.abs(params[0]["weight"]).max() <= 1 / 8
    assert jnp.abs(params[1]["weight"]).max() > 1 / 8


def test_what_a_linear_network_sees_last_is_the_point():
    params = Linear().init(jr.key(0), (8, 8, 1), 3)
    np.testing.assert_array_equal(Linear().features(params, DATA.x), DATA.x.reshape(12, 64))
