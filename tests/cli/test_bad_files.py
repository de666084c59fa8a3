"""Damaged and foreign files: exit code 2, the file and the remedy named, and nothing lost by it.

Where a message says what to do, that is done here, and must lead to the same bytes as before.
"""

import json
import os
import shutil
import subprocess
import sys

import jax
import numpy as np
import pytest
import safetensors

from pseudocore.store.tensors import read_tensors, write_tensors

TRAIN = ["experts", "digits", "--count", "2", "--epochs", "4", "--network.width", "8"]
RANDOM = np.random.default_rng(1).bytes(5000)
FULL = """
import resource, sys
from pseudocore.__main__ import main
limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
sys.exit(main(sys.argv[2:]))
"""
RESUMED = "environment.json"  # says when a run went on, and so differs


@pytest.fixture
def out(tmp_path):
    """A folder that wrong input must not make."""
    return tmp_path / "out"


@pytest.fixture
def mine(tmp_path):
    """Write an archive of rows: right ones, but for these changes."""

    def write(**changes):
        rng = np.random.default_rng(0)
        right = {
            "x_train": rng.normal(size=(30, 4)),
            "y_train": np.arange(30) % 3,
            "x_test": rng.normal(size=(12, 4)),
            "y_test": np.arange(12) % 3,
        }
        np.savez(tmp_path / "mine.npz", **(right | changes))
        return tmp_path / "mine.npz"

    return write


@pytest.fixture
def others(experts, tmp_path):
    """The experts, to be damaged."""
    return shutil.copytree(experts, tmp_path / "experts")


@pytest.fixture
def copy(run, tmp_path):
    """The run, to be damaged."""
    return shutil.copytree(run, tmp_path / "run")


@pytest.fixture
def half(distill, stop_after, tmp_path):
    """A run that was stopped after its third step, to be damaged."""
    stop_after(3)
    assert distill(tmp_path / "half").code == 130
    return tmp_path / "half"


def train(folder):
    """The words that train the experts of the fixture."""
    return [*TRAIN, "--out", folder]


