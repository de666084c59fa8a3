"""Decoded pictures are kept: read once, never stale, and never missed where they cannot be."""

import json
import os
import resource
import signal

import numpy as np
import pytest
from safetensors import safe_open
from tests.datasets import made

from pseudocore.datasets import Cover, Folder, Squash
from pseudocore.datasets.cache import cache_folder
from pseudocore.errors import UserError

SIDE = 6
SQUASH = Squash(SIDE)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PSEUDOCORE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def folder(tmp_path):
    """Two pictures of each of two classes to train on, one to test on."""
    parts = {
        "train": made.points(0, 2, 2, SIDE, SIDE, 3),
        "test": made.points(1, 2, 1, SIDE, SIDE, 3),
    }
    return made.class_folders(tmp_path / "pictures", parts, ("a", "b"))


def read(folder, resize=SQUASH):
    """Pixels of both parts, and the notes."""
    raw = Folder(str(folder), resize).read()
    return np.concatenate([raw.train.values, raw.test.values]), raw.notes


def spoil(folder, *, later=0):
    """Other bytes in every file, of the same size, at the same time or `later` by nanoseconds."""
    for file in folder.rglob("*.png"):
        found = file.stat()
        file.write_bytes(b"x" * found.st_size)
        os.utime(file, ns=(found.st_atime_ns, found.st_mtime_ns + later))


def kept(cache):
    (file,) = cache.glob("pictures-*.safetensors")
    return file


def test_the_second_read_decodes_nothing(cache, folder):
    before, _ = read(folder)
    spoil(folder)
    after, notes = read(folder)
    np.testing.assert_array_equal(after, before)
    assert notes == ()


@pytest.mark.parametrize("what", ["time", "size", "another file", "a name"])
def test_a_change_is_seen(cache, folder, what):
    read(folder)
    file = folder / "train" / "a" / "0000.png"
    if what == "time":
        spoil(folder, later=1)
    elif what == "size":
        found = file.stat()
        file.write_bytes(b"x" * (found.st_size + 1))
        os.utime(file, ns=(found.st_atime_ns, found.st_mtime_ns))
    elif what == "another file":
        made.put(file.with_name("new.png"), b"x")
    else:
        found = file.stat()
        moved = made.put(file.with_name("new.png"), b"x" * found.st_size)
        os.utime(moved, ns=(found.st_atime_ns, found.st_mtime_ns))
        file.unlink()
    with pytest.raises(UserError, match="pictures cannot be read"):
        read(folder)


def test_a_new_picture_is_decoded(cache, folder):
    before, _ = read(folder)
    other = made.levels(9, SIDE, SIDE, 3)
    made.put(folder / "train" / "a" / "0000.png", made.png(other))
    after, _ = read(folder)
    np.testing.assert_array_equal(after[0], other)
    np.testing.assert_array_equal(after[1:], before[1:])


def test_pictures_of_every_size_are_kept_apart(cache, folder):
    made.put(folder / "train" / "a" / "wide.png", made.png(made.levels(3, SIDE, 2 * SIDE, 3)))
    ways = (Squash(SIDE), Cover(SIDE), Squash(4), Cover(4))
    first = [read(folder, way)[0] for way in ways]
    assert len(list(cache.iterdir())) == 4
    spoil(folder)
    for way, values in zip(ways, first, strict=True):
        np.testing.assert_array_equal(read(folder, way)[0], values)
    assert not np.array_equal(first[0], first[1])


def test_notes_colour_and_sizes_come_back(cache, folder):
    made.put(folder / "train" / "a" / "wide.png", made.png(made.levels(3, 5, 9, 1)))
    _, first = read(folder)
    _, second = read(folder)
    assert first == second
    assert first == ("Pictures of 6 x 6 to 9 x 5 pixels were brought to 6 x 6 by Squash(6).",)


def test_grey_pictures_stay_grey(cache, tmp_path):
    part = made.points(0, 2, 2, SIDE, SIDE, 1)
    folder = made.class_folders(tmp_path / "grey", {"train": part, "test": part}, ("a", "b"))
    before, _ = read(folder)
    spoil(folder)
    after, _ = read(folder)
    assert before.shape == (8, SIDE, SIDE, 1)
    np.testing.assert_array_equal(after, before)


