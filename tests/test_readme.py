"""README is true: its Python runs, its two commands stand alone, its numbers are results."""

import json
import re
from pathlib import Path

import pytest
from benchmarks.record_demo import README, RESULTS, section

import pseudocore as pc

TEXT = README.read_text()


def blocks(language: str, text: str = TEXT) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("source", blocks("python"), ids=["folders", "parts", "own network"])
def test_its_python_runs_as_printed(source, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(source, "README.md", "exec"), {"__name__": "readme"})


def test_what_the_command_line_does_takes_less_than_fifteen_lines():
    lines = [line for line in blocks("python")[0].splitlines() if line.strip()]
    assert len(lines) < 15


def test_the_two_commands_stand_alone():
    (part,) = re.findall(r"^## Two commands\n(.*?)^## ", TEXT, re.MULTILINE | re.DOTALL)
    install, test = blocks("sh", part)
    assert part.count("```") == 4
    assert install.startswith("pip install . && pseudocore demo")
    assert test == "pip install '.[test]' && bash scripts/test\n"


def test_its_table_is_the_recorded_demo():
    assert section(json.loads(RESULTS.read_text())) in TEXT


def test_its_prose_counts_the_digits_that_there_are():
    split = pc.Digits().load()
    (told,) = re.findall(r"on ([\d,]+) digits, .*?predicts ([\d,]+) test digits", TEXT, re.DOTALL)
    assert told == (f"{len(split.train):,}", f"{len(split.test):,}")


def test_its_table_says_why_where_the_record_shows_it():
    record = json.loads(RESULTS.read_text()) | {"gaps": {}}
    assert "under-confident" not in section(record)
    modest = dict.fromkeys(("rKL", "W", "fKL"), 0.2)
    shown = section(record | {"gaps": {"hmc": modest, "a-sghmc": modest}})
    assert "class means in ECE under hmc and a-sghmc, being under-confident" in shown


def test_the_examples_for_the_command_line_and_for_python_share_no_folder():
    def folders(language):
        return set(re.findall(r"runs/[\w-]+", " ".join(blocks(language))))

    assert folders("console") & folders("python") == set()


def test_the_recorded_demo_shows_what_was_asked():
    rows = json.loads(RESULTS.read_text())["rows"]

    def mean(method, metric):
        scores = [r[metric] for r in rows if (r["method"], r["judge"]) == (method, "hmc")]
        return sum(scores) / len(scores)

    assert mean("fKL", "acc") > mean("random", "acc") + 0.15
    assert mean("fKL", "nll") < mean("random", "nll") - 0.4


def test_its_links_lead_somewhere():
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", TEXT):
        assert (Path(README).parent / target).exists(), target
