"""What a person's own arrays mean: their axes, their scale, and what is lost already."""

import pickle

import numpy as np
import pytest
from tests.datasets import made

from pseudocore.datasets import Npy, Npz
from pseudocore.datasets.inspect import inspect
from pseudocore.errors import UserError

BYTES = {"train": made.levels(0, 12, 5, 6, 3), "test": made.levels(1, 6, 5, 6, 3)}
LABELS = {"train": np.arange(12) % 3, "test": np.arange(6) % 3}
NHWC = "Images of 5 x 6 x 3 are read as height x width x channels (NHWC)."


def given(change=lambda x: x):
    """The four arrays, the images changed."""
    held = {f"x_{part}": change(values) for part, values in BYTES.items()}
    return held | {f"y_{part}": labels for part, labels in LABELS.items()}


@pytest.fixture(params=["npz", "npy"])
def read(request, tmp_path):
    """What is read of these arrays, from an archive and from a folder."""

    def write_and_read(arrays):
        if request.param == "npz":
            np.savez(tmp_path / "mine.npz", **arrays)
            return Npz(str(tmp_path / "mine.npz")).read()
        for name, values in arrays.items():
            np.save(tmp_path / f"{name}.npy", values)
        return Npy(str(tmp_path)).read()

    return write_and_read


def test_channels_last_are_read_as_they_are(read):
    raw = read(given())
    np.testing.assert_array_equal(raw.train.values, BYTES["train"])
    np.testing.assert_array_equal(raw.test.values, BYTES["test"])
    assert raw.train.values.dtype == np.uint8
    assert (raw.notes, raw.white, raw.classes) == ((NHWC,), 255, ("0", "1", "2"))


def test_channels_first_are_turned_and_a_note_says_so(read):
    raw = read(given(lambda x: x.transpose(0, 3, 1, 2)))
    np.testing.assert_array_equal(raw.train.values, BYTES["train"])
    np.testing.assert_array_equal(raw.test.values, BYTES["test"])
    assert raw.notes == ("Images of 3 x 5 x 6 are read as channels x height x width (NCHW).",)


@pytest.mark.parametrize(("first", "last"), [(1, 3), (3, 1), (3, 3), (1, 1)])
def test_where_both_are_possible_the_doubt_is_said(read, first, last):
    raw = read(given(lambda x: x[:, :1, :, :1].repeat(first, 1).repeat(last, 3)))
    assert raw.train.values.shape == (12, first, 6, last)
    (note,) = raw.notes
    assert note.startswith(f"Images of {first} x 6 x {last} are read as height x width x channels")
    assert note.endswith("were it NCHW, give (n, height, width, channels).")


def test_images_without_an_axis_for_channels_get_one_in_silence(read):
    raw = read(given(lambda x: x[..., 0]))
    np.testing.assert_array_equal(raw.train.values, BYTES["train"][..., :1])
    assert raw.notes == ()


def test_floats_that_are_standardised_are_refused_with_their_numbers(read):
    x = (BYTES["train"] / 255 - 0.48) / 0.28  # by constants that are rounded, as all are
    with pytest.raises(UserError) as error:
        read(given(lambda x: (x / 255 - 0.48) / 0.28))
    for said in (
        f"from {x.min():.2f} to {x.max():.2f} with mean {x.mean():.2f}",
        f"deviation {x.std():.2f}: they are standardised already",
        "Give the pixels, x * deviation + mean",
    ):
        assert said in str(error.value)


def test_floats_from_minus_one_to_one_are_not_taken_for_standardised(read):
    raw = read(given(lambda x: x / 127.5 - 1))
    np.testing.assert_allclose(raw.train.values, BYTES["train"] / 127.5 - 1, atol=1e-6)
    assert raw.white == 1
    assert raw.notes[1] == "Values from -1 to 1 are no pixels: pictures show 0 to 1."


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", ">f4"])
def test_bytes_as_floats_are_known_by_their_range(read, kind):
    raw = read(given(lambda x: x.astype(kind)))
    np.testing.assert_allclose(raw.train.values, BYTES["train"] / 255, atol=1e-6)
    np.testing.assert_allclose(raw.test.values, BYTES["test"] / 255, atol=1e-6)
    assert raw.train.values.dtype == np.float32
    assert raw.white == 255
    assert raw.notes[1] == "Values from 0 to 255: 255 is read as white."