def test_the_file_is_safetensors(cache, folder):
    values, _ = read(folder)
    with safe_open(kept(cache), "numpy") as held:
        assert set(held.keys()) == {"train", "test", "about"}
        np.testing.assert_array_equal(held.get_tensor("train"), values[:4])
        np.testing.assert_array_equal(held.get_tensor("test"), values[4:])
        about = json.loads(held.get_tensor("about").tobytes())
    assert about == {"colour": True, "smallest": [SIDE, SIDE], "largest": [SIDE, SIDE]}
    assert [file.name for file in cache.iterdir()] == [kept(cache).name]


def header(entries):
    text = json.dumps(entries).encode()
    return len(text).to_bytes(8, "little") + text


DAMAGED = {
    "nothing": lambda content: b"",
    "three bytes": lambda content: content[:3],
    "half a header": lambda content: content[:40],
    "no pixels": lambda content: content[:200],
    "a byte too few": lambda content: content[:-1],
    "noise": lambda content: np.random.default_rng(0).bytes(5000),
    "a header longer than memory": lambda content: b"\xff" * 500,
    "a header longer than the file": lambda content: (2**40).to_bytes(8, "little") + bytes(50),
    "zeros": lambda content: bytes(len(content)),
    "a list": lambda content: header([1, 2]),
    "other parts": lambda content: content.replace(b'"test"', b'"best"'),
    "other words": lambda content: (
        header({"about": {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]}}) + b"[]"
    ),
    "nothing about them": lambda content: content.replace(b'"colour"', b'"flavor"'),
}


@pytest.mark.parametrize("damage", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_file_is_decoded_anew(cache, folder, damage):
    before, _ = read(folder)
    content = kept(cache).read_bytes()
    assert damage(content) != content
    kept(cache).write_bytes(damage(content))
    after, notes = read(folder)
    np.testing.assert_array_equal(after, before)
    assert notes == ()
    assert kept(cache).read_bytes() == content


def test_a_cache_in_the_way_of_a_file_costs_time_only(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("PSEUDOCORE_CACHE", str(tmp_path / "good"))
    expected, _ = read(folder)
    made.put(tmp_path / "file", b"")
    for place in ("file", "file/inside"):
        monkeypatch.setenv("PSEUDOCORE_CACHE", str(tmp_path / place))
        values, notes = read(folder)
        np.testing.assert_array_equal(values, expected)
        (note,) = notes
        assert note.startswith("Decoded pictures are not kept (")
        assert note.endswith("set PSEUDOCORE_CACHE to another folder.")


@pytest.mark.skipif(made.reads_all(), reason="root may write everything")
def test_a_cache_that_may_not_be_written_costs_time_only(cache, folder):
    cache.mkdir()
    cache.chmod(0o500)
    values, notes = read(folder)
    assert values.shape == (6, SIDE, SIDE, 3)
    assert "Permission denied" in notes[0]


def test_a_full_disk_costs_time_only(cache, folder):
    """A limit on files stands for it: the space is taken before anything is decoded."""
    expected, _ = read(folder)
    kept(cache).unlink()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (600, limits[1]))
    try:
        values, notes = read(folder)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    np.testing.assert_array_equal(values, expected)
    assert "are not kept" in notes[0]
    assert list(cache.iterdir()) == []


def test_pictures_that_cannot_be_read_are_not_kept(cache, folder):
    spoil(folder)
    with pytest.raises(UserError, match="6 of 6 pictures cannot be read"):
        read(folder)
    assert list(cache.iterdir()) == []


def test_the_folder_is_the_systems_unless_another_is_named(monkeypatch, tmp_path):
    monkeypatch.delenv("PSEUDOCORE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "pseudocore"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "pseudocore"
    monkeypatch.setenv("PSEUDOCORE_CACHE", str(tmp_path / "mine"))
    assert cache_folder() == tmp_path / "mine"
