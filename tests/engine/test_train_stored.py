"""Experts of data larger than memory: read from disk, they are those trained in memory."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pseudocore as pc
from pseudocore.data import Data
from pseudocore.datasets.base import Raw, opened
from pseudocore.datasets.parts import Part
from pseudocore.datasets.stored import MEMORY, Stored, room
from pseudocore.engine import train_stored
from pseudocore.engine.train_stored import blocked, train_stored_epoch
from pseudocore.model import Model
from pseudocore.networks import ConvNet
from pseudocore.train import Training, expert_keys, initial, train_epoch

TINY = "0.000001"  # GiB: a thousand bytes


@pytest.fixture
def data():
    random = np.random.default_rng(0)
    labels = np.arange(72).astype(np.int32) % 3
    values = random.integers(0, 120, (72, 8, 8, 3)) + 60 * labels[:, None, None, None]
    part = Part(values.astype(np.uint8), labels)
    return opened(Raw(part, part, ("a", "b", "c"), "RGB"), 0.2, 0)


@pytest.fixture
def training():
    return Training(0.1, 16, pc.DSA((pc.Flip(), pc.Crop())))


@pytest.mark.parametrize("block", [1, 40_000, 2**30], ids=["a batch", "two", "all"])
def test_an_epoch_from_disk_is_the_epoch_in_memory(data, training, block, monkeypatch):
    monkeypatch.setattr(train_stored, "BLOCK", block)
    model = Model.shaped(ConvNet(2, 4), data.shape, data.classes)
    keys = expert_keys(jax.random.key(0), range(2))
    in_memory = from_disk = initial(keys, model)
    for epoch in range(2):
        arguments = training, keys, jnp.asarray(epoch), model
        in_memory, *there = train_epoch(*arguments, data.split().train, in_memory)
        from_disk, *here = train_stored_epoch(*arguments, data.stored, from_disk)
        np.testing.assert_allclose(here, there, rtol=1e-5)
    np.testing.assert_allclose(from_disk, in_memory, atol=1e-6)
    assert float(jnp.abs(in_memory - initial(keys, model)).max()) > 0.01


def test_blocks_are_all_batches_and_fit(data, monkeypatch):
    point = 8 * 8 * 3 * 4
    monkeypatch.setattr(train_stored, "BLOCK", 5 * 2 * 16 * point)
    blocks = blocked(data.stored, (2, 12, 16))
    assert [range(12)[block] for block in blocks] == [range(5), range(5, 10), range(10, 12)]
    monkeypatch.setattr(train_stored, "BLOCK", 1)
    assert len(blocked(data.stored, (2, 12, 16))) == 12


def test_points_are_taken_by_number_and_never_those_held_out(data):
    numbers = np.array([[3, 0, 3], [56, 1, 2]])
    x, y = data.stored.take(numbers)
    train = data.split().train
    np.testing.assert_array_equal(x, np.asarray(train.x)[numbers])
    np.testing.assert_array_equal(y, np.asarray(train.y)[numbers])
    assert len(data.stored) == len(train) == 57
    with pytest.raises(IndexError):
        data.stored.take(np.array([57]))


def test_what_has_no_room_stays_on_disk(data, monkeypatch):
    assert isinstance(data.train(), Data)
    monkeypatch.setenv(MEMORY, TINY)
    assert isinstance(data.train(), Stored)


def test_of_a_larger_train_a_sample_of_every_class_is_loaded(data, monkeypatch):
    whole = data.split()
    assert whole.represents == len(whole.train) == 57
    monkeypatch.setenv(MEMORY, str(0.5 * data.stored.size / 2**30))
    part = data.split()
    counts = np.asarray(part.train.y).sum(0)
    assert (np.abs(counts - 57 / 6) < 1).all()
    assert part.represents == 57
    assert "Train has 57 points, more than memory has room for" in part.notes[-1]
    assert part.fingerprint == whole.fingerprint
    known = {row.tobytes() for row in np.asarray(whole.train.x)}
    assert {row.tobytes() for row in np.asarray(part.train.x)} <= known
    np.testing.assert_array_equal(part.test.x, whole.test.x)


def test_whitening_of_more_than_memory_is_refused(data, monkeypatch):
    monkeypatch.setenv(MEMORY, TINY)
    with pytest.raises(pc.UserError, match=rf"Whitening takes .* GiB.*Set {MEMORY}"):
        opened(data.raw, 0.2, 0, pc.ZCA())


@pytest.mark.parametrize("value", ["much", "0", "-1", "nan"])
def test_memory_that_is_no_amount_is_named(value, monkeypatch):
    monkeypatch.setenv(MEMORY, value)
    with pytest.raises(pc.UserError, match=rf"{MEMORY}={value} must be a number of GiB above 0"):
        room()


def test_a_plan_of_more_than_memory_trains_the_same_experts(tmp_path, monkeypatch):
    plan = dataclasses.replace(pc.preset("digits/ipc1-fkl").plan, count=2, epochs=2)
    pc.train_plan(plan, tmp_path / "memory")
    monkeypatch.setenv(MEMORY, TINY)
    pc.train_plan(plan, tmp_path / "disk")
    for name in ("expert-000.safetensors", "expert-001.safetensors"):
        here, there = ((tmp_path / place / name).read_bytes() for place in ("memory", "disk"))
        theta, other = (np.frombuffer(file[-4 * 600 :], np.float32) for file in (here, there))
        np.testing.assert_allclose(theta, other, atol=1e-5)


def test_a_sample_has_every_class_however_little_room_there_is(data, monkeypatch):
    monkeypatch.setenv(MEMORY, TINY)
    train = data.split().train
    np.testing.assert_array_equal(np.asarray(train.y).sum(0), [1, 1, 1])
