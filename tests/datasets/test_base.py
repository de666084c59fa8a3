"""The held-out part is cut from every class alike; pixels are standardised and come back."""

import os

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pseudocore.datasets import (
    FORMS,
    Cifar10,
    Dataset,
    Digits,
    Npz,
    Standardise,
    forms,
    named,
)
from pseudocore.datasets.base import Raw, opened
from pseudocore.datasets.parts import Part, stratified
from pseudocore.errors import UserError

labels = arrays(np.int32, st.integers(1, 60), elements=st.integers(0, 4))
# Below a half, no class can lose all its points: round(fraction * 1) is 0.
fractions = st.floats(0, 0.49)
seeds = st.integers(0, 2**32)
quick = settings(max_examples=100, deadline=None)
PIXELS = np.random.default_rng(0).uniform(size=(12, 4, 4, 3)).astype(np.float32)
LABELS = np.arange(12) % 3
PLAIN = Standardise((0.0,), (1.0,))


@quick
@given(labels, fractions, seeds)
def test_every_point_is_kept_or_cut_in_the_order_of_the_data(labels, fraction, seed):
    kept, cut = stratified(labels, fraction, seed)
    np.testing.assert_array_equal(np.sort(np.concatenate([kept, cut])), np.arange(len(labels)))
    assert (np.diff(kept) > 0).all()
    assert (np.diff(cut) > 0).all()


@quick
@given(labels, fractions, seeds)
@example(np.zeros(10, np.int32), 0.3, 0)
def test_every_class_loses_the_same_fraction(labels, fraction, seed):
    _, cut = stratified(labels, fraction, seed)
    before, gone = (np.bincount(y, minlength=5) for y in (labels, labels[cut]))
    assert (np.abs(gone - fraction * before) <= 0.5).all()


@quick
@given(labels, fractions, seeds)
def test_a_seed_cuts_the_same_points_every_time(labels, fraction, seed):
    for once, again in zip(
        stratified(labels, fraction, seed), stratified(labels, fraction, seed), strict=True
    ):
        np.testing.assert_array_equal(once, again)


def test_another_seed_cuts_other_points():
    labels = np.repeat(np.arange(3), 20)
    cuts = {tuple(stratified(labels, 0.5, seed)[1]) for seed in range(10)}
    assert len(cuts) == 10


def test_every_point_of_a_class_is_cut_as_often():
    """Points do not go because of where they lie in the file."""
    labels = np.repeat(np.arange(2), 8)
    counts = sum(
        np.bincount(stratified(labels, 0.25, seed)[1], minlength=16) for seed in range(400)
    )
    assert (np.abs(counts - 100) < 5 * (400 * 0.25 * 0.75) ** 0.5).all()


@pytest.mark.parametrize("fraction", [-0.1, 1.0, 1.5, float("nan"), float("inf")])
def test_a_fraction_out_of_range_is_named(fraction):
    with pytest.raises(UserError, match=rf"held_out={fraction} must be a fraction.*from 0 to"):
        stratified(LABELS, fraction, 0)


def test_a_negative_seed_is_named():
    with pytest.raises(UserError, match="seed=-1 must be at least 0"):
        stratified(LABELS, 0.1, -1)


def test_a_fraction_that_leaves_nothing_of_a_class_is_named():
    with pytest.raises(UserError, match=r"held_out=0\.6 leaves none of the 1 points of class 7"):
        stratified(np.array([0, 0, 0, 0, 7]), 0.6, 0)


def test_pixels_are_standardised_by_channel_and_come_back():
    standardise = Standardise((0.5, 0.25, 0.0), (2.0, 0.5, 1.0))
    x = standardise(PIXELS)
    assert x.dtype == np.float32
    np.testing.assert_allclose(x[..., 0], (PIXELS[..., 0] - 0.5) / 2, atol=1e-6)
    np.testing.assert_allclose(x[..., 1], (PIXELS[..., 1] - 0.25) / 0.5, atol=1e-6)
    np.testing.assert_allclose(standardise.undo(x), PIXELS, atol=1e-6)
    np.testing.assert_allclose(standardise.undo(np.zeros((2, 3))), [[0.5, 0.25, 0]] * 2)


