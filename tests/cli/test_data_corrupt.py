"""data corrupt, and runs judged on what it makes."""

import json
import shutil

import numpy as np
import pytest
from PIL import Image

from pseudocore.cli.options import read_recipe
from pseudocore.corrupt import BENCHMARK, CORRUPTIONS, EXTRA, corrupt
from pseudocore.datasets import Corrupted

MADE = "made-by-pseudocore.json"
TEST = 6  # pictures in each test part


def pictures(folder, sizes, test=TEST, seed=0):
    """Three classes of smooth colour pictures."""
    random = np.random.default_rng(seed)
    for part, count in (("train", 15), ("test", test)):
        for number in range(count):
            name = ("red", "green", "blue")[number % 3]
            place = folder / part / name
            place.mkdir(parents=True, exist_ok=True)
            corners = random.integers(0, 120, (3, 3, 3)).astype(np.uint8)
            corners[..., number % 3] += 130
            small = Image.fromarray(corners)
            small.resize((sizes, sizes), Image.Resampling.BICUBIC).save(place / f"{number:02}.png")
    return folder


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return pictures(tmp_path_factory.mktemp("corrupt") / "mine", 32)


@pytest.fixture(scope="module")
def corrupted(call, place):
    """Fog and snow of those. Look, do not touch."""
    out = place.parent / "corrupted"
    told = call("data", "corrupt", place, "--corruptions", "fog", "snow", "--out", out)
    assert (told.code, told.out) == (0, ""), told.err
    return out, told


@pytest.fixture(scope="module")
def learned(call, command, place):
    """A finished run of those pictures. Look, do not touch."""
    folder = place.parent
    words = "--count", 2, "--epochs", 4, "--network.width", 8, "--data", place
    told = call("experts", "digits", *words, "--out", folder / "experts")
    assert told.code == 0, told.err
    told = call(*command(folder / "run", of=folder / "experts"), "--data", place)
    assert told.code == 0, told.err
    return folder / "run"


@pytest.fixture
def run(learned, tmp_path):
    """The same, to be judged in."""
    return shutil.copytree(learned, tmp_path / "run")


def times(folder):
    return {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}


def clean(place):
    """The test pictures and labels, by class and file."""
    files = sorted((place / "test").rglob("*.png"))
    labels = [["blue", "green", "red"].index(file.parent.name) for file in files]
    return np.stack([np.asarray(Image.open(file)) for file in files]), labels


def test_files_are_laid_out_as_cifar_10_c(corrupted, place):
    out, told = corrupted
    assert times(out).keys() == {"fog.npy", "snow.npy", "labels.npy", MADE}
    images, labels = clean(place)
    assert np.load(out / "labels.npy").tolist() == labels * 5
    for name in ("fog", "snow"):
        made = np.load(out / f"{name}.npy")
        assert (made.shape, made.dtype) == ((5 * TEST, 32, 32, 3), np.uint8)
        for severity, level in enumerate(made.reshape(5, *images.shape), 1):
            np.testing.assert_array_equal(level, corrupt(images, name, severity, seed=0))
    assert "The constants are meant for" not in told.err
    assert f"At 5 severities each, in {out}: fog, snow." in told.err


def test_a_second_call_makes_only_what_is_missing(call, corrupted, place, tmp_path):
    out = shutil.copytree(corrupted[0], tmp_path / "out")
    before = times(out)
    words = "data", "corrupt", place, "--out", out, "--corruptions", "fog", "contrast", "fog"
    assert call(*words, "--data.held-out", 0.3).code == 0  # of train; the test part is the same
    after = times(out)
    assert after.keys() - before.keys() == {"contrast.npy"}
    assert {name: after[name] for name in before} == before
    assert call(*words).code == 0
    assert times(out) == after


