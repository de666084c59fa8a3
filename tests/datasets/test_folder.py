"""A person's own pictures in folders: which are read, as what, and what is said of the rest."""

import os

import numpy as np
import pytest
from PIL import Image
from tests.datasets import made

from pseudocore.datasets import Cover, Folder, Squash
from pseudocore.datasets.cache import cache_folder
from pseudocore.datasets.parts import stratified
from pseudocore.errors import UserError

SIDE = 6


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    """An empty cache of the test's own."""
    monkeypatch.setenv("PSEUDOCORE_CACHE", str(tmp_path_factory.mktemp("cache")))


def shade(value, side=SIDE):
    return made.png(np.full((side, side, 3), value, np.uint8))


@pytest.fixture
def folder(tmp_path):
    """Two classes; the pictures of train have the colours 10, 11, 20, 21, of test 30, 40."""
    for part, values in {"train": (10, 11, 20, 21), "test": (30, 40)}.items():
        for number, value in enumerate(values):
            name = ("cat", "dog")[2 * number // len(values)]
            made.put(tmp_path / part / name / f"{value}.png", shade(value))
    return tmp_path


def read(folder, **fields):
    return Folder(str(folder), **{"resize": Squash(SIDE), **fields}).read()


def colours(part):
    return part.values[:, 0, 0, 0].tolist()


def test_classes_are_folders_in_the_order_of_their_names(folder):
    raw = read(folder)
    assert raw.classes == ("cat", "dog")
    assert (colours(raw.train), raw.train.labels.tolist()) == ([10, 11, 20, 21], [0, 0, 1, 1])
    assert (colours(raw.test), raw.test.labels.tolist()) == ([30, 40], [0, 1])
    assert (raw.channels, raw.white, raw.standardise, raw.notes) == ("RGB", 255, None, ())


@pytest.mark.parametrize("name", ["test", "val", "valid", "validation", "Test", "VAL"])
@pytest.mark.parametrize("first", ["train", "training", "Train"])
def test_parts_are_known_by_several_names(folder, first, name):
    (folder / "train").rename(folder / "first")
    (folder / "first").rename(folder / first)
    (folder / "test").rename(folder / "second")
    (folder / "second").rename(folder / name)
    raw = read(folder)
    assert (len(raw.train), len(raw.test)) == (4, 2)


def test_test_is_taken_before_val(folder):
    made.put(folder / "val" / "cat" / "1.png", shade(99))
    assert 99 not in colours(read(folder).test)


def test_pictures_may_lie_deeper(folder):
    made.put(folder / "train" / "cat" / "2024" / "may" / "12.png", shade(12))
    assert colours(read(folder).train) == [10, 11, 12, 20, 21]


def test_hidden_files_and_what_is_no_picture_are_passed_over(folder):
    for name in (".hidden.png", "._10.png", "notes.txt", "Thumbs.db", "10.png.part"):
        made.put(folder / "train" / "cat" / name, b"no picture")
    made.put(folder / "train" / "cat" / ".ipynb_checkpoints" / "10-checkpoint.png", shade(10))
    made.put(folder / "train" / ".cache" / "1.png", shade(1))
    made.put(folder / "train" / "loose.png", shade(1))
    assert colours(read(folder).train) == [10, 11, 20, 21]


def test_suffixes_of_any_case_are_known(folder):
    made.put(folder / "train" / "cat" / "12.PNG", shade(12))
    picture = Image.fromarray(np.full((SIDE, SIDE, 3), 13, np.uint8))
    for suffix in ("jpg", "JPEG", "bmp", "gif", "tif", "webp"):
        picture.save(folder / "train" / "cat" / f"13.{suffix}")
    assert len(read(folder).train) == 11


def test_names_of_any_kind_are_kept(folder):
    strange = "Kätzchen 猫 'и' \"it\" [1]"
    (folder / "train" / "cat").rename(folder / "train" / strange)
    (folder / "test" / "cat").rename(folder / "test" / strange)
    made.put(folder / "train" / strange / f"{'ü' * 100}.png", shade(12))
    made.put(folder / "train" / strange / f"{'x' * 250}.png", shade(13))
    raw = read(folder)
    assert raw.classes == (strange, "dog")
    assert sorted(colours(raw.train)) == [10, 11, 12, 13, 20, 21]


def test_a_name_that_is_no_unicode_is_read(folder):
    made.put(folder / "train" / "cat" / os.fsdecode(b"caf\xe9.png"), shade(12))
    assert sorted(colours(read(folder).train)) == [10, 11, 12, 20, 21]


def test_other_sizes_are_brought_to_one_and_a_note_says_so(folder):
    made.put(folder / "train" / "cat" / "big.png", shade(50, 40))
    made.put(folder / "test" / "cat" / "small.png", shade(60, 2))
    raw = read(folder, resize=Cover(8))
    assert raw.train.values.shape == (5, 8, 8, 3)
    assert raw.test.values.shape == (3, 8, 8, 3)
    assert raw.notes == ("Pictures of 2 x 2 to 40 x 40 pixels were brought to 8 x 8 by Cover(8).",)


def test_one_size_that_is_another_is_said_once(folder):
    assert read(folder, resize=Squash(8)).notes == (
        "Pictures of 6 x 6 pixels were brought to 8 x 8 by Squash(8).",
    )


@pytest.mark.parametrize("coloured", ["train", "test", None])
def test_a_folder_without_colour_has_one_channel(tmp_path, coloured):
    grey = made.png(np.full((SIDE, SIDE, 1), 7, np.uint8))
    for part in ("train", "test"):
        for name in ("a", "b"):
            made.put(tmp_path / part / name / "1.png", grey)
    if coloured:
        made.put(tmp_path / coloured / "a" / "2.png", shade(3))
    raw = read(tmp_path)
    channels = 3 if coloured else 1
    assert raw.train.values.shape[1:] == raw.test.values.shape[1:] == (SIDE, SIDE, channels)
    assert raw.channels == ("RGB" if coloured else "gray")
    assert raw.train.values[0].tolist() == np.full((SIDE, SIDE, channels), 7).tolist()


def test_without_a_test_part_what_to_do_is_said(folder):
    for file in sorted(folder.glob("test/*/*")):
        file.unlink()
    for inside in ("test/cat", "test/dog", "test"):
        (folder / inside).rmdir()
    said = r"has no test or val folder.*same classes.*--data\.cut 0\.2.*--plan\.data\.cut 0\.2"
    with pytest.raises(UserError, match=said):
        read(folder)
    for cut in (1.0, -0.2, 20.0, float("nan")):
        with pytest.raises(UserError, match=r"cut=.* must be a fraction of every class, below 1"):
            read(folder, cut=cut)


@pytest.fixture
def whole(tmp_path):
    """Ten pictures of each of three classes, at the top of a folder."""
    for label, name in enumerate("abc"):
        for number in range(10):
            made.put(tmp_path / name / f"{number}.png", shade(20 * label + number))
    return tmp_path


def test_cut_takes_the_same_of_every_class_every_time(whole):
    raws = [read(whole, cut=0.3, seed=seed) for seed in (0, 0, 1)]
    by_seed_0 = stratified(np.repeat(np.arange(3), 10), 0.3, 0)[1]
    assert colours(raws[0].test) == [20 * (i // 10) + i % 10 for i in by_seed_0]
    for raw in raws:
        assert np.bincount(raw.test.labels).tolist() == [3, 3, 3]
        assert np.bincount(raw.train.labels).tolist() == [7, 7, 7]
        assert sorted(colours(raw.train) + colours(raw.test)) == sorted(
            20 * label + number for label in range(3) for number in range(10)
        )
        assert all(c // 20 == y for c, y in zip(colours(raw.test), raw.test.labels, strict=True))
        assert colours(raw.test) == colours(raws[0].test), "the seed is that of the held-out part"
        assert raw.notes == ("There is no test folder: 0.3 of every class, 9 pictures, is tested.",)


def test_a_cut_that_takes_nothing_is_named(whole):
    with pytest.raises(UserError, match=r"cut=0\.01 .*raise it"):
        read(whole, cut=0.01)


def test_with_a_test_folder_nothing_is_cut(folder):
    raw = read(folder, cut=0.5)
    assert (len(raw.train), len(raw.test), raw.notes) == (4, 2, ())


def test_a_test_part_with_another_class_is_refused(folder):
    made.put(folder / "test" / "zebra" / "1.png", shade(1))
    with pytest.raises(UserError, match=r"test part has classes that train does not have: zebra\."):
        read(folder)


def test_a_test_part_may_lack_a_class(folder):
    for file in (folder / "test" / "cat").iterdir():
        file.unlink()
    raw = read(folder)
    assert (raw.classes, raw.test.labels.tolist()) == (("cat", "dog"), [1])


def test_a_class_without_pictures_is_left_out_and_a_note_says_so(folder):
    (folder / "train" / "bird").mkdir()
    made.put(folder / "train" / "fish" / "1.heic", b"a kind of picture that Pillow cannot read")
    raw = read(folder)
    assert raw.classes == ("cat", "dog")
    assert raw.notes == ("Left out, for no picture that can be read is in them: bird, fish.",)


def test_one_class_is_refused(folder):
    for part in ("train", "test"):
        (folder / part / "dog").rename(folder / part / ".dog")
    with pytest.raises(UserError, match="only one class, cat: to classify takes two"):
        Folder(str(folder), Squash(SIDE)).load()


@pytest.mark.parametrize("part", ["train", "test"])
def test_a_part_without_pictures_is_named(folder, part):
    for file in sorted(folder.glob(f"{part}/*/*")):
        file.unlink()
    said = rf"{part} has no folders with pictures in them\. Put .*CLASS/1\.png; known are \.bmp"
    with pytest.raises(UserError, match=said):
        read(folder)


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UserError, match=r"no folder .*none\. Check the path"):
        read(tmp_path / "none")


def test_a_test_folder_alone_is_named(folder):
    (folder / "train").rename(folder / ".train")
    with pytest.raises(UserError, match=r"has a test folder and no train folder: .*train/CLASS/"):
        read(folder)


def test_what_cannot_be_read_is_listed_by_its_place_and_nothing_is_kept(folder):
    made.put(folder / "train" / "cat" / "empty.png", b"")
    made.put(folder / "test" / "dog" / "text.jpg", b"no picture")
    (folder / "train" / "dog" / "nowhere.png").symlink_to(folder / "gone.png")
    with pytest.raises(UserError) as error:
        read(folder)
    text = str(error.value)
    assert text.startswith("3 of 9 pictures cannot be read: train/cat/empty.png (no picture")
    assert "train/dog/nowhere.png (" in text
    assert "test/dog/text.jpg (no picture" in text
    assert list(cache_folder().iterdir()) == []


def test_a_link_to_a_picture_is_that_picture(folder):
    (folder / "train" / "dog" / "22.png").symlink_to(folder / "train" / "cat" / "10.png")
    assert colours(read(folder).train) == [10, 11, 20, 21, 10]


@pytest.mark.skipif(made.reads_all(), reason="root may read everything")
@pytest.mark.parametrize("place", ["", "train", "train/cat", "train/cat/inside"])
def test_a_folder_without_permission_is_named(folder, place):
    made.put(folder / "train" / "cat" / "inside" / "12.png", shade(12))
    (folder / place).chmod(0)
    try:
        with pytest.raises(UserError, match=r"may not be read.*Change its rights"):
            read(folder)
    finally:
        (folder / place).chmod(0o700)


def test_a_second_test_folder_is_left_alone_and_it_is_said(tmp_path):
    for part in ("train", "val", "test"):
        for name in ("a", "b"):
            (tmp_path / part / name).mkdir(parents=True)
            Image.new("L", (8, 8), 100).save(tmp_path / part / name / "1.png")
    raw = Folder(str(tmp_path)).read()
    assert any("val is not read: test is the test part." in note for note in raw.notes)


def test_a_fraction_for_the_test_part_is_called_by_its_name(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        Image.new("L", (8, 8), 100).save(tmp_path / name / "1.png")
    with pytest.raises(UserError, match=r"cut=0\.9 leaves none of the 1 points"):
        Folder(str(tmp_path), cut=0.9).read()


def test_files_that_are_no_pictures_are_named(tmp_path):
    for part in ("train", "test"):
        for name in ("a", "b"):
            (tmp_path / part / name).mkdir(parents=True)
            Image.new("L", (8, 8), 100).save(tmp_path / part / name / "1.png")
    for file in ("a/2.heic", "a/.DS_Store", "b/notes.txt", "loose.png"):
        (tmp_path / "train" / file).write_bytes(b"")
    (note,) = [note for note in Folder(str(tmp_path)).read().notes if "Not read" in note]
    named = [str(tmp_path / "train" / file) for file in ("loose.png", "a/2.heic", "b/notes.txt")]
    assert note.endswith(": " + ", ".join(os.path.relpath(file, tmp_path) for file in named) + ".")
