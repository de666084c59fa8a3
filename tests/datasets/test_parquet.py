"""Datasets of the Hugging Face hub on disk: columns, shards, names, and the local cache."""

import os
import sys

import numpy as np
import pytest
from tests.datasets import made

from pseudocore.datasets import Parquet, Squash, named
from pseudocore.errors import UserError

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

SIDE = 5
TRAIN, TEST = made.points(0, 3, 4, SIDE, SIDE, 3), made.points(1, 3, 2, SIDE, SIDE, 3)
NAMES = ("ape", "bee", "cat")


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("PSEUDOCORE_CACHE", str(tmp_path_factory.mktemp("cache")))


def write(folder, number=1, parts=("train", "test"), **options):
    for part, points in zip(parts, (TRAIN, TEST), strict=True):
        made.shards(folder / "data", part, points, number, **{"names": NAMES, **options})
    return folder


def read(folder, **fields):
    return Parquet(str(folder), resize=Squash(SIDE), **fields).read()


def check(raw):
    for part, expected in ((raw.train, TRAIN), (raw.test, TEST)):
        np.testing.assert_array_equal(part.values, expected.values)
        np.testing.assert_array_equal(part.labels, expected.labels)


@pytest.mark.parametrize("number", [1, 3])
def test_the_layout_of_the_hub_is_read(tmp_path, number):
    raw = read(write(tmp_path, number))
    check(raw)
    assert (raw.classes, raw.channels, raw.notes) == (NAMES, "RGB", ())


def test_files_without_a_number_are_read(tmp_path):
    write(tmp_path)
    for part in ("train", "test"):
        (file,) = tmp_path.glob(f"data/{part}-*")
        file.rename(tmp_path / f"{part}.parquet")
    check(read(tmp_path))


@pytest.mark.parametrize("columns", [("img", "fine_label"), ("image", "labels")])
def test_columns_are_known_by_several_names(tmp_path, columns):
    raw = read(write(tmp_path, columns=columns))
    check(raw)
    assert raw.classes == NAMES


def test_other_columns_are_named_by_a_person(tmp_path):
    write(tmp_path, columns=("photo", "species"))
    said = "no column image or img; they have photo, species. Name another: image='COLUMN'"
    with pytest.raises(UserError, match=said):
        read(tmp_path)
    with pytest.raises(UserError, match=r"no column label or .*Name another: label='COLUMN'"):
        read(tmp_path, image="photo")
    with pytest.raises(UserError, match=r"no column foto; they have photo, species"):
        read(tmp_path, image="foto", label="species")
    check(read(tmp_path, image="photo", label="species"))


def test_classes_without_names_are_numbered(tmp_path):
    raw = read(write(tmp_path, names=None))
    check(raw)
    assert raw.classes == ("0", "1", "2")


def test_bytes_without_a_struct_around_them_are_read(tmp_path):
    write(tmp_path)
    for file in tmp_path.glob("data/*"):
        rows = parquet.read_table(file).to_pylist()
        plain = {"image": [row["image"]["bytes"] for row in rows]}
        plain["label"] = [row["label"] for row in rows]
        parquet.write_table(pyarrow.table(plain), file)
    check(read(tmp_path))


@pytest.mark.parametrize("name", ["validation", "val", "valid"])
def test_validation_is_tested_on_where_there_is_no_test(tmp_path, name):
    check(read(write(tmp_path, parts=("train", name))))


def test_test_is_taken_before_validation(tmp_path):
    write(tmp_path)
    made.shards(tmp_path / "data", "validation", TRAIN, names=NAMES)
    check(read(tmp_path))


@pytest.mark.parametrize("part", ["train", "test"])
def test_a_missing_part_is_named(tmp_path, part):
    write(tmp_path)
    for file in tmp_path.glob(f"data/{part}-*"):
        file.unlink()
    with pytest.raises(UserError, match=rf"has no {part}-\*\.parquet: pseudocore reads datasets"):
        read(tmp_path)


def test_configurations_side_by_side_are_not_mixed(tmp_path):
    """Their rows would be points twice, or of two datasets."""
    for name in ("cropped", "full"):
        write(tmp_path / name)
    with pytest.raises(UserError, match=r"train files in 2 folders, .*cropped.*full.*[Nn]ame one"):
        read(tmp_path)
    check(read(tmp_path / "full"))


@pytest.mark.parametrize("size", [0, 10, 300])
def test_a_damaged_file_is_named(tmp_path, size):
    write(tmp_path)
    (file,) = tmp_path.glob("data/test-*")
    file.write_bytes(file.read_bytes()[:size])
    with pytest.raises(UserError, match=r"(?s)The test files of .* are damaged .*Fetch them again"):
        read(tmp_path)


