"""The paper's ConvNet: its size, its first parameters, its layers against the formulas in numpy."""

import math

import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from scipy.signal import correlate2d

from pseudocore.data import Data
from pseudocore.errors import UserError
from pseudocore.model import Model
from pseudocore.networks import MLP, ConvNet, GroupNorm, InstanceNorm, Linear, NoNorm
from pseudocore.networks.convnet import halve


def images(*shape: int) -> jax.Array:
    return jnp.asarray(np.random.default_rng(0).standard_normal(shape, np.float32))


def model_on(network, *shape: int, classes: int = 10) -> Model:
    """The model on points and classes of these shapes, of which there is one."""
    return Model.of(network, Data(jnp.zeros((1, *shape)), jnp.ones((1, classes)), jnp.ones(1)))


@pytest.mark.parametrize(
    ("network", "shape", "classes", "count"),
    [
        (ConvNet(), (32, 32, 3), 10, 320_010),  # the paper's, as PyTorch counts it
        (ConvNet(), (32, 32, 3), 100, 504_420),
        (ConvNet(depth=5), (128, 128, 3), 10, 615_690),
        (ConvNet(2, 16), (8, 8, 1), 10, 3_194),
        (ConvNet(2, 16, NoNorm()), (8, 8, 1), 10, 3_130),
        (MLP(64), (8, 8, 1), 10, 4_810),
        (MLP(64, depth=2), (64,), 10, 8_970),
        (Linear(), (8, 8, 1), 10, 650),
    ],
    ids=repr,
)
def test_number_of_parameters(network, shape, classes, count):
    assert model_on(network, *shape, classes=classes).layout.size == count


def uniform_within(values: np.ndarray, fan_in: int) -> None:
    """U(-b, b) with b = 1/√fan_in: bound, spread and mean (PyTorch's default)."""
    bound, n = 1 / math.sqrt(fan_in), values.size
    assert np.abs(values).max() <= bound
    assert np.abs(values).max() > bound * (1 - 12 / n)
    np.testing.assert_allclose(values.std(), bound / math.sqrt(3), rtol=3 / math.sqrt(n))
    np.testing.assert_allclose(values.mean(), 0, atol=4.5 * bound / math.sqrt(3 * n))


def test_first_parameters_are_those_of_pytorch():
    params = jax.device_get(jax.jit(lambda: ConvNet().init(jr.key(0), (32, 32, 3), 10))())
    for block, channels in zip(params["blocks"], (3, 128, 128), strict=True):
        assert block["weight"].shape == (3, 3, channels, 128)
        uniform_within(block["weight"], 9 * channels)
        uniform_within(block["bias"], 9 * channels)
        assert (block["norm"]["scale"] == 1).all()
        assert (block["norm"]["shift"] == 0).all()
    uniform_within(params["head"]["weight"], 2048)
    uniform_within(params["head"]["bias"], 2048)
    # No two layers share their draws.
    second, third = (block["weight"].ravel() for block in params["blocks"][1:])
    assert abs(np.corrcoef(second, third)[0, 1]) < 4.5 / math.sqrt(second.size)


def numpy_group_norm(maps: np.ndarray, groups: int) -> np.ndarray:
    """The formula, group by group in float64, with PyTorch's ε."""
    maps, out = maps.astype(np.float64), np.empty(maps.shape)
    size = maps.shape[-1] // groups
    for image in range(len(maps)):
        for g in range(groups):
            part = maps[image, :, :, g * size : (g + 1) * size]
            scaled = (part - part.mean()) / math.sqrt(part.var() + 1e-5)
            out[image, :, :, g * size : (g + 1) * size] = scaled
    return out


@pytest.mark.parametrize(
    ("norm", "groups"),
    [(InstanceNorm(), 6), (GroupNorm(6), 6), (GroupNorm(3), 3), (GroupNorm(1), 1)],
    ids=repr,
)
def test_norm_is_the_formula(norm, groups):
    scale, shift = np.arange(6.0, dtype=np.float32), np.linspace(-1, 1, 6, dtype=np.float32)
    maps = 3 + 0.1 * np.asarray(images(2, 5, 4, 6)) * (1 + scale)
    found = jax.jit(norm)({"scale": scale, "shift": shift}, maps)
    expected = numpy_group_norm(maps, groups) * scale + shift
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_norm_of_large_values_is_not_lost_to_cancellation():
    """E[x²] - E[x]² in float32 would be off by a fifth here."""
    maps = 1000 + np.asarray(images(1, 8, 8, 2))
    found = jax.jit(lambda maps: InstanceNorm()(InstanceNorm().init(2), maps))(maps)
    expected = numpy_group_norm(maps, 2)
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3)


