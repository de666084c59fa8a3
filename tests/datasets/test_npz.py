"""A person's own archive: what is read of it, and what is refused before it does harm."""

import pickle
import zipfile

import numpy as np
import pytest
from tests.datasets import made

from pseudocore.datasets import Npz
from pseudocore.errors import UserError

RNG = np.random.default_rng(0)
CLASSES, TRAIN, TEST = 3, 30, 12


def arrays(shape=(6, 5)):
    """Arrays of an archive that is as it should be."""
    return {
        "x_train": RNG.normal(3, 2, (TRAIN, *shape)),
        "y_train": np.arange(TRAIN) % CLASSES,
        "x_test": RNG.normal(3, 2, (TEST, *shape)),
        "y_test": np.arange(TEST) % CLASSES,
    }


@pytest.fixture
def load(tmp_path):
    """The split of an archive with these arrays in place of the right ones."""

    def write_and_load(changes=None, shape=(6, 5), **flags):
        np.savez(tmp_path / "mine.npz", **{**arrays(shape), **(changes or {})})
        return Npz(str(tmp_path / "mine.npz"), **flags).load()

    return write_and_load


def pixels(part, split):
    return split.preprocess.undo(np.asarray(part.x))


def joined(split):
    """All points of train and the held-out part."""
    return np.concatenate([np.asarray(split.train.x), np.asarray(split.held_out.x)])


@pytest.mark.parametrize(
    ("given", "seen"),
    [((6, 5), (6, 5, 1)), ((6, 5, 1), (6, 5, 1)), ((6, 5, 3), (6, 5, 3)), ((7,), (7,))],
    ids=["gray images", "one channel", "three channels", "rows"],
)
def test_images_and_rows_are_read(load, given, seen):
    split = load(shape=given)
    assert (split.shape, split.classes) == (seen, CLASSES)
    assert (len(split.train), len(split.held_out), len(split.test)) == (27, 3, TEST)
    for part in (split.train, split.held_out, split.test):
        assert part.x.dtype == part.y.dtype == np.float32
        assert float(part.mass) == pytest.approx(1)


@pytest.mark.parametrize("shape", [(6, 5), (6, 5, 3), (7,)], ids=["gray", "colour", "rows"])
def test_standardised_points_come_back(load, shape):
    given = arrays(shape)
    split = load(given, shape=shape, held_out=0.0)
    for name, part in (("train", split.train), ("test", split.test)):
        expected = given[f"x_{name}"].reshape(part.x.shape)
        np.testing.assert_allclose(pixels(part, split), expected, atol=1e-5)
        np.testing.assert_array_equal(part.y.argmax(-1), given[f"y_{name}"])


@pytest.mark.parametrize(
    ("shape", "channels"), [((6, 5), 1), ((6, 5, 3), 3), ((7,), 7)], ids=["gray", "colour", "rows"]
)
def test_the_statistics_are_those_of_train_without_the_held_out_part(load, shape, channels):
    split = load(shape=shape, held_out=0.4)
    axes = tuple(range(split.train.x.ndim - 1))
    standardise = split.preprocess.standardise
    assert len(standardise.mean) == len(standardise.deviation) == channels
    np.testing.assert_allclose(np.asarray(split.train.x).mean(axes), 0, atol=1e-5)
    np.testing.assert_allclose(np.asarray(split.train.x).std(axes), 1, atol=1e-5)
    assert (np.abs(joined(split).mean(axes)) > 1e-4).all(), "the held-out part is not in them"


