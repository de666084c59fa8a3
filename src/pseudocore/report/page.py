"""One self-contained HTML file: no request leaves it, and no script is needed to read it."""

import base64
import hashlib
from importlib.resources import files
from pathlib import Path

from pseudocore.report import sections
from pseudocore.report.axes import colours
from pseudocore.report.markup import Html, element, join
from pseudocore.report.story import Story
from pseudocore.store.files import write_atomically

CHAPTERS = {
    "what": "What it is",
    "pictures": "Pictures",
    "found": "What came out",
    "results": "Results",
    "calibration": "Calibration",
    "learning": "Learning",
    "again": "Make it again",
}


def write_page(path: Path, story: Story) -> None:
    """The story as a file."""
    # A lone surrogate in a name must not cost the whole page.
    write_atomically(path, document(story).encode(errors="replace"))


def document(story: Story) -> str:
    """The story as HTML."""
    palette = colours(list(story.curves))
    told = {
        "what": sections.what(story),
        "pictures": sections.pictures(story),
        "found": sections.found(story),
        "results": sections.results(story, palette),
        "calibration": sections.calibration(story, palette),
        "learning": sections.learning(story),
        "again": sections.again(story),
    }
    links = [element("a", CHAPTERS[name], href=f"#{name}") for name, part in told.items() if part]
    header = element(
        "header",
        element("p", "pseudocore", class_="brand"),
        element("h1", story.title),
        sections.paragraphs(story.lead, "lead"),
        sections.numbers(story),
    )
    body = element(
        "body",
        element("a", "Skip to the content", href="#content", class_="skip"),
        header,
        element("nav", *links, aria_label="Chapters"),
        element("main", *told.values(), id="content"),
        element("footer", element("p", "Made by pseudocore. This file is complete in itself.")),
        element("script", _shipped("blend.js")),
    )
    return f"<!doctype html>\n{element('html', _head(story.title), body, lang='en')}\n"


def _head(title: str) -> Html:
    """The head; its policy lets the browser load nothing and run no script but the page's own."""
    digest = hashlib.sha256(_shipped("blend.js").encode()).digest()
    policy = (
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{base64.b64encode(digest).decode('ascii')}'; base-uri 'none'"
    )
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("link", rel="icon", href="data:,"),
        element("title", title),
        element("style", _shipped("style.css")),
    )


def _shipped(name: str) -> Html:
    """A file that came with the package, and so is trusted as markup."""
    return join(Html(files("pseudocore.report").joinpath(name).read_text(encoding="utf-8")))
