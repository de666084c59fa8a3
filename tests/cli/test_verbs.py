"""What each verb leaves behind and says, on networks and chains of a few steps."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest

import pseudocore
from pseudocore.cli import demo
from pseudocore.cli.compare import lead, names
from pseudocore.cli.demo import Demo, demo_recipes
from pseudocore.engine.telling import Told, pictures
from pseudocore.recipes import preset
from pseudocore.report.findings import conclusions
from pseudocore.report.summary import summarise
from pseudocore.store import preprocess as prepared
from pseudocore.store.coreset import read_coreset
from pseudocore.store.tensors import read_tensors
from pseudocore.store.values import to_json

SCORES = {"acc", "nll", "ece", "brier", "acceptance", "rhat"}
KEYS = {"method", "ipc", "judge", "protocol", "weights", "seed", "construction"} | SCORES
PUBLISHED = {"nll_published", "ece_published"}
BASELINES = ["random", "herding", "k-center", "class means"]
PLAN = ["--count", "2", "--epochs", "4", "--network.width", "8"]
RUN_FILES = {"recipe.json", "environment.json", "metrics.jsonl"}
CORESET = "pseudocoreset.safetensors"
JUDGES = [judge.name for judge in preset("digits/ipc1-fkl").judges]


def read(path):
    return json.loads(path.read_text())


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def sha(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def trained(call, tmp_path_factory):
    folder = tmp_path_factory.mktemp("verbs") / "experts"
    told = call("experts", "digits", *PLAN, "--out", folder, "--json")
    assert told.code == 0, told.err
    return folder, told


def test_experts_leave_a_file_each_an_index_and_the_record_of_the_run(trained, content):
    folder, _ = trained
    files = {"expert-000.safetensors", "expert-001.safetensors", "index.json"}
    assert content(folder).keys() == files | RUN_FILES
    environment = read(folder / "environment.json")
    assert {"started", "cpu", "cores", "device", "versions", "commit"} <= environment.keys()
    assert environment["device"]["backend"] == jax.default_backend()


def test_index_knows_architecture_epochs_seed_and_the_hash_of_every_file(trained):
    folder, _ = trained
    index = read(folder / "index.json")
    assert index["plan"] == read(folder / "recipe.json")
    assert index["plan"]["network"] == {"type": "MLP", "width": 8, "depth": 1}
    assert (index["plan"]["epochs"], index["plan"]["seed"], index["parameters"]) == (4, 0, 610)
    assert index["experts"] == [
        {"file": f"expert-00{i}.safetensors", "sha256": sha(folder / f"expert-00{i}.safetensors")}
        for i in (0, 1)
    ]


def test_an_expert_is_its_initialisation_and_every_epoch(trained):
    paths = []
    for number in (0, 1):
        file = trained[0] / f"expert-00{number}.safetensors"
        arrays, facts = read_tensors(file, ["trajectory"])
        assert facts == {"network": "MLP(width=8, depth=1)", "seed": "0", "number": f"{number}"}
        paths.append(arrays["trajectory"])
    first, second = paths
    assert first.shape == second.shape == (5, 610)
    assert (np.abs(np.diff(first, axis=0)).max(axis=1) > 0).all()
    assert (first != second).any(axis=1).all()


def test_experts_log_a_row_an_epoch(trained):
    logged = rows(trained[0] / "metrics.jsonl")
    assert [row["epoch"] for row in logged] == [1, 2, 3, 4]
    assert all(row.keys() == {"experts", "epoch", "loss", "accuracy"} for row in logged)
    assert logged[-1]["loss"] < logged[0]["loss"]
    assert logged[-1]["accuracy"] > logged[0]["accuracy"]


def test_experts_print_the_index_as_json_and_progress_beside_it(trained):
    folder, told = trained
    assert json.loads(told.out) == read(folder / "index.json")
    assert re.search(r"^experts 8/8  loss \d\S*  accuracy 0\.\d+$", told.err, re.MULTILINE)
    assert f"2 experts of 4 epochs are in {folder}." in told.line


def test_experts_of_one_seed_are_the_same_and_of_another_are_not(
    trained, experts, content, call, tmp_path
):
    same, ours = content(experts), content(trained[0])
    assert all(same[name] == ours[name] for name in ours.keys() - {"environment.json"})
    assert call("experts", "digits", *PLAN, "--seed", 1, "--out", tmp_path / "x").code == 0
    other = content(tmp_path / "x")
    assert all(other[name] != ours[name] for name in ours.keys() - {"environment.json"})


def test_distill_leaves_the_coreset_where_it_began_and_how_it_was_made(run, content):
    files = {CORESET, "initial.safetensors", "state.safetensors", "recipe.txt", "rerun.py"}
    assert content(run).keys() == files | RUN_FILES
    u, first = read_coreset(run / CORESET), read_coreset(run / "initial.safetensors")
    assert (u.x.shape, u.y.shape, u.w.shape) == ((10, 8, 8, 1), (10, 10), (10,))
    assert (u.x != first.x).any(axis=(1, 2, 3)).all()
    np.testing.assert_array_equal(u.y, np.eye(10))
    np.testing.assert_array_equal(u.w, first.w)
    assert float(u.w.sum()) == pytest.approx(1)


def test_coreset_says_what_it_is_for_whoever_reads_the_file_alone(run):
    _, facts = read_tensors(run / CORESET, [])
    preprocess = preset("digits/ipc1-fkl").plan.data.load().preprocess
    assert {name: json.loads(fact) for name, fact in facts.items()} == {
        "schema": 1,
        "classes": 10,
        "ipc": 1,
        "rate": pytest.approx(0.05),
        "preprocess": prepared.words(preprocess),
    }


def test_recipe_text_is_the_recipe(run):
    scope = {}
    exec("from pseudocore import *", scope)
    recipe = eval((run / "recipe.txt").read_text(), scope)
    assert isinstance(recipe, pseudocore.Recipe)
    assert (recipe.steps, recipe.plan.network) == (6, pseudocore.MLP(8))
    recorded = read(run / "recipe.json")
    assert recorded["recipe"] == to_json(recipe)


def test_recipe_names_the_experts_it_learned_from(run, experts):
    assert read(run / "recipe.json")["experts"] == sha(experts / "index.json")


def test_rerun_gives_the_same_coreset_in_another_process(
    run_w, experts, environ, content, tmp_path
):
    done = subprocess.run(
        [sys.executable, run_w / "rerun.py", experts, tmp_path / "again"],
        env=environ,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    again, before = content(tmp_path / "again"), content(run_w)
    assert again.keys() == before.keys()
    assert [name for name in again if again[name] != before[name]] == ["environment.json"]


@pytest.fixture(scope="module")
def rerun(environ):
    """Call a run's rerun.py."""

    def python(folder, *words, **more):
        command = [sys.executable, folder / "rerun.py", *words]
        return subprocess.run(
            command, env=environ | more, capture_output=True, text=True, timeout=120
        )

    return python


