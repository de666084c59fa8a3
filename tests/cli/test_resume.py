"""Stopped anywhere and continued, a run ends up as if nothing had happened, to the byte."""

import dataclasses
import re
import shutil
import signal
import subprocess
import sys

import pytest

import pseudocore as pc
from pseudocore.cli.options import read_recipe

CODES = {signal.SIGINT: 130, signal.SIGTERM: 75}
INT, TERM = CODES
SAVED = "Stopped. What was saved is kept: continue with --resume."
PLAN = ["--count", "2", "--epochs", "4", "--network.width", "8", "--together", "1"]
EXPERTS = ["experts", "digits", *PLAN]
CORESET = "pseudocoreset.safetensors"


@pytest.fixture
def broken(stop_after):
    """Start work, stop it at these moments one after another, and let it finish."""

    def work(start, stops, signum=INT):
        said = []
        for resume, times in enumerate(stops):
            stop_after(times, signum)
            told = start(*["--resume"] * bool(resume))
            assert told.code == CODES[signum], told
            assert told.out == ""
            assert "Traceback" not in told.err
            assert "Continue with the same command and --resume." in told.line
            said.append(told.line)
        stop_after(0)
        told = start("--resume")
        assert told.code == 0, told.err
        return said

    return work


@pytest.fixture
def final(content):
    """What a folder holds, but for where and when it was computed."""

    def of(folder):
        unlike = "environment.json", "judgements"  # these record seconds
        return {name: held for name, held in content(folder).items() if not name.startswith(unlike)}

    return of


@pytest.fixture(scope="module")
def one_by_one(call, tmp_path_factory):
    """Two experts trained one after the other."""
    folder = tmp_path_factory.mktemp("resume") / "experts"
    assert call(*EXPERTS, "--out", folder).code == 0
    return folder


@pytest.mark.parametrize(
    ("stops", "signum"),
    [((1,), INT), ((4,), TERM), ((6,), TERM), ((8,), INT), ((2, 1, 1), INT), ((3, 3), TERM)],
)
def test_experts_stopped_after_any_epoch_end_up_the_same(
    call, broken, final, one_by_one, tmp_path, stops, signum
):
    said = broken(lambda *more: call(*EXPERTS, "--out", tmp_path / "x", *more), stops, signum)
    first, epoch = divmod(stops[0] - 1, 4)
    assert f"number {first + 1} are saved after epoch {epoch + 1}." in said[0]
    assert final(tmp_path / "x") == final(one_by_one)


def test_experts_killed_after_the_last_was_written_leave_no_unfinished_file(
    call, stop_after, final, one_by_one, tmp_path
):
    words = *EXPERTS, "--out", tmp_path / "x"
    stop_after(8)
    assert call(*words).code == 130
    assert "unfinished.safetensors" in final(tmp_path / "x")
    shutil.copy(one_by_one / "expert-001.safetensors", tmp_path / "x")  # and here comes the kill
    assert call(*words, "--resume").code == 0
    assert final(tmp_path / "x") == final(one_by_one)


@pytest.mark.parametrize(
    ("stops", "signum"), [((1,), INT), ((5,), TERM), ((6,), INT), ((2, 2), TERM), ((1, 1, 1), INT)]
)
def test_distill_stopped_at_any_step_ends_up_the_same(
    distill, broken, final, run, tmp_path, stops, signum
):
    said = broken(lambda *more: distill(tmp_path / "x", *more), stops, signum)
    assert f"step {stops[0]} of 6 is saved" in said[0]
    assert final(tmp_path / "x") == final(run)


@pytest.mark.parametrize("stops", [(1,), (3,), (2, 2)])
def test_learned_inner_rate_and_momentum_go_on_where_they_were(
    distill, broken, final, run_w, tmp_path, stops
):
    broken(lambda *more: distill(tmp_path / "x", *more, recipe="digits/ipc1-w"), stops)
    assert final(tmp_path / "x") == final(run_w)


def test_a_stopped_run_holds_its_state_and_no_coreset(distill, stop_after, content, tmp_path):
    stop_after(2)
    assert distill(tmp_path / "x").code == 130
    left = content(tmp_path / "x")
    assert "state.safetensors" in left
    assert CORESET not in left
    assert len(left["metrics.jsonl"].splitlines()) == 2


@pytest.fixture(scope="module")
def judge(call, run):
    """Judge a copy of the run, made if need be."""

    def evaluate(folder, *more):
        if not folder.exists():
            shutil.copytree(run, folder)
        return call("evaluate", folder, "--seeds", 2, *more)

    return evaluate


