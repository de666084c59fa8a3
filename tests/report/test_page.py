import base64
import hashlib
import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from pseudocore.report.markup import VOID
from pseudocore.report.page import document, write_page
from pseudocore.report.story import Story
from pseudocore.report.summary import summarise

HOSTILE = (
    "</title></style></script><script>alert('x')</script>"
    '<img src=http://e.vil/x onerror="1">&amp;|`'
)


class Page(HTMLParser):
    """The tags in balance, and everything the tests ask about."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open, f"left open: {self.open}"

    def handle_starttag(self, tag, attrs) -> None:
        self.tags.append((tag, dict(attrs)))
        assert len(dict(attrs)) == len(attrs), f"an attribute twice in {tag}"
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data) -> None:
        self.text.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def words(self) -> str:
        return " ".join(" ".join(self.text).split())


def test_the_page_is_a_whole_and_loads_nothing(story, tmp_path) -> None:
    write_page(tmp_path / "new" / "report.html", story())
    text = (tmp_path / "new" / "report.html").read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    page = Page(text)
    for _, attributes in page.tags:
        for key in ("src", "href", "srcset", "action", "data", "poster"):
            value = attributes.get(key)
            assert value is None or value.startswith(("data:", "#"))
    assert "url(" not in text
    assert "@import" not in text
    # The SVG vocabulary's name is the only address in the file, and nothing is fetched from it.
    assert set(re.findall(r"https?://[^\s\"'<]+", text)) == {"http://www.w3.org/2000/svg"}


def test_the_policy_allows_the_page_s_own_script_only(story) -> None:
    text = document(story())
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    (policy,) = [m["content"] for m in Page(text).all("meta") if "http-equiv" in m]
    assert "default-src 'none'" in (policy or "")
    assert f"script-src 'sha256-{digest}'" in (policy or "")


def test_it_tells_the_story(story) -> None:
    page = Page(document(story()))
    for words in (
        "What is a pseudocoreset?",
        "fKL beats class means in accuracy",
        "Hamiltonian Monte Carlo",
        "Expected calibration error",
        ".910 ± .010",
        "Held-out accuracy",
        "Reliability of fKL",
        "standard error over 2 chains",
        "A ring marks the step that was kept.",
        "The share of test images",
    ):
        assert words in page.words


def test_it_can_be_read_without_seeing_it(story) -> None:
    page = Page(document(story()))
    assert page.all("html")[0]["lang"] == "en"
    assert len(page.all("h1")) == 1
    images = page.all("img")
    assert [image["alt"] for image in images] == [
        "fKL: the real images it started from",
        "fKL: the images after learning",
    ]
    assert all((image["src"] or "").startswith("data:image/png;base64,") for image in images)
    assert all(svg["role"] == "img" for svg in page.all("svg"))
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(set(ids)) == len(ids)
    for link in page.all("a"):
        assert (link["href"] or "")[1:] in ids
    for section in page.all("section"):
        assert section["aria-labelledby"] in ids
    # What scrolls can be reached by keyboard.
    assert all(div["tabindex"] == "0" for div in page.all("div") if div.get("class") == "scroll")


def test_headings_do_not_skip_a_level(story) -> None:
    levels = [int(tag[1]) for tag, _ in Page(document(story())).tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_hostile_text_cannot_break_it(story) -> None:
    clean, hostile = Page(document(story())), Page(document(story(HOSTILE)))
    assert [tag for tag, _ in hostile.tags] == [tag for tag, _ in clean.tags]
    assert not any(key.startswith("on") for _, held in hostile.tags for key in held)
    assert "alert('x')" in hostile.words


def test_a_lone_surrogate_does_not_cost_the_page(story, tmp_path) -> None:
    write_page(tmp_path / "report.html", story("a\ud800b"))
    assert "a?b" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("part", "empty", "chapter"),
    [
        ("pictures", [], "pictures"),
        ("curves", {}, "learning"),
        ("reliability", {}, "calibration"),
    ],
)
def test_what_is_empty_is_left_out(story, part, empty, chapter) -> None:
    page = Page(document(story(**{part: empty})))
    assert chapter not in [s["id"] for s in page.all("section")]
    assert f"#{chapter}" not in [a["href"] for a in page.all("a")]


def test_a_story_of_almost_nothing_is_a_page(story) -> None:
    page = Page(document(Story(title="t", lead=[], summaries=[])))
    assert [s["id"] for s in page.all("section")] == ["what"]


def test_protocols_get_a_table_each(story, rows) -> None:
    held = rows("a", [0.1, 0.2]) + rows("a", [0.1, 0.2], protocol="paper", nll_published=1.0)
    page = Page(document(story(summaries=summarise(held))))
    assert len(page.all("table")) == 2
    assert "Protocol: textbook" in page.words
    assert "Protocol: paper" in page.words
    assert "batch by batch" in page.words


def test_a_ring_is_explained_where_one_is_drawn(story) -> None:
    for chosen in ({}, {"fKL": 15}, {"other": 10}):
        assert "A ring" not in Page(document(story(chosen=chosen))).words


def test_the_first_of_several_coresets_is_named_so_where_one_is_drawn(story) -> None:
    told = "Where a method has several coresets, the first is shown."
    assert told not in Page(document(story())).words
    assert Page(document(story(several={"fKL"}))).words.count(told) == 3  # pictures, bins, curves
    assert told not in Page(document(story(several={"random"}))).words


def test_points_that_are_no_images_are_not_called_so(story) -> None:
    words = Page(document(story(points="points", pictures=[]))).words.partition("Skip to")[2]
    for word in ("image", "pixel", "picture", "photograph"):
        assert word not in words.partition("This file is complete")[0].lower()
    assert "The share of test points" in words
    assert "its features are then moved" in words


def test_a_judge_is_explained_by_what_it_sees(story, rows) -> None:
    held = summarise(rows("a", [0.1, 0.2], judge="a-sghmc"))
    page = Page(document(story(summaries=held, seen={"a-sghmc": "as it is"})))
    assert "sees the coreset as it is." in page.words
    assert (
        "sees the coreset augmented afresh at every step."
        in Page(document(story(summaries=held))).words
    )


def test_only_judges_that_judged_are_explained(story, rows) -> None:
    two = Page(document(story())).words  # HMC, and SGHMC on the full data
    assert "Hamiltonian Monte Carlo" in two
    assert "stochastic cousin" in two
    assert "A-SGHMC" not in two
    one = Page(document(story(summaries=summarise(rows("fKL", [0.9], judge="a-sghmc"))))).words
    assert "A-SGHMC" in one
    assert "Hamiltonian Monte Carlo" not in one