def test_rerun_says_how_it_is_called_and_what_is_wrong(rerun, run, tmp_path):
    done = rerun(run)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: rerun.py [-h] [--resume] experts out")
    done = rerun(run, tmp_path / "none", tmp_path / "out")
    assert done.returncode == 2
    assert "There is no folder of experts" in done.stderr
    assert "Traceback" not in done.stderr


OWN = """
import sys
import jax.numpy as jnp
import pseudocore as pc

def fresh(key):
    return jnp.zeros((64, 10))

def forward(params, x):
    return x.reshape(len(x), -1) @ params

if __name__ == "__main__":
    import dataclasses
    recipe = dataclasses.replace(pc.preset("digits/ipc1-w"), steps=1)
    plan = dataclasses.replace(recipe.plan, network=pc.Function(fresh, forward), count=1, epochs=4)
    experts = pc.train_plan(plan, sys.argv[1] + "/experts")
    pc.make_coreset(dataclasses.replace(recipe, plan=plan), experts, sys.argv[1] + "/run")
"""


def test_rerun_imports_functions_of_one_s_own_or_says_what_it_needs(rerun, environ, tmp_path):
    (tmp_path / "mine.py").write_text(OWN)
    words = [sys.executable, tmp_path / "mine.py", tmp_path]
    done = subprocess.run(words, env=environ, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "  # needs mine.py on PYTHONPATH\n" in (tmp_path / "run" / "rerun.py").read_text()
    out = tmp_path / "experts", tmp_path / "again"
    done = rerun(tmp_path / "run", *out)
    assert done.returncode == 2
    assert "needs mine.py on PYTHONPATH" in done.stderr
    assert "No module named 'mine'" in done.stderr
    assert "Traceback" not in done.stderr
    done = rerun(tmp_path / "run", *out, PYTHONPATH=str(tmp_path))
    assert done.returncode == 0, done.stderr
    same = [tmp_path / name / CORESET for name in ("run", "again")]
    assert same[0].read_bytes() == same[1].read_bytes()


def test_metrics_are_a_row_a_look_with_the_held_out_numbers(run):
    logged = rows(run / "metrics.jsonl")
    assert [row["step"] for row in logged] == [1, 2, 3, 4, 5, 6]
    named = {"step", "loss", "rate", "held_out_acc", "held_out_nll"}
    assert all(row.keys() == named for row in logged)
    assert all(0 <= row["held_out_acc"] <= 1 for row in logged)
    assert logged[-1]["held_out_nll"] < logged[0]["held_out_nll"]


def test_inner_rate_of_w_is_learned_and_kept(run, run_w):
    rates = [row["rate"] for row in rows(run_w / "metrics.jsonl")]
    assert len(set(rates)) == 6
    _, facts = read_tensors(run_w / CORESET, [])
    assert json.loads(facts["rate"]) == rates[-1]
    assert {row["rate"] for row in rows(run / "metrics.jsonl")} == {float(np.float32(0.05))}


def test_distill_tells_progress_and_prints_the_last_metrics_as_json(distill, run, tmp_path):
    told = distill(tmp_path / "x", "--json")
    assert json.loads(told.out) == rows(run / "metrics.jsonl")[-1]
    line = r"^fKL x 6/6  loss -?\d\S*  rate 0.05  held-out acc 0\.\d+  held-out nll \d\S*$"
    assert re.search(line, told.err, re.MULTILINE)
    assert f"Judge it: pseudocore evaluate {tmp_path / 'x'}" in told.line


@pytest.fixture(scope="module")
def other(distill, tmp_path_factory):
    """The run `run` with every kind of field changed: a part's, a number, a seed."""
    folder = tmp_path_factory.mktemp("verbs") / "soft"
    flags = {
        "--optimiser.labels": 0.1,
        "--divergence.draws": 3,
        "--infer.rate": 0.02,
        "--spread.s": 0.02,
        "--judges.0.chain.kernel.step-size": 0.1,
        "--seed": 7,
    }
    told = distill(folder, *(word for flag in flags.items() for word in flag))
    assert told.code == 0, told.err
    return folder


def test_flags_change_every_kind_of_field_and_nothing_else(other, run):
    expected, changed = read(run / "recipe.json"), read(other / "recipe.json")
    recipe = expected["recipe"]
    recipe["optimiser"]["labels"] = 0.1
    recipe["divergence"]["draws"] = 3
    recipe["infer"]["rate"] = 0.02
    recipe["spread"]["s"] = 0.02
    recipe["judges"][0]["chain"]["kernel"]["step_size"] = 0.1
    recipe["seed"] = 7
    assert changed == expected
    assert {row["rate"] for row in rows(other / "metrics.jsonl")} == {float(np.float32(0.02))}
    labels = read_coreset(other / CORESET).y
    assert (labels != np.eye(10)).any()
    np.testing.assert_allclose(labels.sum(axis=1), 1, atol=1e-6)


def test_one_seed_gives_the_same_bytes_and_another_seed_other_points(
    distill, run, content, tmp_path
):
    assert distill(tmp_path / "same").code == 0
    assert distill(tmp_path / "other", "--seed", 1).code == 0
    before, same, other = (content(p) for p in (run, tmp_path / "same", tmp_path / "other"))
    assert [name for name in before if before[name] != same[name]] == ["environment.json"]
    assert before.keys() == same.keys() == other.keys()
    assert all(before[name] != other[name] for name in before)


@pytest.fixture(scope="module")
def judged(call, run, tmp_path_factory):
    """A copy of the run, judged with two chains."""
    folder = tmp_path_factory.mktemp("verbs") / "fkl"
    shutil.copytree(run, folder)
    told = call("evaluate", folder, "--seeds", 2)
    assert told.code == 0, told.err
    return folder, told


def test_evaluate_leaves_a_row_for_each_judge_and_seed(judged):
    found = read(judged[0] / "results.json")
    assert all(row.keys() == KEYS for row in found)
    assert [(row["judge"], row["seed"]) for row in found] == [
        (judge, seed) for judge in JUDGES for seed in (0, 1)
    ]
    for row in found:
        assert (row["method"], row["ipc"], row["construction"]) == ("fKL", 1, 0)
        assert (row["protocol"], row["weights"]) == ("textbook", "N/M")
        assert 0 <= row["acc"] <= 1
        assert min(row["nll"], row["ece"], row["brier"]) >= 0
    assert all(0 <= row["acceptance"] <= 1 for row in found if row["judge"] == "hmc")
    # A-SGHMC has no Metropolis test.
    assert {row["acceptance"] for row in found if row["judge"] == "a-sghmc"} == {None}


def test_evaluate_shows_the_table_and_says_where_the_rows_are(judged):
    folder, told = judged
    for words in ("accuracy", "NLL", "R-hat", "hmc", "a-sghmc", "fKL", "over 2 chains"):
        assert words in told.out
    assert f"The rows are in {folder / 'results.json'}." in told.line
    assert "hmc" in told.err.splitlines()[0]  # progress


def test_judging_again_reuses_what_was_judged(call, judged, content):
    folder, told = judged
    files = sorted((folder / "judgements").iterdir())
    times, before = [path.stat().st_mtime_ns for path in files], content(folder)
    again = call("evaluate", folder, "--seeds", 2)
    assert again.out == told.out
    assert content(folder) == before
    assert [path.stat().st_mtime_ns for path in files] == times
    assert len(files) == len(JUDGES)


def test_json_is_the_rows_alone_on_stdout(call, judged):
    folder, _ = judged
    told = call("evaluate", folder, "--seeds", 2, "--json")
    assert json.loads(told.out) == read(folder / "results.json")


def test_evaluate_elsewhere_leaves_the_run_untouched(call, judged, run, content, tmp_path):
    before = content(run)
    assert call("evaluate", run, "--seeds", 2, "--out", tmp_path / "there").code == 0
    assert content(run) == before
    assert read(tmp_path / "there" / "results.json") == read(judged[0] / "results.json")


def test_seed_and_judge_flags_arrive_at_the_chains(call, judged, run, tmp_path):
    flags = "--seeds", 2, "--json", "--out", tmp_path / "there"
    shifted = json.loads(call("evaluate", run, *flags, "--seed", 1).out)
    assert [row["seed"] for row in shifted] == [1, 2] * len(JUDGES)
    before = read(judged[0] / "results.json")
    assert shifted[0]["nll"] == before[1]["nll"]  # a chain depends on its own seed alone
    smaller = json.loads(
        call("evaluate", run, *flags, "--judges.0.chain.kernel.step-size", "1e-4").out
    )
    assert min(row["acceptance"] for row in smaller[:2]) > max(
        row["acceptance"] for row in before[:2]
    )
    assert smaller[2:] == before[2:]


def test_paper_protocol_says_the_published_numbers_too(call, run, tmp_path):
    words = "--protocol", "paper", "--seeds", 2, "--json", "--out", tmp_path / "there"
    found = json.loads(call("evaluate", run, *words).out)
    assert all(row.keys() == KEYS | PUBLISHED for row in found)
    assert [row["judge"] for row in found] == ["hmc", "hmc", "a-sghmc", "a-sghmc"]
    assert {row["protocol"] for row in found} == {"paper"}
    assert {row["weights"] for row in found} == {"1"}


def test_rows_of_both_protocols_stay_in_one_file_and_share_no_table(call, run, tmp_path):
    folder = tmp_path / "both"
    shutil.copytree(run, folder)
    words = "evaluate", folder, "--seeds", 2
    rows = {}
    for protocol in ("paper", "textbook"):
        told = call(*words, "--protocol", protocol, "--json")
        rows[protocol] = json.loads(told.out)
        assert {row["protocol"] for row in rows[protocol]} == {protocol}
    assert read(folder / "results.json") == rows["textbook"] + rows["paper"]
    before = (folder / "results.json").read_bytes()
    assert call(*words, "--protocol", "paper").code == 0
    assert (folder / "results.json").read_bytes() == before


def test_that_published_chains_do_not_meet_is_one_warning_and_on_the_page(call, run, tmp_path):
    words = "--protocol", "paper", "--seeds", 2, "--out", tmp_path / "there"
    for told in (call("evaluate", run, *words[:4]), call("compare", run, *words)):
        assert told.code == 0, told.err
        (said,) = [line for line in told.err.splitlines() if line.startswith("warning: ")]
        assert "The chains of the published protocol have not met: R-hat is up to " in said
    page = (tmp_path / "there" / "report.html").read_text()
    assert page.count("The chains of the published protocol have not met") == 1


@pytest.fixture(scope="module")
def compared(call, run, run_w, experts, tmp_path_factory):
    """Both runs beside every baseline and the full data."""
    folder = tmp_path_factory.mktemp("verbs") / "comparison"
    baselines = "--baselines", *BASELINES, "full data", "--experts", experts
    told = call("compare", run, run_w, *baselines, "--seeds", 2, "--out", folder)
    assert told.code == 0, told.err
    return folder, told


def test_compare_leaves_rows_table_pictures_and_page(compared, content):
    folder, _ = compared
    left = {name for name in content(folder) if not name.startswith("judgements")}
    assert left == {
        "recipe.json",
        "environment.json",
        "results.json",
        "table.md",
        "report.html",
        "learning_curves.png",
        str(Path("pictures", "fkl.png")),
        str(Path("pictures", "w.png")),
    }
    for picture in folder.rglob("*.png"):
        assert picture.read_bytes().startswith(b"\x89PNG")


def test_compare_judges_everyone_alike_and_the_full_data_by_its_own_judge(compared):
    found = read(compared[0] / "results.json")
    assert all(row.keys() == KEYS for row in found)
    for judge in JUDGES:
        here = [row["method"] for row in found if row["judge"] == judge]
        assert {name: here.count(name) for name in here} == {
            "random": 10,  # five subsets, two chains on each
            **dict.fromkeys(["herding", "k-center", "class means", "fKL", "W"], 2),
        }
    full = [row for row in found if row["judge"] == "sghmc"]
    assert [(row["method"], row["ipc"], row["seed"]) for row in full] == [
        ("full data", None, 0),
        ("full data", None, 1),
    ]
    subsets = {row["construction"] for row in found if row["method"] == "random"}
    assert subsets == {0, 1, 2, 3, 4}
    assert len({row["nll"] for row in found if row["method"] == "random"}) == 10 * len(JUDGES)


def test_a_run_is_judged_as_evaluate_judges_it(compared, judged):
    ours = [row for row in read(compared[0] / "results.json") if row["method"] == "fKL"]
    assert ours == read(judged[0] / "results.json")


def test_table_and_console_name_every_method(compared):
    folder, told = compared
    table = (folder / "table.md").read_text()
    for name in (*BASELINES, "full data", "fKL", "W"):
        assert f"| {name} |" in table
        assert re.search(rf"^{name} ", told.out, re.MULTILINE), told.out
    spread = "± is the standard error over 5 subsets for random, 2 chains for the others."
    assert spread in table
    assert spread in " ".join(told.out.split())
    assert "Highlighted" in table
    assert "Highlighted" not in told.out  # a pipe shows no styles
    assert f"The page is {folder / 'report.html'}." in told.line


def test_page_holds_all_it_shows(compared):
    page = (compared[0] / "report.html").read_text()
    for name in (*BASELINES, "full data", "fKL", "W"):
        assert name in page
    loaded = re.findall(r"""\b(?:src|srcset|href)\s*=\s*["']?([^"'\s>]*)""", page)
    loaded += re.findall(r"""(?:url\(|@import)\s*["']?([^"')\s]*)""", page)
    assert [link for link in loaded if not link.startswith(("data:", "#"))] == []
    assert sum(link.startswith("data:image/png") for link in loaded) >= 4  # before and after, twice
    assert "<script src" not in page


@pytest.mark.parametrize("shape", [(6,), (4, 4, 2)])
def test_points_that_are_no_grey_or_colour_images_have_no_pictures(tmp_path, shape):
    y = np.arange(8) % 2
    x = np.linspace(0, 1, 8 * np.prod(shape)).reshape(8, *shape)
    np.savez(tmp_path / "own.npz", x_train=x, y_train=y, x_test=x, y_test=y)
    split = pseudocore.Npz(str(tmp_path / "own.npz"), held_out=0.0).load()
    assert pictures({"fKL": split.train}, {"fKL": split.train}, split) == []


def test_page_shows_recipes_that_can_be_copied(compared, run, run_w):
    page = (compared[0] / "report.html").read_text()
    for folder in (run, run_w):
        name = read(folder / "recipe.json")["recipe"]["divergence"]["type"]
        assert f"divergence={name}(" in page


def test_several_runs_of_one_method_are_told_apart(call, run, other, tmp_path, content):
    words = "--baselines", "random", "--seeds", 2, "--out", tmp_path / "x", "--json"
    told = call("compare", run, other, *words)
    found = json.loads(told.out)
    assert found == read(tmp_path / "x" / "results.json")
    assert {row["method"] for row in found} == {"random", "fKL (fkl)", "fKL (soft)"}
    assert len({row["nll"] for row in found if row["method"] != "random"}) == 4 * len(JUDGES)
    assert sum(name.endswith(".png") for name in content(tmp_path / "x" / "pictures")) == 2
    assert "fKL (soft)" in (tmp_path / "x" / "report.html").read_text()


def test_whose_judges_are_used_is_said_where_recipes_differ(call, run, other, run_w, tmp_path):
    words = "--baselines", "random", "--seeds", 2
    told = call("compare", run, other, run_w, *words, "--out", tmp_path / "unlike")
    note = f"All are judged by the judges of {run}, named first; the recipe of {other} has others."
    assert f"warning: {note}" in told.err
    assert note in (tmp_path / "unlike" / "table.md").read_text()
    assert note in (tmp_path / "unlike" / "report.html").read_text()
    told = call("compare", run, run_w, *words, "--out", tmp_path / "like")
    assert "judged by the judges of" not in told.err + (tmp_path / "like" / "table.md").read_text()


def test_chains_that_diverged_do_not_cost_the_comparison(call, distill, run_w, tmp_path):
    wild = "--judges.0.chain.kernel", "SGHMC(step_size=50.0)"
    assert distill(tmp_path / "wild", *wild).code == 0
    words = "--baselines", "random", "--seeds", 2, "--out", tmp_path / "x"
    told = call("compare", tmp_path / "wild", run_w, *words)
    assert told.code == 0, told.err
    assert "the chain of seed [0, 1] diverged" in told.err
    found = read(tmp_path / "x" / "results.json")
    assert {row["acc"] for row in found if row["judge"] == "hmc"} >= {None}
    page = (tmp_path / "x" / "report.html").read_text()
    assert "Reliability of" not in page
    assert "fKL" in page


def test_runs_of_one_method_in_folders_of_one_name_are_told_apart_by_their_paths():
    fkl, w = preset("digits/ipc1-fkl"), preset("digits/ipc1-w")
    paths = Path("a", "run"), Path("b", "run"), Path("b", "w")
    assert names(dict(zip(paths, (fkl, fkl, w), strict=True))) == {
        paths[0]: f"fKL ({paths[0]})",
        paths[1]: f"fKL ({paths[1]})",
        paths[2]: "W",
    }


def test_demo_recipes_are_the_three_divergences_as_asked_for():
    recipes = demo_recipes(Demo(ipc=3, seed=7))
    assert [recipe.divergence.name for recipe in recipes.values()] == ["rKL", "W", "fKL"]
    for name, recipe in recipes.items():
        assert (recipe.ipc, recipe.seed, recipe.plan.seed) == (3, 7, 7)
        as_shipped = to_json(preset(f"digits/ipc1-{name}"))
        as_shipped["ipc"], as_shipped["seed"], as_shipped["plan"]["seed"] = 3, 7, 7
        assert to_json(recipe) == as_shipped
    assert len({str(to_json(recipe.plan)) for recipe in recipes.values()}) == 1


def test_demo_of_the_convnet_has_its_recipes():
    recipes = demo_recipes(Demo(network="convnet"))
    assert recipes == {name: preset(f"digits-convnet/ipc1-{name}") for name in ("rkl", "w", "fkl")}


def test_demo_says_what_follows_from_its_table(call, monkeypatch, tmp_path):
    rows = [
        {"method": method, "ipc": 1, "judge": "hmc", "protocol": "textbook", "weights": "N/M"}
        | {"seed": seed, "acc": acc, "nll": 1 - acc, "ece": 0.1, "brier": 0.1, "rhat": 1.0}
        for method, acc in (("class means", 0.5), ("W", 0.9))
        for seed in (0, 1)
    ]
    summaries = summarise(rows)
    monkeypatch.setattr(demo, "train_plan", lambda *_, **__: tmp_path)
    monkeypatch.setattr(demo, "make_coreset", lambda *_, **__: tmp_path)
    monkeypatch.setattr(
        demo, "judge_and_tell", lambda *_: ([], Told(summaries, conclusions(summaries)))
    )
    told = call("demo", "--out", tmp_path / "demo")
    assert told.code == 0, told.err
    assert told.out.index("R-hat above") < told.out.index("- Under hmc, W beats class means in acc")
    told = call("demo", "--out", tmp_path / "demo", "--resume", "--json")
    assert json.loads(told.out) == []


def test_one_coreset_of_one_image_is_said_in_the_singular():
    assert lead(1, 1, "images") == "1 learned coreset of 1 image per class."
    assert lead(2, 10, "points") == "2 learned coresets of 10 points per class."


def test_demo_records_what_it_was_asked_for(call, stop_after, tmp_path):
    out = tmp_path / "demo"
    words = "--ipc", 3, "--constructions", 2, "--seeds", 4, "--seed", 7
    stop_after(1)  # its first epoch of training
    assert call("demo", *words, "--out", out).code == 130
    options = Demo(ipc=3, constructions=2, seeds=4, seed=7)
    assert read(out / "recipe.json") == {
        "demo": {name: to_json(recipe) for name, recipe in demo_recipes(options).items()},
        "constructions": 2,
        "seeds": 4,
    }
    assert read(out / "experts" / "recipe.json")["seed"] == 7
    told = call("demo", *words, "--constructions", 3, "--out", out, "--resume")
    assert told.code == 2
    assert "constructions: 2 -> 3" in told.line