@pytest.mark.parametrize(("stops", "signum"), [((1,), INT), ((3,), TERM), ((1, 2), INT)])
def test_evaluate_stopped_between_judgements_ends_up_the_same(
    broken, judge, final, run, tmp_path, stops, signum
):
    assert judge(tmp_path / "whole").code == 0
    said = broken(lambda *more: judge(tmp_path / "x", *more), stops, signum)
    assert re.search(r"1 of 1 judgements by \S+ are saved", said[0])
    assert final(tmp_path / "x") == final(tmp_path / "whole")
    assert final(run).keys() == final(tmp_path / "x").keys() - {"results.json"}


def test_evaluate_goes_on_without_resume_too(stop_after, judge, final, tmp_path):
    stop_after(1)
    assert judge(tmp_path / "x").code == 130
    judged = list((tmp_path / "x" / "judgements").iterdir())
    times = [path.stat().st_mtime_ns for path in judged]
    assert "results.json" not in final(tmp_path / "x")
    stop_after(0)
    assert judge(tmp_path / "x").code == 0
    assert judge(tmp_path / "whole").code == 0
    assert [path.stat().st_mtime_ns for path in judged] == times
    assert final(tmp_path / "x") == final(tmp_path / "whole")


@pytest.fixture(scope="module")
def contest(call, run, run_w, experts):
    """Both runs beside herding, class means and the full data."""

    def compare(folder, *more):
        baselines = "--baselines", "herding", "class means", "full data", "--experts", experts
        return call("compare", run, run_w, *baselines, "--seeds", 2, "--out", folder, *more)

    return compare


@pytest.fixture(scope="module")
def compared(contest, tmp_path_factory):
    folder = tmp_path_factory.mktemp("resume") / "whole"
    assert contest(folder).code == 0
    return folder


@pytest.mark.parametrize(
    ("stops", "signum"), [((2,), TERM), ((7,), INT), ((11,), INT), ((1, 4), TERM)]
)
def test_compare_stopped_between_judgements_ends_up_the_same(
    broken, contest, compared, final, tmp_path, stops, signum
):
    broken(lambda *more: contest(tmp_path / "x", *more), stops, signum)
    assert final(tmp_path / "x") == final(compared)
    assert {"results.json", "table.md", "report.html"} <= final(compared).keys()


def test_a_stopped_comparison_keeps_its_judgements_and_tells_nothing_yet(
    contest, stop_after, content, tmp_path
):
    stop_after(3)
    assert contest(tmp_path / "x").code == 130
    left = content(tmp_path / "x")
    assert left.keys() - {name for name in left if name.startswith("judgements")} == {
        "recipe.json",
        "environment.json",
    }
    assert len(left) == 5


@pytest.fixture(scope="module")
def killed(environ):
    """Start a command in a process of its own, and kill it after the first line of progress."""

    def kill(*words):
        with subprocess.Popen(
            [sys.executable, "-m", "pseudocore", *words],
            env=environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert any(line.startswith("fKL") for line in process.stderr)
            process.kill()
        assert process.returncode == -signal.SIGKILL

    return kill


def test_killed_behind_what_was_saved_it_ends_up_the_same(
    command, killed, distill, stop_after, final, tmp_path
):
    long = "--steps", 1000  # enough to be killed in the midst of them
    assert distill(tmp_path / "whole", *long).code == 0
    stop_after(10)
    assert distill(tmp_path / "x", *long).code == 130
    before = final(tmp_path / "x")
    killed(*command(tmp_path / "x", *long, "--resume"))
    after = final(tmp_path / "x")
    assert CORESET not in after
    assert after["state.safetensors"] == before["state.safetensors"]
    assert len(after["metrics.jsonl"]) > len(before["metrics.jsonl"])
    stop_after(0)
    assert distill(tmp_path / "x", *long, "--resume").code == 0
    assert final(tmp_path / "x") == final(tmp_path / "whole")


@pytest.fixture(scope="module")
def again(call, distill, contest):
    """How a finished folder of each verb is asked for again."""
    return {
        "experts": lambda folder: call(*EXPERTS, "--out", folder, "--resume"),
        "distill": lambda folder: distill(folder, "--resume"),
        "compare": lambda folder: contest(folder, "--resume"),
    }


@pytest.mark.parametrize("verb", ["experts", "distill"])
def test_resuming_what_is_finished_computes_nothing_and_changes_nothing(
    again, stop_after, content, one_by_one, run, tmp_path, verb
):
    shutil.copytree({"experts": one_by_one, "distill": run}[verb], tmp_path / "x")
    before, heard = content(tmp_path / "x"), stop_after(1)
    assert again[verb](tmp_path / "x").code == 0
    assert heard == []
    after = content(tmp_path / "x")
    assert after.keys() == before.keys()
    assert [name for name in after if after[name] != before[name]] == ["environment.json"]


def test_resuming_a_finished_comparison_judges_nothing_and_changes_nothing(
    again, content, compared, tmp_path
):
    shutil.copytree(compared, tmp_path / "x")
    before = content(tmp_path / "x")
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "x" / "judgements").iterdir()}
    assert again["compare"](tmp_path / "x").code == 0
    after = content(tmp_path / "x")
    assert after.keys() == before.keys()
    assert [name for name in after if after[name] != before[name]] == ["environment.json"]
    assert {path: path.stat().st_mtime_ns for path in times} == times