def test_shards_that_do_not_fit_are_named(tmp_path):
    write(tmp_path)
    other = made.shards(tmp_path / "other", "train", TRAIN, columns=("img", "label"), names=NAMES)
    other[0].rename(tmp_path / "data" / "train-00001-of-00002.parquet")
    with pytest.raises(UserError, match=r"(?s)train files of .* do not fit each other"):
        read(tmp_path)


def test_a_test_part_without_the_column_is_named(tmp_path):
    write(tmp_path)
    made.shards(tmp_path / "data", "test", TEST, columns=("img", "label"), names=NAMES)
    with pytest.raises(UserError, match=r"test files .* no column image; they have img, label"):
        read(tmp_path)


@pytest.mark.parametrize("part", ["train", "test"])
def test_a_part_without_rows_is_named(tmp_path, part):
    write(tmp_path)
    none = made.Points(TRAIN.values[:0], TRAIN.labels[:0])
    made.shards(tmp_path / "data", part, none, names=NAMES)
    with pytest.raises(UserError, match=rf"{part} files of .* have no rows"):
        read(tmp_path)


def test_rows_without_a_picture_are_named(tmp_path):
    write(tmp_path)
    (file,) = tmp_path.glob("data/train-*")
    held = parquet.read_table(file)
    rows = held.to_pylist()
    rows[2]["image"]["bytes"] = None
    rows[5]["image"]["bytes"] = b"no picture"
    rows[7]["image"] = None
    parquet.write_table(pyarrow.Table.from_pylist(rows, schema=held.schema), file)
    said = r"3 of 18 pictures .*train row 2 \(no picture in column 'image'\); train row 5 \(no pic"
    with pytest.raises(UserError, match=said):
        read(tmp_path)


def test_hidden_labels_are_refused(tmp_path):
    """Competitions publish -1 in place of the labels of test."""
    write(tmp_path)
    hidden = made.Points(TEST.values, np.full(len(TEST.labels), -1))
    made.shards(tmp_path / "data", "test", hidden, names=NAMES)
    with pytest.raises(UserError, match="The test labels hold -1"):
        Parquet(str(tmp_path), resize=Squash(SIDE)).load()


def test_pixels_come_from_the_cache_until_a_file_changes(tmp_path):
    """The labels do not: only pictures are slow."""
    write(tmp_path)
    first = read(tmp_path)
    (file,) = tmp_path.glob("data/train-*")
    found = file.stat()
    other = made.points(7, 3, 4, SIDE, SIDE, 3)
    made.shards(tmp_path / "data", "train", other, names=NAMES)
    os.utime(file, ns=(found.st_atime_ns, found.st_mtime_ns))
    assert file.stat().st_size == found.st_size
    np.testing.assert_array_equal(read(tmp_path).train.values, first.train.values)
    os.utime(file, ns=(found.st_atime_ns, found.st_mtime_ns + 1))
    np.testing.assert_array_equal(read(tmp_path).train.values, other.values)


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """The hub's local cache, as it lies on disk."""
    monkeypatch.setattr(pytest.importorskip("huggingface_hub.constants"), "HF_HUB_CACHE", tmp_path)
    return tmp_path


def test_a_dataset_fetched_before_is_found_by_its_name(hub):
    commit = "0123456789abcdef0123456789abcdef01234567"
    place = hub / "datasets--owner--name"
    made.put(place / "refs" / "main", commit.encode())
    write(hub / "elsewhere")
    (place / "blobs").mkdir()
    (place / "snapshots" / commit / "data").mkdir(parents=True)
    for number, file in enumerate(sorted((hub / "elsewhere" / "data").iterdir())):
        blob = file.rename(place / "blobs" / f"{number}")
        (place / "snapshots" / commit / "data" / file.name).symlink_to(blob)
    data = named("hf:owner/name")
    assert data == Parquet("owner/name")
    check(read("owner/name"))


@pytest.mark.parametrize("name", ["owner/nothing", "nothing", "/none/at/all", "a b", "../x"])
def test_an_unknown_name_is_refused_with_the_remedy(hub, name):
    said = rf"no folder {name}, nor a dataset of that name.*hf download {name} --repo-type dataset"
    with pytest.raises(UserError, match=said):
        read(name)


@pytest.mark.parametrize("missing", ["huggingface_hub", "pyarrow", "pyarrow.parquet"])
def test_what_to_install_is_said(tmp_path, missing, monkeypatch):
    monkeypatch.setitem(sys.modules, missing, None)
    place = "owner/name" if missing == "huggingface_hub" else closed(tmp_path)
    with pytest.raises(UserError, match=r"pip install 'pseudocore\[hf\]'"):
        read(place)


def closed(folder):
    """Files that are never opened."""
    for part in ("train", "test"):
        made.put(folder / f"{part}.parquet", b"")
    return folder