def test_the_seed_chooses_what_is_held_out(load):
    given = arrays()
    one, again, other = (load(given, seed=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.held_out.x, again.held_out.x)
    kept = [pixels(split.held_out, split) for split in (one, other)]
    assert not np.allclose(*kept)


@pytest.mark.parametrize("kind", [np.uint8, np.int64, np.float16, np.float32, np.float64, bool])
def test_pixels_of_every_plain_type_are_read(load, kind):
    given = arrays()
    levels = {name: (20 * given[name] + 90).clip(0, 255) for name in ("x_train", "x_test")}
    given |= {name: values.astype(kind) for name, values in levels.items()}
    split = load(given, held_out=0.0)
    expected = given["x_test"][..., None].astype(np.float32) / split.preprocess.white
    np.testing.assert_allclose(pixels(split.test, split), expected, atol=1e-3)
    assert split.preprocess.white == (1 if kind is bool else 255)


@pytest.mark.parametrize("kind", ["i1", "u1", "i4", "u4", "i8", "u8", ">i4"])
def test_labels_of_every_whole_type_are_read(load, kind):
    split = load({"y_train": (np.arange(TRAIN) % CLASSES).astype(kind)}, held_out=0.0)
    np.testing.assert_array_equal(split.train.y.argmax(-1), np.arange(TRAIN) % CLASSES)


def test_more_than_127_classes_are_told_apart(load):
    labels = np.arange(200, dtype=np.uint8)
    x = RNG.normal(size=(200, 2))
    split = load({"x_train": x, "y_train": labels, "x_test": x, "y_test": labels}, held_out=0.0)
    assert split.classes == 200
    np.testing.assert_array_equal(split.train.y.argmax(-1), labels)


@pytest.mark.parametrize("value", [0.0, 0.1, -1e6, 255.0, 1e-300])
def test_a_feature_that_is_constant_in_train_stays_tame_in_test(load, value):
    """The deviation of equal numbers is not always 0 in floating point."""
    given = arrays((4,))
    given["x_train"][:, 1], given["x_test"][:, 1] = value, value + 1
    split = load(given, held_out=0.0)
    np.testing.assert_array_equal(split.train.x[:, 1], 0)
    np.testing.assert_array_equal(split.test.x[:, 1], 1)


def test_whole_images_of_one_value_are_read(load):
    split = load({"x_train": np.full((TRAIN, 6, 5), 7)}, held_out=0.0)
    np.testing.assert_array_equal(split.train.x, 0)
    assert np.isfinite(split.test.x).all()


def test_other_arrays_in_the_archive_are_left_alone(load):
    assert load({"notes": np.array([made.Trap()], object)}).classes == CLASSES


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UserError, match=r"no file .*none\.npz\. Check the path"):
        Npz(str(tmp_path / "none.npz")).load()


FOREIGN = {
    "random": np.random.default_rng(1).bytes(5000),
    "empty": b"",
    "pickle": pickle.dumps(made.Trap()),
    "half a zip": b"PK\x03\x04" + b"\0" * 60,
    "one array": b"\x93NUMPY\x01\x00",
}


@pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN)
def test_a_foreign_file_is_named(tmp_path, capsys, content):
    (tmp_path / "mine.npz").write_bytes(content)
    with pytest.raises(UserError, match=r"mine\.npz is no \.npz archive of plain numbers"):
        Npz(str(tmp_path / "mine.npz")).load()
    assert capsys.readouterr().out == ""


def test_a_single_array_is_no_archive(tmp_path):
    with open(tmp_path / "mine.npz", "wb") as file:
        np.save(file, np.zeros(3))
    with pytest.raises(UserError, match=r"mine\.npz is no \.npz archive"):
        Npz(str(tmp_path / "mine.npz")).load()


def test_a_folder_is_no_archive(tmp_path):
    (tmp_path / "mine.npz").mkdir()
    with pytest.raises(UserError, match=r"mine\.npz is no \.npz archive"):
        Npz(str(tmp_path / "mine.npz")).load()


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_truncated_archive_is_named(load, tmp_path, share):
    load()
    content = (tmp_path / "mine.npz").read_bytes()
    (tmp_path / "mine.npz").write_bytes(content[: int(share * len(content))])
    with pytest.raises(UserError, match=r"mine\.npz is no \.npz archive"):
        Npz(str(tmp_path / "mine.npz")).load()


def test_a_flipped_bit_is_found(load, tmp_path):
    load()
    content = bytearray((tmp_path / "mine.npz").read_bytes())
    content[1000] ^= 1
    (tmp_path / "mine.npz").write_bytes(content)
    with pytest.raises(UserError, match=r"mine\.npz is no \.npz archive.*CRC"):
        Npz(str(tmp_path / "mine.npz")).load()


def test_missing_arrays_are_named(tmp_path):
    given = arrays()
    del given["y_train"], given["x_test"]
    np.savez(tmp_path / "mine.npz", **given)
    said = r"mine\.npz has no y_train, x_test; it must hold x_train, y_train, x_test, y_test"
    with pytest.raises(UserError, match=said):
        Npz(str(tmp_path / "mine.npz")).load()


def test_an_archive_of_something_else_is_named(tmp_path):
    with zipfile.ZipFile(tmp_path / "mine.npz", "w") as archive:
        archive.writestr("letter.txt", "hello")
    with pytest.raises(UserError, match="has no x_train, y_train, x_test, y_test"):
        Npz(str(tmp_path / "mine.npz")).load()


