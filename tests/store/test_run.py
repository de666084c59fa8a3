"""A run's folder: what it refuses, what survives a kill, and what a resumed run must equal."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import jax.numpy as jnp
import numpy as np
import pytest

from pseudocore.errors import UserError
from pseudocore.store import environment as environment_module
from pseudocore.store.environment import environment
from pseudocore.store.run import Run, differences

RECIPE = {"divergence": {"type": "ForwardKL", "draws": 30}, "rates": (0.1, 0.2), "seed": 0}
LOGGER = """
import sys
from pseudocore.store.run import Run
run = Run.resume(sys.argv[1], {"seed": 0})
step = len(run.metrics())
while True:
    run.log({"step": step, "loss": 1 / (step + 1)})
    step += 1
"""


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "run"


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_created_run_reads_back(folder):
    run = Run.create(folder, RECIPE, {"kind": "gpu"})
    assert Run.read(folder) == run
    assert Run.read(str(folder)).recipe == json.loads(json.dumps(RECIPE))
    assert run.path == folder
    assert set(content(folder)) == {"recipe.json", "environment.json"}


def test_environment_says_where_it_ran(folder):
    run = Run.create(folder, RECIPE, {"kind": "cpu"})
    assert run.environment["device"] == {"kind": "cpu"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", run.environment["started"])
    assert run.environment["python"].startswith("3.")
    assert run.environment["cores"] == os.cpu_count()
    assert run.environment["versions"]["numpy"] == np.__version__
    assert all(run.environment["versions"].values())
    assert re.fullmatch(r"[0-9a-f]{40}|None", str(run.environment["commit"]))


def test_environment_without_git_has_no_commit(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert environment({})["commit"] is None


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_commit_is_that_of_the_checkout_which_tracks_the_package(tmp_path, monkeypatch):
    def git(*arguments):
        who = ("-c", "user.name=a", "-c", "user.email=a@b")
        done = subprocess.run(["git", *who, *arguments], cwd=tmp_path, capture_output=True)
        assert done.returncode == 0, done.stderr

    monkeypatch.setattr(environment_module, "PACKAGE", tmp_path / "package")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "errors.py").write_text("")
    git("init")
    git("commit", "--allow-empty", "-m", "not about the package")
    assert environment({})["commit"] is None
    git("add", "package")
    git("commit", "-m", "the package")
    now = environment({})
    assert re.fullmatch(r"[0-9a-f]{40}", now["commit"])
    assert now["changed"] is False
    (tmp_path / "package" / "errors.py").write_text("changed")
    assert environment({})["changed"] is True


def test_resumption_is_recorded_behind_the_start(folder):
    first = Run.create(folder, RECIPE, {"kind": "cpu"}).environment
    Run.resume(folder, RECIPE, {"kind": "gpu"})
    resumed = Run.resume(folder, RECIPE).environment
    assert [one["device"] for one in resumed.pop("resumed")] == [{"kind": "gpu"}, {}]
    assert resumed == first


@pytest.mark.parametrize("begin", [Run.create, Run.resume])
def test_absent_or_empty_folder_becomes_a_run(folder, begin):
    begin(folder / "deep", RECIPE)
    (folder / "empty").mkdir()
    begin(folder / "empty", RECIPE)
    assert Run.read(folder / "deep").recipe == Run.read(folder / "empty").recipe


@pytest.mark.parametrize("begin", [Run.create, Run.resume])
def test_kill_before_the_recipe_was_written_is_no_obstacle(folder, begin):
    folder.mkdir()
    (folder / ".0123.partial").write_text("{")
    begin(folder, RECIPE)
    assert set(content(folder)) == {"recipe.json", "environment.json"}


def test_kill_before_the_environment_was_written_is_repaired(folder):
    Run.create(folder, RECIPE)
    (folder / "environment.json").unlink()
    assert "resumed" not in Run.resume(folder, RECIPE).environment


def test_resume_clears_what_killed_writers_left(folder):
    Run.create(folder, RECIPE)
    (folder / ".0123.partial").write_text("{")
    assert ".0123.partial" in content(Run.read(folder).path)
    Run.resume(folder, RECIPE)
    assert set(content(folder)) == {"recipe.json", "environment.json"}


def test_second_create_points_to_resume(folder):
    Run.create(folder, RECIPE)
    before = content(folder)
    said = r"already holds this run: continue it with --resume \(in Python resume=True\)"
    with pytest.raises(UserError, match=said):
        Run.create(folder, RECIPE)
    assert content(folder) == before


@pytest.mark.parametrize("begin", [Run.create, Run.resume])
def test_another_recipe_is_refused_with_the_differences(folder, begin):
    Run.create(folder, RECIPE)
    before = content(folder)
    other = {"divergence": {"type": "ForwardKL", "draws": 40}, "rates": (0.1,), "seed": 0}
    with pytest.raises(UserError) as caught:
        begin(folder, other)
    assert "divergence.draws: 30 -> 40, rates[1]: 0.2 -> absent)" in str(caught.value)
    assert "choose another --out" in str(caught.value)
    assert content(folder) == before


def test_many_differences_are_counted(folder):
    Run.create(folder, dict.fromkeys("abcde", 0))
    with pytest.raises(UserError, match=r"a: 0 -> 1, b: 0 -> 1, c: 0 -> 1 and 2 more\)"):
        Run.create(folder, dict.fromkeys("abcde", 1))


def test_differences_of_shapes():
    assert differences({"a": {}, "b": None}, {"a": [], "c": "x"}) == [
        "a: {} -> []",
        "b: None -> absent",
        "c: absent -> 'x'",
    ]
    assert differences({"a": {"b": 1}}, {"a": 3}) == ["a.b: 1 -> absent", "a: absent -> 3"]


@pytest.mark.parametrize("begin", [Run.create, Run.resume])
def test_foreign_folder_is_left_alone(folder, begin):
    folder.mkdir()
    (folder / "thesis.tex").write_text("mine")
    with pytest.raises(UserError, match=r"recipe\.json is missing.*left as it is.*another --out"):
        begin(folder, RECIPE)
    assert content(folder) == {"thesis.tex": b"mine"}


@pytest.mark.parametrize("begin", [Run.create, Run.resume])
def test_file_in_place_of_the_folder(folder, begin):
    folder.write_text("mine")
    for path in (folder, folder / "deeper"):
        with pytest.raises(UserError, match="run is in the way"):
            begin(path, RECIPE)
    assert folder.read_text() == "mine"


def test_a_name_that_is_too_long_is_no_run_and_becomes_none(tmp_path):
    path = tmp_path / ("x" * 300)
    with pytest.raises(UserError, match=r"xxx.*(too long|no folder)"):
        Run.read(path)
    for begin in (Run.create, Run.resume):
        with pytest.raises(UserError, match=r"too long.*shorter"):
            begin(path, RECIPE)


def test_reading_what_is_not_there(folder):
    with pytest.raises(UserError, match=r"There is no folder .*run"):
        Run.read(folder)
    folder.mkdir()
    with pytest.raises(UserError, match=r"recipe\.json is missing"):
        Run.read(folder)


@pytest.mark.parametrize("text", ["", '{"seed": ', "[1]", '{"seed": NaN}'])
def test_damaged_recipe_is_named(folder, text):
    folder.mkdir()
    (folder / "recipe.json").write_text(text)
    with pytest.raises(UserError, match=r"recipe\.json (is damaged|holds no recipe)"):
        Run.resume(folder, RECIPE)
    assert content(folder) == {"recipe.json": text.encode()}


def test_recipe_that_json_cannot_say_is_refused(folder):
    with pytest.raises(UserError, match="cannot be stored"):
        Run.create(folder, {"rate": float("nan")})
    assert not folder.exists()


def test_rows_come_back_and_are_strict_json(folder):
    run = Run.create(folder, RECIPE)
    assert run.metrics() == []
    run.log({"step": 1, "loss": float("nan"), "norm": jnp.float32(0.5), "up": np.inf})
    run.log({"step": 2, "parts": np.array([1, 2])})
    rows = [{"step": 1, "loss": None, "norm": 0.5, "up": None}, {"step": 2, "parts": [1, 2]}]
    assert run.metrics() == rows
    lines = (folder / "metrics.jsonl").read_text()
    assert lines.endswith("\n")
    assert "NaN" not in lines
    assert "Infinity" not in lines


def test_half_written_row_is_unseen_and_repaired_on_resume(folder):
    run = Run.create(folder, RECIPE)
    for step in range(3):
        run.log({"step": step})
    whole = run.file("metrics.jsonl").read_bytes()
    for cut in range(1, len(b'{"step": 2}\n')):
        run.file("metrics.jsonl").write_bytes(whole[:-cut])
        assert Run.read(folder).metrics() == [{"step": 0}, {"step": 1}]
        assert run.file("metrics.jsonl").read_bytes() == whole[:-cut]
        Run.resume(folder, RECIPE).log({"step": 2})
        assert run.file("metrics.jsonl").read_bytes() == whole


@pytest.mark.parametrize("line", [b'{"step": 1', b"\0\0", b"7"])
def test_damage_inside_the_metrics_is_named(folder, line):
    run = Run.create(folder, RECIPE)
    run.file("metrics.jsonl").write_bytes(b'{"step": 0}\n' + line + b'\n{"step": 2}\n')
    with pytest.raises(UserError, match=r"metrics\.jsonl is damaged in line 2"):
        run.metrics()


def test_resumed_metrics_equal_the_uninterrupted(tmp_path):
    def work(run, start, stop):
        for step in range(start, stop):
            run.log({"step": step, "loss": 1 / (step + 1), "bad": float("inf")})

    straight, broken = (Run.create(tmp_path / name, RECIPE) for name in "ab")
    work(straight, 0, 10)
    work(broken, 0, 7)  # Its state was last saved at step 5.
    resumed = Run.resume(broken.path, RECIPE)
    resumed.keep_metrics(lambda row: row["step"] < 5)
    work(resumed, 5, 10)
    names = ("metrics.jsonl", "recipe.json")
    assert [resumed.file(n).read_bytes() for n in names] == [
        straight.file(n).read_bytes() for n in names
    ]


def test_keeping_everything_of_nothing(folder):
    run = Run.create(folder, RECIPE)
    run.keep_metrics(lambda row: False)
    assert run.metrics() == []
    run.log({"step": 0})
    run.keep_metrics(lambda row: False)
    assert run.metrics() == []


def test_killed_logger_resumes_without_a_gap(folder):
    for _ in range(3):
        before = len(Run.read(folder).metrics()) if folder.exists() else 0
        logger = subprocess.Popen([sys.executable, "-c", LOGGER, str(folder)])
        try:
            deadline = time.monotonic() + 10
            while time.monotonic() < deadline:
                time.sleep(0.02)
                started = (folder / "metrics.jsonl").exists()
                if started and len(Run.read(folder).metrics()) > before + 20:
                    break
        finally:
            logger.send_signal(signal.SIGKILL)
            logger.wait()
        rows = Run.read(folder).metrics()
        assert len(rows) > before + 20
        assert [row["step"] for row in rows] == list(range(len(rows)))


def test_results_and_texts(folder):
    run = Run.create(folder, RECIPE)
    with pytest.raises(UserError, match=r"results\.json is missing.*--resume"):
        run.results()
    run.write_results([{"accuracy": np.float64(0.5), "nll": float("nan")}])
    run.write_results([{"accuracy": np.float64(0.75), "nll": float("nan")}])
    assert Run.read(folder).results() == [{"accuracy": 0.75, "nll": None}]
    run.write_text("value.py", "Rate(s='δ')\n")
    assert run.file("value.py").read_text("utf-8") == "Rate(s='δ')\n"
