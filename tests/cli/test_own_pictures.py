"""A folder of a person's own pictures, from the files to the page, with no recipe named."""

import json
import shutil

import numpy as np
import pytest
from PIL import Image

from pseudocore.cli.options import read_recipe
from pseudocore.datasets import Cover, Csv, Folder
from pseudocore.networks import MLP, ConvNet
from pseudocore.recipes import preset
from pseudocore.store.coreset import read_coreset

SIZE = "--plan.data.resize", "Cover(8)"
SHORT = "--plan.count 2 --plan.epochs 4 --plan.network.width 4 --steps 4 --infer.steps 3"
TINY = [*SHORT.split(), "--ipc", "1"]
JUDGES = [
    word
    for judge in ("judges.0", "judges.1", "full")
    for word in f"--{judge}.chain.iterations 8 --{judge}.chain.burn 4 "
    f"--{judge}.chain.kernel.leapfrogs 3".split()
]
NAMES = ("apples", "bananas", "cherries")
NO_RECIPE = "No recipe is named: {0}, whose rates and steps were chosen on the digits."
NO_EXPERTS = "No --experts are named: {0}-experts is trained, or taken as it is if it was before."
FILES = {"environment.json", "metrics.jsonl", "recipe.json", "pseudocoreset.safetensors"}


