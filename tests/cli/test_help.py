"""Help that is instant, complete, and exact about the flags that all verbs share."""

import importlib.metadata
import os
import re
import subprocess
import sys
import time

import pytest

from pseudocore.__main__ import VERBS, main


def python(*arguments):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=60)


def test_help_answers_in_less_than_a_third_of_a_second():
    took = []
    for _ in range(7):
        began = time.monotonic()
        done = python("-m", "pseudocore", "--help")
        took.append(time.monotonic() - began)
        assert done.returncode == 0, done.stderr
    assert min(took) < 0.3


@pytest.mark.parametrize("word", ["--help", "--version", "nonsense"])
def test_help_version_and_typing_errors_do_not_load_jax(word):
    done = python(
        "-c",
        f"import sys; from pseudocore.__main__ import main; main([{word!r}])\n"
        "print('jax' in sys.modules, 'numpy' in sys.modules)",
    )
    assert done.stdout.endswith("False False\n"), done.stderr


def test_help_lists_every_verb_and_examples(capsys):
    for words in ([], ["--help"], ["-h"], ["help"]):
        assert main(words) == 0
        out = capsys.readouterr().out
        assert all(re.search(rf"^  {verb} ", out, re.MULTILINE) for verb in VERBS)
        assert "examples:" in out
        assert "pseudocore demo\n" in out


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb != "data"])
def test_each_verb_has_examples_and_the_four_common_flags(verb, call):
    told = call(verb, "--help")
    assert told.code == 0
    assert told.err == ""
    flags = set(re.findall(r"--[a-z][\w.-]*", told.out.split("options", 1)[-1]))
    assert {"--seed", "--out", "--resume", "--json"} <= flags
    examples = re.findall(rf"^ .*pseudocore {verb}", told.out, re.MULTILINE)
    assert len(examples) >= 2
    assert "Examples:" in told.out


@pytest.mark.parametrize("verb", ["experts", "distill", "evaluate", "compare", "demo"])
def test_each_verb_says_once_how_it_is_called(verb, call):
    told = call(verb, "--help")
    assert told.out.count("usage:") == 1
    named = {"distill": "RECIPE", "experts": "[RECIPE]", "evaluate": "RUN", "compare": "RUN ..."}
    assert named.get(verb, "") in told.out.splitlines()[0]


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["distill", "--help"]])
def test_a_pipe_that_nobody_reads_ends_it_quietly(words):
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pseudocore", *words],
            stdout=write,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            env={name: held for name, held in os.environ.items() if name != "PYTHONUNBUFFERED"},
        )
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (1, "")


def test_version_is_that_of_the_package(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.strip() == importlib.metadata.version("pseudocore")
