"""Test pictures under corruptions: the published arrays, and those made here in their layout."""

import dataclasses
import json
import os

import numpy as np
import pytest
from tests.datasets import made

from pseudocore.corrupt import corrupt
from pseudocore.datasets import Cifar10, Corrupted, Npz
from pseudocore.datasets.corrupting import corrupt_all
from pseudocore.datasets.parts import Part, fingerprint
from pseudocore.errors import UserError

COUNT = 10


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    """CIFAR-10 with a test picture a class."""
    folder = tmp_path_factory.mktemp("cifar10")
    made.cifar10(folder)
    return Cifar10(str(folder))


@pytest.fixture
def published(tmp_path, clean):
    """Arrays of five severities: every pixel of picture i of severity s is 10 s + i."""
    shades = np.arange(10, 60, dtype=np.uint8)
    values = np.broadcast_to(shades[:, None, None, None], (50, 32, 32, 3))
    np.save(tmp_path / "fog.npy", values)
    np.save(tmp_path / "labels.npy", np.tile(np.arange(10, dtype=np.uint8), 5))
    return tmp_path


def origin_of(part):
    return {"data": "it", "test": fingerprint(part, np.arange(len(part)))}


@pytest.mark.parametrize("severity", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("labels", [COUNT, 5 * COUNT])
def test_a_severity_is_its_fifth_of_the_array(clean, published, severity, labels):
    np.save(published / "labels.npy", np.tile(np.arange(10, dtype=np.uint8), 5)[:labels])
    raw = Corrupted(clean, str(published), "fog", severity).read()
    np.testing.assert_array_equal(raw.test.values[:, 5, 6, 1], 10 * severity + np.arange(10))
    np.testing.assert_array_equal(raw.test.labels, np.arange(10))
    assert raw.test.values.shape == (10, 32, 32, 3)
    assert raw.tested == f"fog {severity}"


def test_all_else_is_that_of_the_clean_dataset(clean, published):
    before = dataclasses.replace(clean, held_out=0.2, seed=3)
    data = Corrupted(before, str(published), "fog", 2)
    assert (data.held_out, data.seed, data.whiten) == (0.2, 3, clean.whiten)
    one, other = before.load(), data.load()
    for part in ("train", "held_out"):
        np.testing.assert_array_equal(getattr(one, part).x, getattr(other, part).x)
    assert one.fingerprint == other.fingerprint
    assert one.preprocess == other.preprocess
    assert (one.tested, other.tested) == ("", "fog 2")


def test_the_folder_that_the_archive_unpacks_to_may_lie_inside(clean, published, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    os.symlink(published, outside / "CIFAR-10-C")
    assert Corrupted(clean, str(outside), "fog", 1).read().tested == "fog 1"


@pytest.mark.parametrize("name", ["fog.npy", "labels.npy"])
def test_a_missing_file_is_named_with_the_remedy(clean, published, name):
    (published / name).unlink()
    with pytest.raises(UserError, match=rf"no .*{name}.*data get cifar10-c.*data corrupt DATA"):
        Corrupted(clean, str(published), "fog", 1).read()


@pytest.mark.parametrize(("images", "labels"), [(49, 10), (50, 9), (50, 49), (0, 10), (4, 0)])
def test_another_length_is_named(clean, published, images, labels):
    np.save(published / "fog.npy", np.zeros((images, 32, 32, 3), np.uint8))
    np.save(published / "labels.npy", np.zeros(labels, np.uint8))
    said = rf"fog\.npy has {images} images and labels\.npy {labels} labels.*five severities"
    with pytest.raises(UserError, match=said):
        Corrupted(clean, str(published), "fog", 1).read()


def test_a_file_that_is_cut_short_is_named(clean, published):
    content = (published / "fog.npy").read_bytes()
    (published / "fog.npy").write_bytes(content[:-1])
    with pytest.raises(UserError, match=r"fog\.npy is no \.npy file of plain numbers"):
        Corrupted(clean, str(published), "fog", 1).read()


@pytest.mark.parametrize(
    "values",
    [np.zeros((50, 32, 32, 3), np.float32), np.zeros((), np.uint8), np.zeros(50, np.uint8)],
    ids=["floats", "a number", "a row"],
)
def test_what_is_no_array_of_pictures_is_refused(clean, published, values):
    np.save(published / "fog.npy", values)
    with pytest.raises(UserError, match=r"fog\.npy holds .*: expected bytes \(n, height"):
        Corrupted(clean, str(published), "fog", 1).read()


def test_pictures_of_another_size_are_refused(clean, published):
    np.save(published / "fog.npy", np.zeros((50, 16, 16, 3), np.uint8))
    with pytest.raises(UserError, match=r"Train points .*\(32, 32, 3\), test .*\(16, 16, 3\)"):
        Corrupted(clean, str(published), "fog", 1).load()


@pytest.mark.parametrize("severity", [0, 6, -1])
def test_a_severity_that_is_not_there_is_named(clean, severity):
    with pytest.raises(UserError, match=rf"severity={severity} must be one of 1 to 5"):
        Corrupted(clean, "it", "fog", severity)


def test_a_corruption_that_is_not_there_is_named(clean):
    with pytest.raises(UserError, match=r"no corruption 'fogg'\. Did you mean 'fog'"):
        Corrupted(clean, "it", "fogg", 1)


NAMES = ("contrast", "brightness")


@pytest.fixture(scope="module")
def test_part(clean):
    return clean.read().test


@pytest.fixture
def folder(tmp_path, test_part):
    corrupt_all(test_part, NAMES, 0, tmp_path / "out", origin_of(test_part))
    return tmp_path / "out"


def contents(folder):
    return {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in folder.iterdir()}


def test_what_is_made_is_laid_out_as_published_and_says_so(clean, folder, test_part):
    names = {file.name for file in folder.iterdir()}
    assert names == {"contrast.npy", "brightness.npy", "labels.npy", "made-by-pseudocore.json"}
    for severity in (1, 5):
        raw = Corrupted(clean, str(folder), "contrast", severity).read()
        expected = corrupt(test_part.values, "contrast", severity, 0)
        np.testing.assert_array_equal(raw.test.values, expected)
        np.testing.assert_array_equal(raw.test.labels, test_part.labels)
        assert raw.tested == f"contrast {severity}, regenerated"


def test_a_second_time_nothing_is_made_again(folder, test_part):
    before = contents(folder)
    corrupt_all(test_part, NAMES, 0, folder, origin_of(test_part))
    assert contents(folder) == before


def test_what_was_stopped_goes_on(folder, test_part):
    """Whole files stay, half ones are never there, what is missing is made."""
    before = contents(folder)
    (folder / "brightness.npy").unlink()
    made.put(folder / ".brightness.npy.partial", b"half")
    told = []
    corrupt_all(
        test_part, NAMES, 0, folder, origin_of(test_part), lambda *words: told.append(words[:3])
    )
    after = contents(folder)
    assert {name: content for name, (content, _) in after.items()} == {
        name: content for name, (content, _) in before.items()
    }
    assert after["contrast.npy"] == before["contrast.npy"]
    assert "contrast" not in {what for what, *_ in told}
    assert told[-1] == ("corruptions", 10, 10)


def test_more_corruptions_join_those_that_are_there(folder, test_part):
    before = contents(folder)
    corrupt_all(test_part, ("gaussian_noise",), 0, folder, origin_of(test_part))
    after = contents(folder)
    assert set(after) - set(before) == {"gaussian_noise.npy"}
    assert {name: after[name] for name in before} == before


def test_other_images_or_another_seed_are_refused(folder, test_part):
    before = contents(folder)
    other = Part(255 - test_part.values, test_part.labels)
    relabelled = Part(test_part.values, test_part.labels[::-1].copy())
    for part, seed in ((test_part, 1), (other, 0), (relabelled, 0)):
        with pytest.raises(
            UserError, match=r"other images or .*another seed.*choose another --out"
        ):
            corrupt_all(part, NAMES, seed, folder, origin_of(part))
    assert contents(folder) == before


def test_a_folder_of_published_arrays_is_left_alone(published, test_part):
    before = contents(published)
    with pytest.raises(UserError, match=r"not made here, perhaps the published ones.*--out"):
        corrupt_all(test_part, NAMES, 0, published, origin_of(test_part))
    assert contents(published) == before


def test_grey_pictures_stay_grey(tmp_path):
    grey = Part(made.levels(0, 4, 32, 32, 1), np.arange(4) % 2)
    corrupt_all(grey, ("fog",), 0, tmp_path / "out", origin_of(grey))
    values = np.load(tmp_path / "out" / "fog.npy")
    assert (values.shape, values.dtype) == ((20, 32, 32, 1), np.uint8)
    np.testing.assert_array_equal(values[8:12], corrupt(grey.values, "fog", 3, 0))


@pytest.mark.parametrize(
    "values",
    [
        np.zeros((4, 7)),
        np.full((4, 8, 8, 3), 7.5),
        made.levels(0, 4, 8, 8, 2),
        made.levels(0, 4, 2, 2, 3),
    ],
    ids=["rows", "floats", "two channels", "too small"],
)
def test_what_is_no_picture_is_refused_before_anything_is_written(tmp_path, values):
    part = Part(values, np.arange(4) % 2)
    with pytest.raises(UserError, match="corrupt"):
        corrupt_all(part, ("fog",), 0, tmp_path / "out", origin_of(part))
    pictures = Part(made.levels(0, 4, 8, 8, 3), np.arange(4) % 2)
    with pytest.raises(UserError, match="seed -1"):
        corrupt_all(pictures, ("fog",), -1, tmp_path / "out", origin_of(pictures))
    assert not (tmp_path / "out").exists()


def test_corruptions_of_another_dataset_are_refused(folder, tmp_path):
    """Their labels fit, and would be those of other pictures."""
    train, test = made.points(5, 10, 2, 32, 32, 3), made.points(6, 10, 1, 32, 32, 3)
    arrays = {"x_train": train.values, "y_train": train.labels}
    np.savez(tmp_path / "mine.npz", **arrays, x_test=test.values, y_test=test.labels)
    with pytest.raises(UserError, match=r"made from the test images of it, which are not those of"):
        Corrupted(Npz(str(tmp_path / "mine.npz")), str(folder), "contrast", 1).read()


def test_what_says_how_it_was_made_must_be_whole(clean, folder):
    for content in (b"{", json.dumps([1]).encode()):
        (folder / "made-by-pseudocore.json").write_bytes(content)
        with pytest.raises(UserError, match=r"made-by-pseudocore\.json .*Delete the folder"):
            Corrupted(clean, str(folder), "contrast", 1).read()


def test_published_corruptions_of_another_dataset_are_refused(clean, published):
    """As many images, labels of the right range, and yet not those of this test part."""
    labels = np.load(published / "labels.npy")
    np.save(published / "labels.npy", np.zeros_like(labels))
    with pytest.raises(UserError, match=r"labels\.npy has not as many labels of every class"):
        Corrupted(clean, str(published), "fog", 1).read()