def picture(number, width, height, random):
    """Dark below and one colour above, with some noise."""
    values = np.zeros((height, width, 3), int)
    values[: height // 2, :, number] = 200
    return Image.fromarray((values + random.integers(0, 50, values.shape)).astype(np.uint8))


def turned(image, file):
    """As a camera held sideways stores it: the viewer is told to turn it."""
    exif = Image.Exif()
    exif[0x0112] = 6
    image.transpose(Image.Transpose.ROTATE_90).save(file, exif=exif)


KINDS = {
    "plain.png": lambda image, file: image.save(file),
    "grey.png": lambda image, file: image.convert("L").save(file),
    "clear.png": lambda image, file: image.convert("RGBA").save(file),
    "palette.png": lambda image, file: image.convert("P").save(file),
    "turned.JPG": turned,
    "ink.jpeg": lambda image, file: image.convert("CMYK").save(file),
    "moving.gif": lambda image, file: image.save(file),
    "small.webp": lambda image, file: image.save(file),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Three classes of eight pictures to train on and eight to test on, no two of one size."""
    folder, random = tmp_path_factory.mktemp("own"), np.random.default_rng(0)
    for part in ("train", "test"):
        for number, name in enumerate(NAMES):
            (folder / "mine" / part / name).mkdir(parents=True)
            for i, (file, save) in enumerate(KINDS.items()):
                image = picture(number, 20 + 2 * i, 40 - 3 * i, random)
                save(image, folder / "mine" / part / name / file)
    (folder / "mine" / "notes.txt").write_text("mine")
    return folder


def words(out, *more, data):
    return "distill", "--data", data, *SIZE, *TINY, *JUDGES, "--out", out, *more


def kept(content):
    """All but the record of where and when it was called."""
    return {name: held for name, held in content.items() if name != "environment.json"}


@pytest.fixture(scope="module")
def learned(call, place):
    """Called where the pictures lie. Look, do not touch."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        told = call(*words("run", data="mine"))
    assert told.code == 0, told.err
    return told


def test_a_recipe_is_taken_and_experts_are_trained(learned, content, place):
    assert NO_RECIPE.format("digits-convnet") in learned.err
    assert "Pictures of 34 x 19 to 24 x 34 pixels were brought to 8 x 8 by Cover(8)." in learned.err
    assert NO_EXPERTS.format("run") in learned.err
    assert "The coreset is run/pseudocoreset.safetensors. Judge it: pseudocore evaluate run" in (
        learned.err
    )
    assert learned.out == ""
    assert content(place / "run").keys() >= FILES
    assert content(place / "run-experts").keys() >= {"index.json", "expert-001.safetensors"}


def test_what_is_recorded_can_be_found_from_anywhere(learned, place):
    recipe = read_recipe(place / "run")
    usual = preset("digits-convnet/ipc1-fkl")
    held_out = usual.plan.data.held_out
    assert recipe.plan.data == Folder(str(place / "mine"), Cover(8), held_out=held_out)
    assert recipe.plan.network == ConvNet(2, 4)
    assert recipe.divergence == usual.divergence
    coreset = read_coreset(place / "run" / "pseudocoreset.safetensors")
    assert coreset.x.shape == (3, 8, 8, 3)


def test_turned_and_transparent_pictures_are_learned_from_as_they_look(learned, place):
    """In every picture, grey ones aside, the upper half is bright in the colour of its class."""
    raw = read_recipe(place / "run").plan.data.read()
    for part in (raw.train, raw.test):
        halves = part.values.astype(float).reshape(24, 2, 32, 3).mean(2)
        assert (halves[:, 0].max(1) > halves[:, 1].max(1) + 10).all()
        coloured = halves[:, 0].max(1) - halves[:, 0].min(1) > 5
        assert coloured.sum() == 21
        assert (halves[coloured, 0].argmax(1) == part.labels[coloured]).all()


def test_the_run_goes_on_and_its_experts_stay(call, refused, content, learned, place):
    before = kept(content(place / "run-experts")), kept(content(place / "run"))
    told = call(*words(place / "run", "--resume", data=place / "mine"))
    assert told.code == 0, told.err
    assert (kept(content(place / "run-experts")), kept(content(place / "run"))) == before
    refused(call(*words(place / "run", data=place / "mine")), "already holds a run", "--resume")


@pytest.mark.parametrize(("times", "what"), [(1, {"experts"}), (6, {"experts", "fKL run"})])
def test_what_was_stopped_goes_on_to_the_same_coreset(
    call, content, learned, place, tmp_path, stop_after, monkeypatch, times, what
):
    """While experts are trained, and while the coreset is learned."""
    heard = stop_after(times)
    told = call(*words(tmp_path / "run", data=place / "mine"))
    assert told.code == 130, told.err
    assert "Continue with the same command and --resume." in told.err
    assert set(heard) == what
    monkeypatch.undo()
    told = call(*words(tmp_path / "run", "--resume", data=place / "mine"))
    assert told.code == 0, told.err
    file = "pseudocoreset.safetensors"
    assert content(tmp_path / "run")[file] == content(place / "run")[file]


def test_another_method_takes_the_same_experts(call, content, learned, place, tmp_path):
    before = content(place / "run-experts")
    recipe = "digits-convnet/ipc1-w"
    more = words(tmp_path / "w", "--experts", place / "run-experts", data=place / "mine")[1:]
    told = call("distill", recipe, *more)
    assert told.code == 0, told.err
    assert "No --experts" not in told.err
    assert "No recipe" not in told.err
    assert not (tmp_path / "w-experts").exists()
    assert content(place / "run-experts") == before
    assert read_recipe(tmp_path / "w").divergence != read_recipe(place / "run").divergence


def test_experts_lying_there_are_not_trained_again(call, content, learned, place, tmp_path):
    shutil.copytree(place / "run-experts", tmp_path / "run-experts")
    told = call(*words(tmp_path / "run", data=place / "mine"))
    assert told.code == 0, told.err
    assert "experts 8/8" in learned.err
    assert "experts 8/8" not in told.err
    assert kept(content(tmp_path / "run-experts")) == kept(content(place / "run-experts"))
    for file in ("pseudocoreset.safetensors", "recipe.json"):
        assert content(tmp_path / "run")[file] == content(place / "run")[file]


def test_it_is_judged_and_compared_from_another_folder(call, learned, place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = call("evaluate", place / "run", "--seeds", 2, "--json")
    assert told.code == 0, told.err
    rows = json.loads(told.out)
    assert {row["judge"] for row in rows} == {"hmc", "a-sghmc"}
    assert all(0 <= row["acc"] <= 1 for row in rows)
    told = call(
        "compare", place / "run", "--baselines", "class means", "--seeds", 2, "--out", "page"
    )
    assert told.code == 0, told.err
    with Image.open(tmp_path / "page" / "pictures" / "fkl.png") as shown:
        assert np.ptp(np.asarray(shown.convert("RGB")), axis=-1).max() > 50  # in colour
    page = (tmp_path / "page" / "report.html").read_text()
    assert "data:image/png" in page
    assert str(place / "mine") in page


def test_rows_take_the_recipe_for_rows(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    random, y = np.random.default_rng(0), np.arange(60) % 3
    x = random.normal(size=(60, 2)) + 3 * y[:, None]
    lines = [f"{a:.3f},{b:.3f},{'xyz'[k]}" for (a, b), k in zip(x, y, strict=True)]
    (tmp_path / "mine.csv").write_text("\n".join(lines))
    tiny = [*TINY, *JUDGES, "--plan.data.cut", "0.5"]
    told = call("distill", "--data=mine.csv", *tiny, "--out", "run")
    assert told.code == 0, told.err
    assert NO_RECIPE.format("digits") in told.err
    assert "There is no test file: 0.5 of every class, 30 rows, is tested." in told.err
    assert "Points of shape (2,) are no images" in told.err
    recipe = read_recipe(tmp_path / "run")
    held_out = preset("digits/ipc1-fkl").plan.data.held_out
    assert recipe.plan.data == Csv(str(tmp_path / "mine.csv"), cut=0.5, held_out=held_out)
    assert recipe.plan.network == MLP(4)


def test_too_few_epochs_are_refused_before_experts_are_trained(call, refused, place, tmp_path):
    told = call(*words(tmp_path / "run", "--plan.epochs", 2, data=place / "mine"))
    refused(told, "--plan.epochs 2 are too few, 3 are needed", "--starts")
    assert not list(tmp_path.iterdir())


def test_experts_and_distill_take_the_same_recipe_for_pictures(call, place, tmp_path):
    words = "--count", 1, "--epochs", 3, "--network.width", 4, "--data.resize", "Cover(8)"
    told = call("experts", "--data", place / "mine", *words, "--out", tmp_path / "experts")
    assert told.code == 0, told.err
    assert NO_RECIPE.format("digits-convnet") in told.err
    assert "ConvNet" in (tmp_path / "experts" / "index.json").read_text()


def test_a_run_is_judged_where_the_pictures_are_now(call, refused, learned, place, tmp_path):
    there = tmp_path / "moved"
    shutil.copytree(place / "mine", there)
    words = "--seeds", 2, "--out", tmp_path / "rows"
    told = call("evaluate", place / "run", "--data", there, *words)
    assert told.code == 0, told.err
    refused(call("evaluate", place / "run", "--data", "digits"), "--data digits is no other place")


def test_a_folder_for_a_recipe_is_told_from_one(call, refused, place):
    mine = place / "mine"
    refused(call("distill", mine, "--ipc", 1), f"{mine} is no recipe", f"--data {mine}")


def test_a_folder_that_is_no_run_is_refused_before_experts_are_trained(
    call, refused, place, tmp_path
):
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "a.txt").write_text("dear")
    words = "--ipc", 1, "--plan.data.resize", "Cover(8)"
    told = call("distill", "--data", place / "mine", *words, "--out", tmp_path / "letters")
    refused(told, "letters is no run's folder")
    assert not (tmp_path / "letters-experts").exists()