@pytest.mark.parametrize("kind", ["i4", "f8"])
def test_levels_up_to_sixteen_are_known_by_their_range(read, kind):
    raw = read(given(lambda x: (x // 15).clip(0, 16).astype(kind)))
    np.testing.assert_allclose(raw.train.values, (BYTES["train"] // 15).clip(0, 16) / 16, atol=1e-6)
    assert raw.white == 16
    assert raw.notes[1] == "Values from 0 to 16: 16 is read as white."


@pytest.mark.parametrize("kind", ["i2", "u4", "i8", ">i8"])
def test_bytes_in_wider_whole_numbers_become_bytes(read, kind):
    raw = read(given(lambda x: x.astype(kind)))
    assert raw.train.values.dtype == raw.test.values.dtype == np.uint8
    np.testing.assert_array_equal(raw.train.values, BYTES["train"])


def test_test_images_beyond_the_scale_of_train_are_refused(read):
    """Whole numbers that are no bytes must not become some."""
    for value in (256, -1):
        arrays = given(lambda x: x.astype(np.int64))
        arrays["x_test"][2, 0, 0, 0] = value
        with pytest.raises(UserError, match=rf"test images run .*{value}.* on the scale 0 to 255"):
            read(arrays)


@pytest.mark.parametrize("part", ["train", "test"])
def test_bytes_beside_numbers_up_to_one_are_refused(read, part):
    arrays = given()
    arrays[f"x_{part}"] = arrays[f"x_{part}"] / 255
    with pytest.raises(
        UserError, match=r"test images run from 0 to \d+, .*: give both on the scale"
    ):
        read(arrays)


def test_numbers_from_zero_to_one_are_pixels_in_silence(read):
    raw = read(given(lambda x: x / 255))
    np.testing.assert_allclose(raw.train.values, BYTES["train"] / 255, atol=1e-7)
    assert (raw.notes, raw.white) == ((NHWC,), 1)


def test_rows_are_left_as_they_are(read):
    rows = np.random.default_rng(0).normal(size=(12, 7))
    raw = read({"x_train": rows, "x_test": rows[:6]} | {f"y_{p}": y for p, y in LABELS.items()})
    np.testing.assert_array_equal(raw.train.values, rows)
    assert raw.notes == ()


def test_text_labels_are_named_with_what_numbers_them(read):
    arrays = given() | {"y_train": np.array(["cat", "dog", "emu"] * 4)}
    raw = read(arrays)
    with pytest.raises(UserError, match=r"labels are text, the first is 'cat'.*return_inverse"):
        inspect(raw, "Npz", None)


def test_a_folder_of_arrays_splits_as_the_archive_of_them(tmp_path):
    np.savez(tmp_path / "mine.npz", **given())
    for name, values in given().items():
        np.save(tmp_path / f"{name}.npy", values)
    one, other = (
        kind(str(path), held_out=0.3, seed=2).load()
        for kind, path in ((Npz, tmp_path / "mine.npz"), (Npy, tmp_path))
    )
    for part in ("train", "held_out", "test"):
        for name in "xyw":
            np.testing.assert_array_equal(
                getattr(getattr(one, part), name), getattr(getattr(other, part), name)
            )
    assert one.preprocess == other.preprocess
    assert one.fingerprint == other.fingerprint


@pytest.fixture
def folder(tmp_path):
    for name, values in given().items():
        np.save(tmp_path / f"{name}.npy", values)
    return tmp_path


def test_objects_in_a_folder_of_arrays_are_refused_before_they_run_code(folder, capsys):
    with open(folder / "y_train.npy", "wb") as file:
        np.save(file, np.array([made.Trap()] * 12, object), allow_pickle=True)
    with pytest.raises(UserError, match=r"y_train\.npy is no \.npy file of plain numbers"):
        Npy(str(folder)).read()
    (folder / "y_train.npy").write_bytes(pickle.dumps(made.Trap()))
    with pytest.raises(UserError, match=r"y_train\.npy is no \.npy file of plain numbers"):
        Npy(str(folder)).read()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("size", [0, 5, 40, 128, 600])
def test_an_array_that_is_cut_short_is_named(folder, size):
    content = (folder / "x_train.npy").read_bytes()
    (folder / "x_train.npy").write_bytes(content[:size])
    with pytest.raises(UserError, match=r"x_train\.npy is no \.npy file of plain numbers"):
        Npy(str(folder)).read()


def test_an_archive_under_the_name_of_an_array_is_named(folder):
    with open(folder / "x_train.npy", "wb") as file:
        np.savez(file, x=np.zeros(3))
    with pytest.raises(UserError, match=r"x_train\.npy is no \.npy file of plain numbers"):
        Npy(str(folder)).read()


def test_missing_arrays_of_a_folder_are_named(folder):
    (folder / "y_train.npy").unlink()
    with pytest.raises(UserError, match=r"has no y_train; it must hold x_train, y_train, x_test"):
        Npy(str(folder)).read()


@pytest.mark.skipif(made.reads_all(), reason="root may read everything")
def test_a_file_without_permission_is_named(folder, tmp_path):
    (folder / "x_train.npy").chmod(0)
    np.savez(tmp_path / "mine.npz", **given())
    (tmp_path / "mine.npz").chmod(0)
    for data in (Npy(str(folder)), Npz(str(tmp_path / "mine.npz"))):
        with pytest.raises(UserError, match=r"may not be read .*Change its rights"):
            data.read()