def cut(path):
    """Leave half of a file."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def foreign(path):
    path.write_bytes(RANDOM)


def folder(path):
    path.unlink()
    path.mkdir()


def changed(name, change):
    """Write a tensor file again, one array changed, the others as they were."""

    def damage(path):
        with safetensors.safe_open(str(path), framework="numpy") as file:
            names = list(file.keys())
        arrays, facts = read_tensors(path, names)
        write_tensors(path, arrays | {name: change(arrays[name])}, facts)

    damage.__name__ = f"{name}-{change.__name__}"
    return damage


def put(value, *index):
    def change(array):
        array = array.copy()
        array[index or ...] = value
        return array

    return change


def unrelated(path):
    """A tensor file of something else."""
    write_tensors(path, {"other": np.ones(3)}, {})


def as_before(content, folder, reference):
    """Whether two folders hold the same, apart from when they were resumed."""
    ours, theirs = content(folder), content(reference)
    assert ours.keys() == theirs.keys()
    assert [name for name in ours if ours[name] != theirs[name] and name != RESUMED] == []
    return True


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"y_train": np.arange(30) % 3 + 1}, "The train labels hold 3: for 3 classes"),
        ({"y_test": np.full(12, 3)}, "The test labels hold 3: for 3 classes they run from 0 to 2"),
        ({"x_train": np.full((30, 4), np.nan)}, "30 train points hold NaN, infinite or huge"),
        ({"x_test": np.full((12, 4), np.inf)}, "12 test points hold NaN, infinite or huge"),
        ({"x_test": np.zeros((12, 5))}, "Train points have shape (4,), test points (5,)"),
        ({"x_test": np.array([None] * 12)}, "mine.npz is no .npz archive of plain numbers"),
        ({"y_test": np.zeros(11, int)}, "12 test points but labels of shape (11,)"),
    ],
)
def test_an_archive_that_would_do_harm_is_refused(call, refused, mine, out, changes, said):
    refused(call("experts", "digits", "--data", mine(**changes), "--out", out), said)
    assert not out.exists()


def test_an_archive_is_looked_at_before_the_experts_are(distill, refused, mine, out):
    path = mine(x_train=np.full((30, 4), np.nan))
    refused(distill(out, "--data", path), "30 train points hold NaN", "repair or remove")
    assert not out.exists()


def test_a_missing_archive_is_named(call, distill, refused, tmp_path, out):
    path = tmp_path / "none.npz"
    refused(call("experts", "digits", "--data", path, "--out", out), f"There is no file {path}")
    refused(distill(out, "--data", path), f"There is no file {path}", "Check the path")
    refused(distill(out, "--data", f"cifar10:{tmp_path}"), f"no {tmp_path}/data_batch_1.bin")
    assert not out.exists()


def test_a_network_that_does_not_fit_the_points_is_refused(call, refused, mine, out):
    told = call("experts", "digits-convnet", "--data", mine(), "--out", out)
    refused(told, "takes images (height, width, channels), not points of shape (4,)", "MLP()")
    assert not out.exists()


def test_a_folder_without_experts_is_refused(distill, refused, run, tmp_path, out):
    (tmp_path / "empty").mkdir()
    train = "Train experts into it first: pseudocore experts PRESET --out"
    refused(distill(out, of=tmp_path / "none"), f"no folder of experts {tmp_path}/none", train)
    refused(distill(out, of=tmp_path / "empty"), f"{tmp_path}/empty/index.json is missing", train)
    refused(distill(out, of=run), f"{run} holds a run, but no experts", "pseudocore experts")
    assert not out.exists()


def test_unfinished_experts_are_refused_until_they_are_finished(
    call, distill, refused, content, experts, others, out
):
    (others / "index.json").unlink()
    (others / "expert-001.safetensors").unlink()
    refused(distill(out, of=others), f"The experts in {others} are not finished", "--resume")
    assert not out.exists()
    assert call(*train(others), "--resume").code == 0
    assert as_before(content, others, experts)


def test_experts_of_something_else_are_refused(distill, refused, mine, others, out):
    wide = distill(out, "--plan.network.width", 9)
    refused(wide, "have the network MLP(width=8, depth=1), the recipe asks for MLP(width=9, depth=")
    refused(wide, "pseudocore experts digits --network 'MLP(width=9, depth=1)' --out FOLDER")
    said = "have the data Digits(held_out=0.185, seed=0", "--experts", f"--data {mine()} --out"
    refused(distill(out, "--data", mine()), *said)
    cut_other = distill(out, "--plan.data.held-out", 0.3)
    refused(cut_other, "pseudocore experts digits --network", "--data.held-out 0.3 --out FOLDER")
    refused(distill(out, recipe="digits-convnet/ipc1-fkl"), "have the network", "ConvNet(depth=2")
    index = json.loads((others / "index.json").read_text())
    (others / "index.json").write_text(json.dumps(index | {"parameters": 611}))
    said = "have 611 parameters, the recipe's network 610", "another architecture", "--experts"
    refused(distill(out, of=others), *said)
    assert not out.exists()


def test_experts_of_too_few_epochs_are_refused(distill, refused, experts, out):
    said = f"{experts} were kept for 4 epochs, 9 are needed", "(--epochs 9)", "lower --starts"
    refused(distill(out, "--starts", 9), *said)
    refused(distill(out, "--starts", 3, "--ahead", 3), "kept for 4 epochs, 5 are needed")
    assert not out.exists()


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (cut, "expert-001.safetensors is cut short"),
        (foreign, "expert-001.safetensors is cut short or no safetensors file"),
        (folder, "expert-001.safetensors cannot be read as a file"),
        (unrelated, "expert-001.safetensors has no trajectory; it holds other"),
        (changed("trajectory", lambda a: a[:, 1:]), "holds (609,) parameters, the index says 610"),
        (changed("trajectory", lambda a: a[:3]), "holds 3 rows of 'trajectory', not the rows 0:4"),
        (changed("trajectory", lambda a: a[0, :1].reshape(())), "holds 0 rows of 'trajectory'"),
        (changed("trajectory", put(np.nan, 2, 5)), "001.safetensors holds NaN or infinite"),
        (changed("trajectory", put(np.inf, 0, 0)), "001.safetensors holds NaN or infinite"),
        (os.unlink, "expert-001.safetensors. Check the path, or compute it first"),
    ],
)
def test_a_damaged_expert_is_named(distill, refused, others, out, damage, said):
    damage(others / "expert-001.safetensors")
    refused(distill(out, of=others), said)
    assert not out.exists()


@pytest.mark.parametrize("damage", [cut, os.unlink])
def test_a_damaged_expert_that_is_deleted_is_trained_again(
    call, refused, content, experts, others, damage
):
    file, index = others / "expert-001.safetensors", others / "index.json"
    damage(file)
    said = f"{file} is missing or was changed", "delete it and the index", index, "--resume"
    refused(call(*train(others), "--resume"), *said)
    file.unlink(missing_ok=True)
    index.unlink()
    assert call(*train(others), "--resume").code == 0
    assert as_before(content, others, experts)


@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b'{"plan": {"epochs": 4}, "param',
        RANDOM,
        b"[]",
        b"{}",
        b'{"plan": {"epochs": "4"}, "parameters": 610, "experts": [{"file": "a", "sha256": "b"}]}',
        b'{"plan": {"epochs": 4}, "parameters": 610, "experts": []}',
        b'{"plan": {"epochs": 4}, "parameters": 610, "experts": ["expert-000.safetensors"]}',
        b'{"plan": {"epochs": 4}, "parameters": 610, "experts": [{"file": 5, "sha256": "b"}]}',
    ],
    ids=["empty", "cut", "random", "list", "nothing", "epochs", "none", "names", "numbers"],
)
def test_a_damaged_index_is_named(distill, refused, others, out, broken):
    (others / "index.json").write_bytes(broken)
    refused(distill(out, of=others), f"{others}/index.json", "Delete it", "--resume")
    assert not out.exists()


def test_a_damaged_index_that_is_deleted_is_written_anew(call, refused, content, experts, others):
    cut(others / "index.json")
    refused(call(*train(others), "--resume"), f"{others}/index.json is damaged", "Delete it")
    (others / "index.json").unlink()
    assert call(*train(others), "--resume").code == 0
    assert as_before(content, others, experts)


def test_a_damaged_part_of_unfinished_experts_is_named(
    call, refused, content, experts, stop_after, out
):
    stop_after(2)
    assert call(*train(out)).code == 130
    for damage in (cut, foreign, unrelated):
        damage(out / "unfinished.safetensors")
        refused(call(*train(out), "--resume"), "unfinished.safetensors", "delete it")
    (out / "unfinished.safetensors").unlink()
    assert call(*train(out), "--resume").code == 0
    assert as_before(content, out, experts)


FINITE = "The {} in {{file}} are not all finite"


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (cut, "{file} is cut short or no safetensors file"),
        (foreign, "{file} is cut short or no safetensors file"),
        (folder, "{file} cannot be read as a file"),
        (unrelated, "{file} has no labels, points, weights; it holds other"),
        (changed("points", put(np.nan, 0, 1)), FINITE.format("points")),
        (changed("points", put(np.inf, 0, 1)), FINITE.format("points")),
        (changed("points", lambda x: x[1:]), "{file} holds points (9, 8, 8, 1), labels (10, 10)"),
        (changed("points", lambda x: x[:, 0, 0, 0]), "{file} holds points (10,), labels (10, 10)"),
        (changed("points", lambda x: x[:, 1:]), "points have shape (7, 8, 1), the test points"),
        (changed("labels", put(np.nan, 0)), FINITE.format("labels")),
        (changed("labels", lambda y: 2 * y), "The labels in {file} are not probabilities"),
        (changed("labels", lambda y: 1.5 * y - 0.05), "The labels in {file} are not probabilities"),
        (changed("labels", lambda y: np.eye(10, 11)), "has 11 classes, the test data 10"),
        (changed("weights", put(np.inf, 0)), FINITE.format("weights")),
        (changed("weights", put(-0.1, 3)), "The weights in {file} must not be below 0"),
        (changed("weights", put(0.0)), "The weights in {file} must not be below 0, nor all 0"),
    ],
)
@pytest.mark.parametrize("verb", ["evaluate", "compare"])
def test_a_damaged_coreset_is_named_by_those_who_judge_it(
    call, refused, content, copy, out, verb, damage, said
):
    file = copy / "pseudocoreset.safetensors"
    damage(file)
    before = content(copy)
    refused(call(verb, copy, "--out", out), said.format(file=file))
    assert content(copy) == before
    assert not out.exists()


def test_a_damaged_first_coreset_is_named_before_anything_is_judged(call, refused, copy, out):
    for damage in (cut, unrelated, os.unlink):
        damage(copy / "initial.safetensors")
        refused(call("compare", copy, "--out", out), f"{copy}/initial.safetensors")
    assert not out.exists()


def test_a_damaged_coreset_that_is_deleted_is_learned_again(
    call, distill, refused, content, run, copy
):
    cut(copy / "pseudocoreset.safetensors")
    for told in (call("evaluate", copy), distill(copy, "--resume")):
        refused(told, "pseudocoreset.safetensors is cut short", "delete it and compute it again")
    (copy / "pseudocoreset.safetensors").unlink()
    refused(call("evaluate", copy), "is not finished", "pseudocore distill again with --resume")
    assert distill(copy, "--resume").code == 0
    assert as_before(content, copy, run)


@pytest.mark.parametrize(
    "damage",
    [
        cut,
        foreign,
        folder,
        unrelated,
        changed("000", lambda step: step.astype(np.float32)),
        changed("001", lambda points: points[1:]),
    ],
)
def test_a_damaged_state_is_named_and_nothing_else_touched(distill, refused, content, half, damage):
    damage(half / "state.safetensors")
    before = content(half)
    refused(distill(half, "--resume"), f"{half}/state.safetensors", "delete it and")
    after = content(half)
    assert all(after[name] == before[name] for name in before if name != RESUMED)


def test_a_damaged_state_that_is_deleted_is_learned_again(distill, refused, content, run, half):
    cut(half / "state.safetensors")
    refused(distill(half, "--resume"), "delete it and compute it again")
    (half / "state.safetensors").unlink()
    assert distill(half, "--resume").code == 0
    assert as_before(content, half, run)


BROKEN = {
    "empty": "",
    "cut": '{"recipe": {"type": "Rec',
    "NaN": '{"recipe": NaN}',
    "list": "[]",
    "number": '{"recipe": 5}',
    "nothing": '{"recipe": {}}',
    "foreign type": '{"recipe": {"type": "os.system"}}',
    "other type": '{"recipe": {"type": "UserError"}}',
    "missing fields": '{"recipe": {"type": "Recipe"}}',
    "deep": '{"recipe": ' + "[" * 5000 + "]" * 5000 + "}",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_a_damaged_recipe_is_refused_and_the_folder_left_alone(
    call, distill, refused, content, copy, out, text
):
    (copy / "recipe.json").write_text(text)
    before = content(copy)
    refused(call("evaluate", copy), copy)
    refused(call("compare", copy, "--out", out), copy)
    refused(distill(copy), copy)
    refused(distill(copy, "--resume"), copy)
    assert content(copy) == before
    assert not out.exists()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"steps": 6', '"steps": 0', "steps=0 must be at least 1"),
        ('"steps": 6', '"steps": "six"', "steps"),
        ('"steps": 6', '"stepz": 6', "unknown fields: stepz"),
        ('"type": "MLP"', '"type": "MPL"', "no type 'MPL'. Did you mean 'MLP'?"),
        ('"type": "ForwardKL"', '"type": "HMC"', "HMC"),
        ('"type": "Digits"', '"type": "Dataset"', "Dataset"),
        ('"width": 8', '"width": 0', "width=0"),
    ],
)
def test_a_recipe_that_was_changed_by_hand_says_what_is_wrong(
    call, refused, content, copy, out, old, new, said
):
    text = (copy / "recipe.json").read_text()
    assert old in text
    (copy / "recipe.json").write_text(text.replace(old, new))
    before = content(copy)
    refused(call("evaluate", copy), f"{copy}/recipe.json: ", said)
    refused(call("compare", copy, "--out", out), f"{copy}/recipe.json: ", said)
    assert content(copy) == before
    assert not out.exists()


def test_damaged_experts_recipe_is_refused(call, refused, content, others):
    for damage in (cut, foreign):
        damage(others / "recipe.json")
        before = content(others)
        refused(call(*train(others), "--resume"), f"{others}/recipe.json is damaged", "another")
        assert content(others) == before


def test_a_damaged_environment_is_named_and_written_anew(distill, refused, content, run, copy):
    (copy / "pseudocoreset.safetensors").unlink()
    cut(copy / "environment.json")
    refused(distill(copy, "--resume"), f"{copy}/environment.json is damaged", "Delete it")
    (copy / "environment.json").unlink()
    assert distill(copy, "--resume").code == 0
    assert as_before(content, copy, run)


@pytest.mark.parametrize("held", [b"", b"{}", b"[3]", b'[{"acc": 1}]'])
def test_results_that_are_none_are_named_and_made_again(call, refused, content, copy, held):
    (copy / "results.json").write_bytes(held)
    refused(call("evaluate", copy, "--seeds", 2), f"{copy}/results.json", "Delete it")
    assert not (copy / "judgements").exists()
    (copy / "results.json").unlink()
    assert call("evaluate", copy, "--seeds", 2).code == 0


def test_a_damaged_judgement_is_named_and_made_again(call, refused, content, copy):
    assert call("evaluate", copy, "--seeds", 2).code == 0
    judged = content(copy)
    file = next((copy / "judgements").iterdir())
    for damage in (cut, foreign):
        damage(file)
        refused(call("evaluate", copy, "--seeds", 2), f"{file} is damaged", "Delete it")
    file.unlink()
    assert call("evaluate", copy, "--seeds", 2).code == 0
    assert content(copy)["results.json"] == judged["results.json"]


def test_a_file_in_place_of_the_judgements_is_named(call, refused, content, copy):
    (copy / "judgements").write_text("mine")
    before = content(copy)
    refused(call("evaluate", copy, "--seeds", 2), f"{copy}/judgements is in the way", "Move")
    assert content(copy) == before


@pytest.fixture
def on_a_full_disk(told):
    """Call the command line where no file can grow beyond `limit` bytes."""
    kept = {
        "JAX_COMPILATION_CACHE_DIR": str(jax.config.values["jax_compilation_cache_dir"]),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "1e9",  # half a program would be kept there
    }

    def limited(limit, words):
        command = [str(word) for word in (sys.executable, "-c", FULL, limit, *words)]
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ | kept)
        return told(done.returncode, done.stdout, done.stderr)

    return limited


LOST = "run again with --resume: nothing already computed is lost"


def test_a_full_disk_ends_learning_and_resuming_makes_up_for_it(
    on_a_full_disk, command, distill, refused, content, run, out
):
    told = on_a_full_disk(5000, command(out))
    refused(told, f"No space left to write {out}/state.safetensors", LOST)
    assert not [name for name in content(out) if name.endswith(".partial")]
    assert distill(out, "--resume").code == 0
    assert as_before(content, out, run)


def test_a_full_disk_keeps_the_state_that_was_saved(
    on_a_full_disk, command, distill, refused, content, run, half
):
    before = content(half)
    told = on_a_full_disk(5000, command(half, "--resume"))
    refused(told, f"No space left to write {half}/state.safetensors", LOST)
    assert content(half)["state.safetensors"] == before["state.safetensors"]
    assert distill(half, "--resume").code == 0
    assert as_before(content, half, run)


def test_a_full_disk_ends_training_and_resuming_makes_up_for_it(
    on_a_full_disk, call, refused, content, experts, out
):
    told = on_a_full_disk(10_000, train(out))
    refused(told, f"No space left to write {out}/expert-000.safetensors", LOST)
    assert call(*train(out), "--resume").code == 0
    assert as_before(content, out, experts)
