"""The pages in docs/ are true: their tables are those of results/, their links lead somewhere."""

import json
import re
from pathlib import Path

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
