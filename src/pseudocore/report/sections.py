"""The sections of the page, each from its part of the story; empty where there is no such part."""

from collections.abc import Iterable, Mapping, Sequence

from pseudocore.report import words
from pseudocore.report.comparison import comparison
from pseudocore.report.curves import learning_curves, ringed
from pseudocore.report.findings import comparisons, conclusions, headlines
from pseudocore.report.markup import Html, element, join
from pseudocore.report.picture_html import figure
from pseudocore.report.reliability import reliability
from pseudocore.report.story import Story
from pseudocore.report.summary import by_protocol
from pseudocore.report.table_html import table

EMPTY = Html("")


def section(name: str, title: str, *children: str) -> Html:
    heading = element("h2", title, id=f"{name}-title")
    return element("section", heading, *children, id=name, aria_labelledby=f"{name}-title")


def paragraphs(texts: Sequence[str], look: str | None = None) -> Html:
    return join(*(element("p", text, class_=look) for text in texts))


def terms(pairs: Sequence[tuple[str, str]] | Mapping[str, str], look: str) -> Html:
    items = pairs.items() if isinstance(pairs, Mapping) else pairs
    rows = (element("div", element("dt", a), element("dd", b)) for a, b in items)
    return element("dl", *rows, class_=look)


def numbers(story: Story) -> Html:
    """The run in a line of large numbers."""
    tiles = [
        element(
            "div",
            element("dt", what),
            element("dd", element("b", value), " ", element("span", f"accuracy, {judge}")),
            class_="learned" if "best learned" in what else None,
        )
        for what, value, judge in headlines(story.summaries)
    ]
    return element("dl", *tiles, class_="tiles") if tiles else EMPTY


def what(story: Story) -> Html:
    shown = [*([words.PICTURES] if story.pictures else []), *words.LOOK]
    pairs = words.spoken(tuple(shown), story.points)
    look = (element("li", element("strong", head), " ", rest) for head, rest in pairs)
    told = element("div", paragraphs(words.spoken(words.WHAT, story.points)))
    aside = element("aside", element("h3", "What to look at"), element("ul", *look))
    return section("what", "What is a pseudocoreset?", element("div", told, aside, class_="split"))


def pictures(story: Story) -> Html:
    if not story.pictures:
        return EMPTY
    sheets = element("div", *(figure(p) for p in story.pictures), class_="pictures")
    told = [story.pictures_caption, *first(story, (p.name for p in story.pictures))]
    note = element("p", " ".join(told), class_="small")
    return section("pictures", "From real to learned", note, sheets)


def first(story: Story, drawn: Iterable[str]) -> list[str]:
    """That the first of several coresets is drawn, where it is."""
    return [words.FIRST] if set(drawn) & set(story.several) else []


def found(story: Story) -> Html:
    sentences = [*story.notes, *conclusions(story.summaries, story.gaps)]
    if not sentences:
        return EMPTY
    every = comparisons(story.summaries)
    parts = [_list(sentences, "found")]
    if every:
        head = element("summary", f"Every comparison, one by one ({len(every)})")
        note = element("p", words.TWO_ERRORS, class_="small")
        parts.append(element("details", head, _list(every, "every"), note))
    return section("found", "What came out", *parts)


def _list(texts: Sequence[str], look: str) -> Html:
    # A value and its error stay on one line.
    kept = (text.replace(" ± ", "\u00a0±\u00a0") for text in texts)
    return element("ul", *(element("li", text) for text in kept), class_=look)


def results(story: Story, palette: Mapping[str, str]) -> Html:
    if not story.summaries:
        return EMPTY
    present = {s.judge.lower() for s in story.summaries}
    judges = [
        words.spoken(told, story.points, seen=story.seen.get(name, words.AFRESH))
        for name, told in words.JUDGES.items()
        if name in present
    ]
    parts: list[str] = [paragraphs(words.spoken(words.JUDGE, story.points)), terms(judges, "terms")]
    for protocol, summaries in by_protocol(story.summaries).items():
        parts.append(element("h3", f"Protocol: {protocol}"))
        if protocol in words.PROTOCOLS:
            parts.append(element("p", words.PROTOCOLS[protocol]))
        parts.append(_panels(comparison(summaries, palette, story.points)))
        parts.append(table(summaries, story.points))
    published = any(s.nll_published is not None for s in story.summaries)
    columns = words.spoken((*words.COLUMNS, *(words.PUBLISHED if published else ())), story.points)
    parts += [element("h3", "What the columns mean"), terms(columns, "terms")]
    return section("results", "How good are they?", *parts)


def calibration(story: Story, palette: Mapping[str, str]) -> Html:
    if not story.reliability:
        return EMPTY
    told = [words.spoken(words.CALIBRATION, story.points), *first(story, story.reliability)]
    told += [story.reliability_of] if story.reliability_of else []
    panels = _panels(reliability(story.reliability, palette), "panels small-panels")
    return section("calibration", "Do they know what they know?", paragraphs(told), panels)


def learning(story: Story) -> Html:
    if not story.curves:
        return EMPTY
    panels = learning_curves(story.curves, story.chosen)
    told = [words.spoken(words.LEARNING, story.points)]
    told += [words.RING] if ringed(story.curves, story.chosen) else []
    return section(
        "learning",
        "How they were learned",
        element("p", " ".join([*told, *first(story, story.curves)])),
        _panels(panels[:2]),
        _panels(panels[2:], "panels small-panels"),
    )


def again(story: Story) -> Html:
    parts: list[str] = []
    if story.facts:
        parts.append(terms(story.facts, "facts"))
    if story.commands:
        parts += [element("h3", "The commands"), *(_code(c, "command") for c in story.commands)]
    if story.recipe:
        parts += [element("h3", "The recipe"), _code(story.recipe, "recipe")]
    return section("again", "Make it again", *parts) if parts else EMPTY


def _panels(charts: Sequence[Html], look: str = "panels") -> Html:
    if not charts:
        return EMPTY
    return element("div", *(element("div", chart) for chart in charts), class_=look)


def _code(text: str, name: str) -> Html:
    return element("pre", element("code", text), tabindex=0, aria_label=f"{name}, click to select")
