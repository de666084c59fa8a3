"""The table of one protocol for the page."""

import re
from collections.abc import Sequence

from pseudocore.report.caption import caption
from pseudocore.report.cells import Body, Cell, Section, body
from pseudocore.report.markup import Html, element, join
from pseudocore.report.summary import Summary


def table(summaries: Sequence[Summary], points: str = "images") -> Html:
    """One protocol's table in a frame that scrolls by itself, so that the page never has to."""
    laid = body(summaries)
    # An arrow stays on the line of its word.
    headings = (re.sub(" (?=[↑↓])", "\u00a0", heading) for heading in laid.headings)
    head = element("thead", element("tr", *(element("th", h, scope="col") for h in headings)))
    rows = (element("tbody", *_judge(part, laid)) for part in laid.sections)
    text = caption(summaries, points)
    inner = element("table", element("caption", text, class_="hidden"), head, *rows)
    scroller = element(
        "div", inner, class_="scroll", role="region", tabindex=0, aria_label="Table of results"
    )
    return join(scroller, element("p", text, class_="small"))


def _judge(part: Section, laid: Body) -> list[Html]:
    name = element("th", part.judge, scope="rowgroup", colspan=len(laid.headings))
    lines = (element("tr", *_line(line, laid.labels)) for line in part.lines)
    return [element("tr", name, class_="judge"), *lines]


def _line(line: Sequence[Cell], labels: int) -> list[Html]:
    cells = [element("th", line[0].text, scope="row")]
    for i, cell in enumerate(line[1:], start=1):
        if cell.warning:
            mark = element("abbr", "!", title=cell.warning)
            cells.append(element("td", cell.text, " ", mark, class_="warn"))
        elif cell.best:
            cells.append(element("td", element("strong", cell.text), class_="best"))
        else:
            cells.append(element("td", cell.text, class_="word" if i < labels else None))
    return cells