def test_another_seed_or_other_pictures_want_another_folder(
    call, refused, content, corrupted, place, tmp_path
):
    out = corrupted[0]
    before = content(out)
    words = "--corruptions", "frost", "--out", out
    said = f"{out} holds corruptions of other images or with another seed (seed 0, of Folder(path="
    refused(call("data", "corrupt", place, *words, "--seed", 1), said, "another --out")
    other = pictures(tmp_path / "other", 32, seed=1)
    refused(call("data", "corrupt", other, *words), said, str(place))
    assert content(out) == before
    (tmp_path / "theirs").mkdir()
    np.save(tmp_path / "theirs" / "fog.npy", np.zeros(3))
    told = call("data", "corrupt", place, "--out", tmp_path / "theirs")
    refused(told, "arrays that were not made here, perhaps the published ones", "another --out")
    assert content(tmp_path / "theirs").keys() == {"fog.npy"}


def test_a_damaged_record_of_what_was_made_is_named(call, refused, corrupted, place, tmp_path):
    out = shutil.copytree(corrupted[0], tmp_path / "out")
    for damaged in ("{", "[]"):
        (out / MADE).write_text(damaged)
        told = call("data", "corrupt", place, "--out", out)
        refused(told, str(out / MADE), "Delete the folder, and make it again")


def test_groups_of_corruptions(call, tmp_path):
    small = pictures(tmp_path / "small", 8, test=3)
    words = "data", "corrupt", small, "--data.resize", "Cover(8)"
    told = call(*words, "--out", tmp_path / "most")  # the benchmark if nothing is said
    assert told.code == 0, told.err
    told = call(*words, "--corruptions", "benchmark", "--out", tmp_path / "most")
    assert told.code == 0, told.err
    made = {path.stem for path in (tmp_path / "most").glob("*.npy")} - {"labels"}
    assert made == set(BENCHMARK)
    assert len(made) == 15
    told = call(*words, "--corruptions", "all", "--out", tmp_path / "most")
    made = {path.stem for path in (tmp_path / "most").glob("*.npy")} - {"labels"}
    assert made == {*BENCHMARK, *EXTRA} == set(CORRUPTIONS)
    assert len(made) == 19
    assert "The constants are meant for 32 pixels, these have 8." in told.err


def test_grey_pictures_stay_grey(call, tmp_path):
    for part in ("train", "test"):
        for name, level in (("dark", 60), ("light", 190)):
            (tmp_path / "grey" / part / name).mkdir(parents=True)
            for number in range(2):
                picture = np.full((32, 32), level + 9 * number, np.uint8)
                Image.fromarray(picture).save(tmp_path / "grey" / part / name / f"{number}.png")
    out = tmp_path / "out"
    told = call("data", "corrupt", tmp_path / "grey", "--corruptions", "contrast", "--out", out)
    assert told.code == 0, told.err
    made = np.load(out / "contrast.npy")
    assert made.shape == (20, 32, 32, 1)
    # A picture of one level has no contrast to lose.
    levels = np.array([60, 69, 190, 199])[:, None, None, None]
    assert np.abs(made.reshape(5, 4, 32, 32, 1).astype(int) - levels).max() <= 1


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("--corruptions fgo", "no corruption 'fgo'. Did you mean 'fog'?"),
        ("--corruptions fog bechmark", "no corruption 'bechmark'. Did you mean 'benchmark'?"),
        ("--corruptions", "--corruptions names none"),
        ("--seed -1", "seed -1 is negative"),
        ("--data.resize Cover(2)", "Images of 2 x 2 pixels are too small to corrupt"),
    ],
)
def test_wrong_flags_write_nothing(call, refused, place, tmp_path, flags, said):
    refused(call("data", "corrupt", place, "--out", tmp_path / "out", *flags.split()), said)
    assert not (tmp_path / "out").exists()


def test_what_is_no_picture_of_bytes_is_refused(call, refused, tmp_path):
    y, out = np.arange(6) % 2, tmp_path / "out"
    for x, said in (
        (np.random.default_rng(0).random((6, 4)), "Images of shape (6, 4) cannot be corrupted"),
        (np.zeros((6, 8, 8, 2), np.uint8), "with 1 channel or 3"),
        (np.linspace(-9, 9, 6 * 64).reshape(6, 8, 8), "Give bytes: for values in 0..1"),
    ):
        np.savez(tmp_path / "mine.npz", x_train=x, y_train=y, x_test=x, y_test=y)
        refused(call("data", "corrupt", tmp_path / "mine.npz", "--out", out), said)
    assert not out.exists()