@pytest.mark.parametrize("name", ["x_train", "y_train", "x_test", "y_test"])
def test_objects_are_refused_before_they_run_code(load, capsys, name):
    with pytest.raises(UserError, match=r"no \.npz archive of plain numbers.*allow_pickle"):
        load({name: np.array([made.Trap()] * TRAIN, object)})
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("array", [np.full(TRAIN, 1j), np.zeros(TRAIN, "M8[s]")], ids=str)
def test_what_is_no_number_is_refused(load, array):
    with pytest.raises(
        UserError, match=r"y_train in .*mine\.npz is .*: it must hold plain numbers"
    ):
        load({"y_train": array})


def test_text_for_labels_is_named_with_what_numbers_it(load):
    said = r"The train labels are text, the first is 'one': number .* np.unique.*return_inverse"
    with pytest.raises(UserError, match=said.replace(" .* np", ".*np")):
        load({"y_train": np.array(["one", "two"] * (TRAIN // 2))})


def changed(name, index, value):
    """Right arrays, but for one place in one of them."""
    given = arrays()
    given[name][index] = value
    return {name: given[name]}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (changed("y_test", 3, 3), "The test labels hold 3: for 3 classes they run from 0 to 2"),
        (changed("y_test", 3, -1), "The test labels hold -1: for 3 classes"),
        (changed("y_train", 3, -1), "The train labels hold -1"),
        (changed("y_train", 3, 7), "The train labels hold 7: for 4 classes.*from 0 to 3.*gaps"),
        ({"y_train": np.arange(TRAIN) % CLASSES + 1}, "hold 3: for 3 classes they run from 0"),
        ({"y_train": np.arange(TRAIN) % CLASSES * 2}, "hold 4: for 3 classes.*without gaps"),
        ({"y_train": np.arange(TRAIN) % 3 * 1.0}, "train labels are float64.*whole numbers"),
        ({"y_test": np.zeros(TEST, bool)}, "test labels are bool: they must be whole numbers"),
        ({"y_train": np.arange(TRAIN - 1) % 3}, r"30 train points but labels of shape \(29,\)"),
        ({"y_test": np.eye(TEST, 3, dtype=int)}, r"12 test points but labels of shape \(12, 3\)"),
        ({"y_test": np.array(0)}, r"12 test points but labels of shape \(\): one label each"),
        (changed("x_train", (4, 0, 0), np.nan), "1 train points hold NaN.*number 4: repair"),
        (changed("x_train", (4, 0, 0), -np.inf), "1 train points hold NaN, inf.*number 4: repair"),
        (changed("x_train", (4, 0, 0), 1e38), "1 train points hold .*huge values.*number 4"),
        (changed("x_test", slice(2, 5), np.nan), "3 test points hold NaN.*the first is number 2"),
        (
            {"x_test": np.zeros((TEST, 5, 6))},
            r"Train points .*\(6, 5, 1\), test points \(5, 6, 1\)",
        ),
        ({"x_test": np.zeros((TEST, 30))}, r"Train points .*\(6, 5, 1\), test points \(30,\)"),
        ({"x_test": np.zeros((TEST, 6, 5, 3))}, r"test points \(6, 5, 3\): they must be equal"),
        ({"x_train": np.zeros((0, 6, 5)), "y_train": np.zeros(0, int)}, "train points have shape"),
        ({"x_test": np.zeros((0, 6, 5)), "y_test": np.zeros(0, int)}, "test points have shape"),
        ({"x_train": np.zeros((TRAIN, 0, 5))}, r"train points have shape \(30, 0, 5, 1\)"),
        ({"x_train": np.zeros(TRAIN)}, r"train points have shape \(30,\): expected"),
        ({"x_train": np.array(1.0)}, r"train points have shape \(\): expected"),
    ],
)
def test_what_would_poison_everything_is_named(load, change, said):
    with pytest.raises(UserError, match=said):
        load(change)


def test_images_with_and_without_their_one_channel_are_the_same(load):
    split = load({"x_test": np.zeros((TEST, 6, 5, 1))})
    assert split.test.x.shape == (TEST, 6, 5, 1)


@pytest.mark.parametrize("fraction", [-0.1, 1.0, float("nan")])
def test_held_out_out_of_range_is_named(load, fraction):
    with pytest.raises(UserError, match=rf"held_out={fraction} must be a fraction"):
        load(held_out=fraction)


def test_held_out_that_leaves_nothing_of_a_class_is_named(load):
    with pytest.raises(UserError, match=r"held_out=0\.99 leaves none of the 10 points of class 0"):
        load(held_out=0.99)
    with pytest.raises(UserError, match="seed=-1 must be at least 0"):
        load(seed=-1)