def test_no_norm_is_no_norm():
    maps = images(2, 4, 4, 3)
    assert NoNorm().init(3) == {}
    assert NoNorm()({}, maps) is maps


@pytest.mark.parametrize("side", [(4, 6), (5, 6), (4, 7), (3, 5), (2, 2)], ids=str)
def test_pooling_drops_an_odd_last_row_and_column(side):
    maps = np.asarray(images(2, *side, 3))
    expected = np.empty((2, side[0] // 2, side[1] // 2, 3))
    for i, j in np.ndindex(expected.shape[1:3]):
        expected[:, i, j] = maps[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2].mean(axis=(1, 2))
    np.testing.assert_allclose(jax.jit(halve)(maps), expected, rtol=1e-5, atol=1e-6)


def numpy_convnet(params, x: np.ndarray) -> np.ndarray:
    """conv - norm - ReLU - pool, block by block, with scipy's correlation, in float64."""
    x = x.astype(np.float64)
    for block in jax.tree.map(lambda leaf: np.asarray(leaf, np.float64), params["blocks"]):
        maps = np.zeros((*x.shape[:3], block["weight"].shape[-1]))
        for n, i, o in np.ndindex(len(x), *block["weight"].shape[2:]):
            maps[n, :, :, o] += correlate2d(x[n, :, :, i], block["weight"][:, :, i, o], "same")
        maps = numpy_group_norm(maps + block["bias"], maps.shape[-1])
        maps = np.maximum(maps * block["norm"]["scale"] + block["norm"]["shift"], 0)
        high, wide = (side // 2 for side in maps.shape[1:3])
        x = maps[:, : 2 * high, : 2 * wide].reshape(len(x), high, 2, wide, 2, -1).mean(axis=(2, 4))
    head = jax.tree.map(lambda leaf: np.asarray(leaf, np.float64), params["head"])
    return x.reshape(len(x), -1) @ head["weight"] + head["bias"]


@pytest.mark.parametrize(
    ("network", "shape"),
    [(ConvNet(1, 4), (2, 8, 8, 1)), (ConvNet(2, 4), (2, 9, 7, 3))],
    ids=["grey", "odd, colour"],
)
def test_logits_are_the_layers_in_their_order(network, shape):
    x = images(*shape)
    params = jax.device_get(jax.jit(lambda: network.init(jr.key(0), shape[1:], 10))())
    params = jax.tree.map(lambda leaf: leaf + 0.1 * np.asarray(images(*leaf.shape)), params)
    logits, features = jax.jit(lambda *given: (network.apply(*given), network.features(*given)))(
        params, x
    )
    np.testing.assert_allclose(logits, numpy_convnet(params, np.asarray(x)), rtol=1e-3, atol=1e-4)
    expected = np.asarray(features) @ params["head"]["weight"] + params["head"]["bias"]
    np.testing.assert_allclose(logits, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("network", "shape", "message"),
    [
        (ConvNet(), (64,), r"not points of shape \(64,\); reshape them, or use MLP"),
        (ConvNet(), (8, 8), r"takes images \(height, width, channels\)"),
        (ConvNet(depth=4), (8, 8, 1), r"depth=4, width=128\) does not fit images of 8x8"),
        (ConvNet(depth=3), (32, 7, 3), "images of 32x7"),
        (ConvNet(depth=0), (8, 8, 1), "depth=0"),
        (ConvNet(2, 0), (8, 8, 1), "width=0"),
        (ConvNet(2, 16, GroupNorm(5)), (8, 8, 1), r"groups=5\) does not divide 16 channels"),
    ],
    ids=repr,
)
def test_a_network_that_does_not_fit_says_so(network, shape, message):
    with pytest.raises(UserError, match=message):
        model_on(network, *shape)


@pytest.mark.parametrize(("width", "depth"), [(0, 1), (8, 0), (-1, 1)])
def test_an_mlp_needs_hidden_units(width, depth):
    with pytest.raises(UserError, match="has no hidden units"):
        MLP(width, depth)