def test_pixels_from_0_to_1_are_corrupted_as_bytes(call, tmp_path):
    words = "--corruptions", "contrast", "--out", tmp_path / "out"
    told = call("data", "corrupt", "digits", *words)
    assert told.code == 0, told.err
    found = np.load(tmp_path / "out" / "contrast.npy")
    assert (found.shape, found.dtype) == ((5 * 450, 8, 8, 1), np.uint8)
    assert 60 < found.mean() < 100  # .3 of white, as the digits are


def test_a_run_is_judged_on_corrupted_pictures(call, corrupted, run):
    assert call("evaluate", run, "--seeds", 2).code == 0
    before = json.loads((run / "results.json").read_text())
    assert before
    assert all("test" not in row for row in before)
    words = "--seeds", 2, "--corrupted", corrupted[0], "--corruption", "fog", "--severity", 3
    told = call("evaluate", run, *words, "--json")
    assert told.code == 0, told.err
    rows = json.loads(told.out)
    assert {row["test"] for row in rows} == {"fog 3, regenerated"}
    assert "Judged on fog 3, regenerated." in told.err
    assert json.loads((run / "results.json").read_text()) == before + rows
    assert [row["judge"] for row in rows] == [row["judge"] for row in before]
    assert any(a["nll"] != b["nll"] for a, b in zip(rows, before, strict=True))

    shown = call("evaluate", run, *words).out  # nothing is judged again
    assert "run on fog 3, regenerated" in " ".join(shown.split())
    worse = call("evaluate", run, *words[:-1], 5, "--json")
    assert {row["test"] for row in json.loads(worse.out)} == {"fog 5, regenerated"}
    assert call("evaluate", run, "--seeds", 2, "--json").code == 0
    kept = json.loads((run / "results.json").read_text())
    assert kept == before + rows + json.loads(worse.out)


def test_published_arrays_are_not_called_regenerated(call, corrupted, run, tmp_path):
    theirs = tmp_path / "theirs"
    shutil.copytree(corrupted[0], theirs / "CIFAR-10-C")  # as its archive has them
    (theirs / "CIFAR-10-C" / MADE).unlink()
    data = Corrupted(read_recipe(run).plan.data, str(theirs), "snow", 2)
    assert data.load().tested == "snow 2"


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("--corrupted {0} --corruption fgo", "no corruption 'fgo'. Did you mean 'fog'?"),
        ("--corrupted {0}", "Name a corruption: --corruption fog"),
        ("--corrupted {0} --corruption fog --severity 9", "severity=9 must be one of 1 to 5"),
        ("--corrupted {0} --corruption fog --severity 0", "severity=0 must be one of 1 to 5"),
        ("--corrupted {0} --corruption frost", "{0}/frost.npy. Fetch the published"),
        ("--corrupted {0}/none --corruption fog", "{0}/none/fog.npy"),
        ("--corruption fog", "name it with --corrupted"),
        ("--severity 3", "name it with --corrupted"),
    ],
)
def test_what_cannot_be_judged_on_is_refused(
    call, refused, content, corrupted, run, tmp_path, flags, said
):
    before = content(run)
    words = flags.format(corrupted[0]).split()
    told = call("evaluate", run, "--seeds", 2, *words, "--out", tmp_path / "out")
    refused(told, said.format(corrupted[0]))
    assert content(run) == before
    assert not (tmp_path / "out").exists()


def test_corruptions_of_other_pictures_are_refused(call, refused, content, run, tmp_path):
    """Of as many pictures, of the same size: their labels would be taken for those of these."""
    other, out = pictures(tmp_path / "other", 32, seed=1), tmp_path / "out"
    assert call("data", "corrupt", other, "--corruptions", "contrast", "--out", out).code == 0
    before = content(run)
    told = call("evaluate", run, "--seeds", 2, "--corrupted", out, "--corruption", "contrast")
    refused(told, f"{out} was made from the test images of Folder(path='{other}'", "which are not")
    assert content(run) == before