def test_second_press_stops_at_once_and_keeps_what_was_saved(
    distill, stop_after, final, run, tmp_path
):
    out = tmp_path / "x"
    stop_after(2)
    assert distill(out).code == 130
    saved = final(out)["state.safetensors"]
    stop_after(2, presses=2)
    told = distill(out, "--resume")
    assert (told.code, told.out) == (130, "")
    assert told.line == SAVED
    assert final(out)["state.safetensors"] == saved  # at once: step 4 was not saved
    assert len(final(out)["metrics.jsonl"].splitlines()) == 4
    stop_after(0)
    assert distill(out, "--resume").code == 0
    assert final(out) == final(run)


def test_second_press_before_anything_was_saved_begins_anew(
    distill, stop_after, final, run, tmp_path
):
    stop_after(3, presses=2)
    assert distill(tmp_path / "x").line == SAVED
    left = final(tmp_path / "x")
    assert "state.safetensors" not in left
    assert len(left["metrics.jsonl"].splitlines()) == 3
    stop_after(0)
    assert distill(tmp_path / "x", "--resume").code == 0
    assert final(tmp_path / "x") == final(run)


def test_second_press_keeps_the_experts_that_were_finished(
    call, stop_after, final, one_by_one, tmp_path
):
    words = *EXPERTS, "--out", tmp_path / "x"
    stop_after(6, presses=2)  # in the second expert
    told = call(*words)
    assert (told.code, told.line) == (130, SAVED)
    left = final(tmp_path / "x")
    assert "expert-000.safetensors" in left
    assert "index.json" not in left
    heard = stop_after(0)
    assert call(*words, "--resume").code == 0
    assert len(heard) == 4  # the first expert was not trained again
    assert final(tmp_path / "x") == final(one_by_one)


@pytest.mark.parametrize("verb", ["experts", "distill", "compare", "demo"])
def test_second_start_without_resume_is_refused_and_the_folder_kept(
    call, distill, contest, stop_after, content, tmp_path, verb
):
    start = {
        "experts": lambda folder: call(*EXPERTS, "--out", folder),
        "distill": distill,
        "compare": contest,
        "demo": lambda folder: call("demo", "--out", folder),
    }[verb]
    stop_after(1)
    assert start(tmp_path / "x").code == 130
    before = content(tmp_path / "x")
    told = start(tmp_path / "x")
    assert told.code == 2
    said = f"{tmp_path / 'x'} already holds this run: continue it with --resume (in Python resume="
    assert said in told.line
    assert content(tmp_path / "x") == before


def test_python_resumes_too(distill, stop_after, final, run, experts, tmp_path):
    stop_after(2)
    assert distill(tmp_path / "x").code == 130
    recipe = read_recipe(tmp_path / "x")
    with pytest.raises(pc.UserError, match="resume=True"):
        pc.make_coreset(recipe, experts, tmp_path / "x")
    pc.make_coreset(recipe, experts, tmp_path / "x", resume=True)
    assert final(tmp_path / "x") == final(run)
    plan = dataclasses.replace(recipe.plan, epochs=1)
    pc.train_plan(plan, tmp_path / "experts")
    with pytest.raises(pc.UserError, match="resume=True"):
        pc.train_plan(plan, tmp_path / "experts")
    assert pc.train_plan(plan, tmp_path / "experts", resume=True) == tmp_path / "experts"


def test_the_handlers_of_before_are_back_after_a_stop(distill, stop_after, tmp_path):
    before = [signal.getsignal(signum) for signum in CODES]
    stop_after(1)
    assert distill(tmp_path / "x").code == 130
    assert [signal.getsignal(signum) for signum in CODES] == before
