"""The command line called in this process, a tiny folder of experts and a tiny finished run."""

import contextlib
import dataclasses
import io
import os
import signal

import jax
import pytest

from pseudocore.__main__ import main
from pseudocore.cli.console import Bars
from pseudocore.recipes import preset

PLAN = ["--count", "2", "--epochs", "4", "--network.width", "8"]
RECIPE = [
    "--plan.count",
    "2",
    "--plan.epochs",
    "4",
    "--plan.network.width",
    "8",
    "--steps",
    "6",
    "--infer.steps",
    "3",
]
SHORT = "--{0}.chain.iterations 8 --{0}.chain.burn 4 --{0}.chain.kernel.leapfrogs 3"
JUDGES = [
    word
    for judge in (*(f"judges.{i}" for i, _ in enumerate(preset("digits/ipc1-fkl").judges)), "full")
    for word in SHORT.format(judge).split()
]


@dataclasses.dataclass(frozen=True)
class Told:
    """What a call answered, and its standard error on one line, without tyro's boxes."""

    code: object
    out: str
    err: str

    @property
    def line(self):
        return " ".join(self.err.replace("│", " ").split())


def call(*words):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main([str(word) for word in words])
        except SystemExit as stop:
            code = stop.code
    return Told(code, out.getvalue(), err.getvalue())


def content(folder):
    """Every file below a folder, and what it holds."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="session", name="call")
def call_fixture():
    return call


@pytest.fixture(scope="session", name="told")
def told_fixture():
    """What `refused` looks at, for calls in another process."""
    return Told


@pytest.fixture(scope="session", name="content")
def content_fixture():
    return content


@pytest.fixture(scope="session")
def refused():
    """Check that a call ended as wrong input must, its message naming all these words."""

    def check(told, *words):
        assert told.code == 2, told
        assert told.out == ""
        assert "Traceback" not in told.err
        for word in words:
            assert str(word) in told.line, told.line

    return check


@pytest.fixture(scope="session")
def experts(tmp_path_factory):
    """Two experts of four epochs. Look, do not touch."""
    folder = tmp_path_factory.mktemp("cli") / "experts"
    told = call("experts", "digits", *PLAN, "--out", folder)
    assert told.code == 0, told.err
    return folder


@pytest.fixture(scope="session")
def command(experts):
    """The words that learn a tiny coreset into a folder."""

    def words(out, *more, recipe="digits/ipc1-fkl", of=experts):
        tiny = "distill", recipe, *RECIPE, *JUDGES, "--experts", of, "--out", out, *more
        return [str(word) for word in tiny]

    return words


@pytest.fixture(scope="session")
def distill(command):
    """Learn a tiny coreset into a folder."""

    def learn(out, *words, **others):
        return call(*command(out, *words, **others))

    return learn


@pytest.fixture(scope="session")
def run(tmp_path_factory, distill):
    """A finished run of the forward KL. Look, do not touch: `judged` may be judged in."""
    folder = tmp_path_factory.mktemp("cli") / "fkl"
    told = distill(folder)
    assert told.code == 0, told.err
    return folder


@pytest.fixture(scope="session")
def run_w(tmp_path_factory, distill):
    """A finished run of the Wasserstein distance, whose inner rate is learned."""
    folder = tmp_path_factory.mktemp("cli") / "w"
    told = distill(folder, recipe="digits/ipc1-w")
    assert told.code == 0, told.err
    return folder


@pytest.fixture(scope="session")
def environ():
    """For a process of its own that shares the compiled programs of this one."""
    cache = str(jax.config.values["jax_compilation_cache_dir"])
    return {**os.environ, "JAX_COMPILATION_CACHE_DIR": cache}


@pytest.fixture
def stop_after(monkeypatch):
    """Let a real signal arrive, once or more often, when progress is told for the n-th time."""

    def arrange(times, signum=signal.SIGINT, presses=1):
        heard = []

        def say(self, what, done, total, facts):
            heard.append(what)
            if len(heard) == times:
                for _ in range(presses):
                    signal.raise_signal(signum)

        monkeypatch.setattr(Bars, "say", say)
        return heard

    # Who starts the tests in the background of a shell has Ctrl-C ignored in all of them.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield arrange
    signal.signal(signal.SIGINT, before)
