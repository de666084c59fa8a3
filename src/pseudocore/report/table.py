"""A table for the console and one for Markdown, both of one protocol."""

import textwrap
from collections.abc import Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from pseudocore.report.caption import caption
from pseudocore.report.cells import Cell, body
from pseudocore.report.summary import Summary


def console_table(
    summaries: Sequence[Summary], title: str, points: str = "images", marked: bool = True
) -> Table:
    """The table for rich; `marked`: whether its console can show what is highlighted."""
    laid = body(summaries)
    # A judge's line stands in the column of the methods, and must not make it wider.
    room = max(11, *(len(s.method) for s in summaries))
    table = Table(
        title=Text(title, style="bold"),
        caption=Text(caption(summaries, points, marked), style="dim"),
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        collapse_padding=True,
    )
    for i, heading in enumerate(laid.headings):
        words = i < laid.labels
        table.add_column(Text(heading), justify="left" if words else "right", no_wrap=not words)
    for section in laid.sections:
        table.add_row(Text(textwrap.fill(section.judge, room), style="italic cyan"))
        for line in section.lines:
            table.add_row(*(_styled(cell) for cell in line))
        table.add_section()
    return table


def markdown_table(
    summaries: Sequence[Summary], points: str = "images", notes: Sequence[str] = ()
) -> str:
    """The table for a README, its judges in a column, with its caption and notes under it."""
    laid = body(summaries)
    headings = [laid.headings[0], "judge", *laid.headings[1:]]
    rules = [":--" if i <= laid.labels else "--:" for i in range(len(headings))]
    lines = [headings, rules]
    for section in laid.sections:
        for first, *rest in section.lines:
            lines.append([_marked(cell) for cell in (first, Cell(section.judge), *rest)])
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return "\n\n".join([text, caption(summaries, points), *notes]) + "\n"


def _styled(cell: Cell) -> Text:
    if cell.warning:
        return Text(f"{cell.text} !", style="bold red")
    return Text(cell.text, style="bold green" if cell.best else "")


def _marked(cell: Cell) -> str:
    # A line break or a bar inside a cell would end it.
    text = " ".join(cell.text.split()).replace("|", "\\|")
    if cell.warning:
        return f"{text} !"
    return f"**{text}**" if cell.best else text
