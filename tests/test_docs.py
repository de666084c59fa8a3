"""The pages in docs/ are true: their tables are those of results/, their links lead somewhere."""

import importlib
import json
import re
from pathlib import Path

import numpy as np
import pytest

from pseudocore.report import proposition_table, synthetic

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").glob("*.md"))


@pytest.mark.parametrize(
    ("name", "summary"),
    [("synthetic", synthetic.summary), ("proposition", proposition_table.summary)],
)
def test_its_table_is_made_of_the_recorded_rows(name, summary):
    record = json.loads((ROOT / "results" / f"{name}.json").read_text())
    assert record["environment"]["commit"]
    assert not record["environment"]["changed"]
    page = (ROOT / "docs" / f"{name}.md").read_text()
    assert summary(record["rows"]).rstrip() in page
    assert record["environment"]["commit"][:7] in page


def test_the_recorded_synthetic_study_shows_what_was_asked():
    """Whatever is trained: a hundredfold fall, to the floor where there is one."""
    rows = json.loads((ROOT / "results" / "synthetic.json").read_text())["rows"]
    names = ("weights", "trained", "measured", "seed", "step")
    five = {tuple(row[name] for name in names): row for row in rows if row["size"] == 5}
    first, last = 0, max(row["step"] for row in rows)
    ends = [key for key in five if key[-1] == last]
    assert len(ends) == 2 * 3 * 3 * 10
    for key in ends:
        start, end = five[(*key[:-1], first)], five[key]
        floor = end["floor"]
        assert end["value"] - floor <= (start["value"] - floor) / 100
        if key[0] == "unit":
            assert end["value"] <= 1.01 * floor


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_its_links_lead_somewhere(page):
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_the_tables_of_real_data_are_the_recorded_rows_and_show_what_was_asked(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    tables = importlib.import_module("real_data").tables
    record = json.loads((ROOT / "results" / "real-data.json").read_text())
    assert record["environment"]["commit"]
    assert not record["environment"]["changed"]
    assert tables(record["rows"]) in (ROOT / "docs" / "data.md").read_text()
    held = {row["dataset"]: row for row in record["rows"] if "dataset" in row}
    assert held.keys() >= {"cifar10", "cifar100", "mnist", "fashion-mnist", "imagenette"}
    assert not any(row["faults"] for row in held.values())
    assert np.median(held["cifar10"]["load"]) < 2
    assert np.median(held["imagenette"]["read"]) < 1
    changed = {
        row["corruption"]: row["difference"] for row in record["rows"] if "corruption" in row
    }
    assert len(changed) == 19
    # Mean differences of the published set over a sample of its images.
    published = {"gaussian_noise": (8.0, 11.9, 15.7, 17.6, 19.6)}
    for name, levels in published.items():
        np.testing.assert_allclose(changed[name], levels, atol=0.2)
    ends = {"contrast": (10.7, 36.6), "jpeg_compression": (5.5, 8.4)}
    for name, (first, last) in ends.items():
        np.testing.assert_allclose([changed[name][0], changed[name][-1]], [first, last], atol=0.5)
