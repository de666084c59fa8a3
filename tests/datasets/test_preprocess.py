"""Stored values become points by a plain formula, come back, and are compared by their numbers."""

import dataclasses

import numpy as np
import pytest
from sklearn.decomposition import PCA

from pseudocore.datasets import ZCA, Preprocess, Standardise, Unwhitened
from pseudocore.datasets.preprocess import aligned, check_meet, statistics
from pseudocore.datasets.whiten import Rotated
from pseudocore.errors import UserError

RNG = np.random.default_rng(0)
COUNT = 600  # more than two blocks, and no multiple of one
BYTES = RNG.integers(0, 256, (COUNT, 4, 5, 3), dtype=np.uint8)
VALUES = {
    "bytes": BYTES,
    "floats": RNG.normal(0.4, 0.2, (COUNT, 4, 5, 3)).astype(np.float32),
    "doubles": RNG.normal(0.4, 0.2, (COUNT, 4, 5, 1)),
    "rows": RNG.normal(3, 20, (COUNT, 7)).astype(np.float32),
}


def prepared(values, whiten=None):
    """The preparation that fits these values."""
    preprocess = Preprocess(statistics(values), values.shape[1:], "as stored")
    if whiten is None:
        return preprocess
    return dataclasses.replace(preprocess, whitening=whiten.fit(preprocess(values)))


@pytest.mark.parametrize("kind", VALUES)
def test_points_are_those_of_the_plain_formula_bit_for_bit(kind):
    values = VALUES[kind]
    preprocess = prepared(values)
    x = values.astype(np.float32)
    if values.dtype == np.uint8:
        x = x / np.float32(255)
    mean, deviation = (
        np.array(c, np.float32)
        for c in (preprocess.standardise.mean, preprocess.standardise.deviation)
    )
    points = preprocess(values)
    np.testing.assert_array_equal(points, (x - mean) / deviation)
    assert points.dtype == np.float32


@pytest.mark.parametrize("count", [0, 1, 255, 256, 257, 512])
def test_blocks_leave_no_point_out(count):
    preprocess = prepared(BYTES)
    np.testing.assert_array_equal(preprocess(BYTES[:count]), preprocess(BYTES)[:count])


@pytest.mark.parametrize("kind", VALUES)
def test_standardised_points_have_mean_zero_and_deviation_one(kind):
    points = prepared(VALUES[kind])(VALUES[kind]).astype(np.float64)
    axes = tuple(range(points.ndim - 1))
    np.testing.assert_allclose(points.mean(axes), 0, atol=1e-6)
    np.testing.assert_allclose(points.std(axes), 1, atol=1e-6)


NEARLY = np.full((COUNT, 4, 5, 1), 200, np.uint8)
NEARLY[0, 0, 0] = 201
COUNTED = {
    "random": BYTES,
    "grey": BYTES[..., :1],
    "dark": BYTES // 90,
    "black and white": BYTES // 128 * 255,
    "one pixel apart": NEARLY,
}


@pytest.mark.parametrize("values", COUNTED.values(), ids=COUNTED)
def test_statistics_of_bytes_are_those_of_their_numbers(values):
    found = statistics(values)
    x = values.astype(np.float64) / 255
    np.testing.assert_allclose(found.mean, x.mean((0, 1, 2)), rtol=1e-12)
    np.testing.assert_allclose(found.deviation, x.std((0, 1, 2)), rtol=1e-12)


@pytest.mark.parametrize("value", [0, 7, 255])
def test_a_channel_of_one_byte_has_deviation_one(value):
    found = statistics(np.full((3000, 2, 2, 1), value, np.uint8))
    assert found.mean == pytest.approx((value / 255,), abs=1e-15)
    assert found.deviation == (1.0,)


@pytest.mark.parametrize("kind", VALUES)
def test_statistics_of_some_points_are_theirs(kind):
    values = VALUES[kind]
    some = np.sort(RNG.permutation(COUNT)[:99])
    assert statistics(values, some) == statistics(values[some])
    assert statistics(values, some) != statistics(values)


@pytest.mark.parametrize("whiten", [None, ZCA(), ZCA(3.0)], ids=["plain", "ZCA", "strong ZCA"])
@pytest.mark.parametrize("kind", VALUES)
def test_what_is_done_is_undone(kind, whiten):
    values = VALUES[kind]
    preprocess = prepared(values, whiten)
    expected = values / 255 if values.dtype == np.uint8 else values
    scale = np.abs(expected).max()
    np.testing.assert_allclose(preprocess.undo(preprocess(values)), expected, atol=2e-6 * scale)


@pytest.mark.parametrize("shape", [(1,), (3, 5), (7, 4, 4, 3), (0, 2), (1000, 1)])
def test_memory_begins_where_the_device_wants_it(shape):
    for _ in range(5):
        memory = aligned(shape)
        assert (memory.shape, memory.dtype) == (shape, np.float32)
        assert memory.size == 0 or memory.ctypes.data % 64 == 0
        memory[...] = 1


CORRELATED = (RNG.normal(size=(COUNT, 6)) @ RNG.normal(size=(6, 6)) + 2).astype(np.float32)