def test_bytes_do_not_wrap_around():
    np.testing.assert_array_equal(
        Standardise((2.0,), (1.0,))(np.array([[0], [255]], np.uint8)), [[-2], [253]]
    )


def raw(test=5, standardise=None):
    """Twelve images of three classes, the first of them again as the test part."""
    parts = Part(PIXELS, LABELS), Part(PIXELS[:test], LABELS[:test])
    return Raw(*parts, ("a", "b", "c"), standardise=standardise)


def test_each_part_has_mass_one_and_its_own_points():
    parts = opened(raw(5, PLAIN), 0.25, 0).split()
    assert [len(part) for part in (parts.train, parts.held_out, parts.test)] == [9, 3, 5]
    for part in (parts.train, parts.held_out, parts.test):
        assert float(part.mass) == pytest.approx(1)
        np.testing.assert_array_equal(part.w, part.w[0])
    kept, gone = stratified(LABELS, 0.25, 0)
    np.testing.assert_array_equal(parts.train.x, PIXELS[kept])
    np.testing.assert_array_equal(parts.held_out.x, PIXELS[gone])
    np.testing.assert_array_equal(parts.held_out.y.argmax(-1), LABELS[gone])
    np.testing.assert_array_equal(parts.test.x, PIXELS[:5])
    assert (parts.shape, parts.classes) == ((4, 4, 3), 3)


def test_nothing_held_out_is_an_empty_part():
    parts = opened(raw(12, PLAIN), 0.0, 0).split()
    assert (len(parts.train), len(parts.held_out)) == (12, 0)
    assert parts.held_out.x.shape == (0, 4, 4, 3)


def test_without_constants_those_of_the_kept_part_are_taken():
    parts = opened(raw(12), 0.25, 0).split()
    kept = PIXELS[stratified(LABELS, 0.25, 0)[0]]
    points, kept = kept, kept.astype(np.float64)
    standardise = parts.preprocess.standardise
    np.testing.assert_allclose(standardise.mean, kept.mean((0, 1, 2)), rtol=1e-12)
    np.testing.assert_allclose(standardise.deviation, kept.std((0, 1, 2)), rtol=1e-12)
    assert np.abs(kept.mean((0, 1, 2)) - PIXELS.mean((0, 1, 2))).min() > 1e-4
    np.testing.assert_array_equal(parts.train.x, standardise(points))


def test_data_are_named_on_the_command_line():
    """Paths from the root: a run is judged from any folder."""
    assert named("digits") == Digits()
    assert named("cifar10") == Cifar10()
    assert named("cifar10:some/folder") == Cifar10(os.path.abspath("some/folder"))
    assert named("my:data.npz") == Npz(os.path.abspath("my:data.npz"))
    assert named("/my/../data.npz") == Npz("/data.npz")


def test_what_help_and_errors_offer_are_names(monkeypatch):
    monkeypatch.setitem(FORMS, "box:PATH", lambda path: Npz(path))
    with pytest.raises(UserError) as error:
        named("nothing")
    for form in FORMS:
        assert isinstance(named(form), Dataset)
        shown = form.replace(":FOLDER", "[:FOLDER]") if form.partition(":")[0] in FORMS else form
        assert shown in forms()
        assert shown in str(error.value)
    assert named("box:here") == Npz("here")


class Half(Dataset):
    """A dataset without the fields that --data carries over."""

    held_out: float = 0.1

    def read(self, say=None):
        raise NotImplementedError


def test_a_dataset_says_what_it_holds_out_and_by_which_seed():
    with pytest.raises(TypeError, match=r"abstract attributes.*seed"):
        Half()


@pytest.mark.parametrize(
    ("name", "nearest"), [("digit", "digits"), ("cifar-10", "cifar10"), ("digits:0", "digits")]
)
def test_an_unknown_name_suggests_the_nearest(name, nearest):
    with pytest.raises(UserError, match=rf"no dataset '{name}'\. Did you mean '{nearest}'\?"):
        named(name)