@pytest.mark.parametrize("strength", [1e-3, 0.1, 2.0])
def test_whitened_points_have_the_spectrum_that_the_strength_leaves(strength):
    """Λ / (Λ + strength) in the directions of the covariance, of mean 0."""
    whitened = ZCA(strength).fit(CORRELATED)(CORRELATED).astype(np.float64)
    values, vectors = np.linalg.eigh(np.cov(CORRELATED.astype(np.float64).T, bias=True))
    expected = (vectors * (values / (values + strength))) @ vectors.T
    np.testing.assert_allclose(np.cov(whitened.T, bias=True), expected, atol=2e-5)
    np.testing.assert_allclose(whitened.mean(0), 0, atol=1e-5)


def test_almost_without_strength_it_is_the_rotated_pca_of_scikit_learn():
    pca = PCA(whiten=True).fit(CORRELATED.astype(np.float64))
    theirs = pca.transform(CORRELATED) @ pca.components_ * np.sqrt(COUNT / (COUNT - 1))
    ours = ZCA(1e-9).fit(CORRELATED)(CORRELATED)
    np.testing.assert_allclose(ours, theirs, atol=2e-3)


def test_the_matrix_is_symmetric_and_leaves_the_shape_of_images():
    points = prepared(BYTES)(BYTES)
    found = ZCA().fit(points)
    assert found.matrix.shape == (60, 60)
    np.testing.assert_allclose(found.matrix, found.matrix.T, atol=1e-6)
    assert (np.linalg.eigvalsh(found.matrix.astype(np.float64)) > 0).all()
    assert found(points).shape == points.shape


def test_whitening_of_fewer_points_than_coordinates_stays_tame():
    found = ZCA(0.1).fit(prepared(BYTES)(BYTES)[:20])
    assert np.isfinite(found.matrix).all()
    assert np.linalg.eigvalsh(found.matrix.astype(np.float64)).max() <= 0.1**-0.5 * 1.001


@pytest.mark.parametrize("strength", [0.0, -1.0, float("nan")])
def test_a_strength_that_is_none_is_refused(strength):
    with pytest.raises(UserError, match=rf"whiten\.strength={strength} must be above 0"):
        ZCA(strength)


PLAIN = Preprocess(Standardise((0.4, 0.5), (0.2, 0.3)), (4, 4, 2), "RGB", 255.0)
MATRIX = np.eye(3, dtype=np.float32) * 2
WHITE = dataclasses.replace(PLAIN, whitening=Rotated(np.zeros(3, np.float32), MATRIX))


def with_constants(mean, deviation):
    return dataclasses.replace(PLAIN, standardise=Standardise(mean, deviation))


def with_matrix(matrix):
    return dataclasses.replace(PLAIN, whitening=Rotated(np.zeros(len(matrix), np.float32), matrix))


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (with_constants((0.4, 0.501), (0.2, 0.3)), ["mean (0.4, 0.5) against (0.4, 0.501)"]),
        (with_constants((0.4, 0.5), (0.201, 0.3)), ["deviation (0.2, 0.3) against (0.201, 0.3)"]),
        (
            with_constants((0.4,), (0.2,)),
            ["mean (0.4, 0.5) against (0.4,)", "deviation (0.2, 0.3) against (0.2,)"],
        ),
        (dataclasses.replace(PLAIN, shape=(4, 5, 2)), ["shape (4, 4, 2) against (4, 5, 2)"]),
        (dataclasses.replace(PLAIN, shape=(32,)), ["shape (4, 4, 2) against (32,)"]),
        (dataclasses.replace(PLAIN, channels="BGR"), ["channels RGB against BGR"]),
        (WHITE, ["not whitened against whitened"]),
    ],
    ids=["mean", "deviation", "channels", "shape", "rows", "order", "whitened"],
)
def test_what_differs_is_named(other, said):
    assert PLAIN.differences(other) == said
    assert PLAIN.differences(PLAIN) == other.differences(other) == []
    with pytest.raises(UserError) as error:
        check_meet("The coreset", PLAIN, "these experts", other)
    told = f"The coreset and these experts were not prepared alike: {'; '.join(said)}. Points"
    assert str(error.value).startswith(told)


def test_another_matrix_is_named():
    assert WHITE.differences(PLAIN) == ["whitened against not whitened"]
    for matrix in (MATRIX * 1.01, MATRIX[::-1].copy(), np.eye(4, dtype=np.float32)):
        assert WHITE.differences(with_matrix(matrix)) == ["whitened by another matrix"]


@pytest.mark.parametrize("change", [1e-7, -1e-7])
def test_rounding_is_no_difference(change):
    other = with_constants((0.4 + change, 0.5), (0.2, 0.3 - change))
    assert PLAIN.differences(other) == []
    assert WHITE.differences(with_matrix(MATRIX * np.float32(1 + change))) == []
    check_meet("The coreset", PLAIN, "these experts", other)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_differences_are_judged_in_units_of_the_data(scale):
    """Wavelengths in metres, and populations."""
    constants = (0.4 * scale,), (0.2 * scale,)
    one = with_constants(*constants)
    for mean, deviation in ((0.401, 0.2), (0.4, 0.201)):
        assert one.differences(with_constants((mean * scale,), (deviation * scale,)))
    assert not one.differences(with_constants(((0.4 + 1e-7) * scale,), ((0.2 - 1e-7) * scale,)))


def test_points_as_they_are_stay_the_same_array():
    x = np.ones((2, 3), np.float32)
    assert Unwhitened()(x) is x
    assert Unwhitened().undo(x) is x
    assert Unwhitened().fit(x) == Unwhitened()
