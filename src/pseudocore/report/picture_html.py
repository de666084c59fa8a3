"""The pictures of one method for the page, inside the page."""

import base64
import io

from PIL import Image

from pseudocore.report.markup import Html, element
from pseudocore.report.pictures import Pictures


def figure(p: Pictures) -> Html:
    """Both sheets under the name; the script of the page blends the second with the first."""
    # A strip of one row wants the whole width, a square sheet shares it.
    wide = p.before.width > 3 * p.before.height
    sheets = element(
        "div",
        _sheet(p.before, "start", f"{p.name}: the real images it started from", "before"),
        _sheet(p.after, "learned", f"{p.name}: the images after learning", "after"),
        class_="strips" if wide else "strips squares",
    )
    note = [" ", element("span", p.note)] if p.note else []
    return element("figure", element("figcaption", element("strong", p.name), *note), sheets)


def _sheet(picture: Image.Image, word: str, alt: str, look: str) -> Html:
    image = element(
        "img", src=data_uri(picture), alt=alt, width=picture.width, height=picture.height
    )
    return element("div", element("span", word), element("div", image, class_=look))


def data_uri(picture: Image.Image) -> str:
    held = io.BytesIO()
    picture.save(held, format="PNG", optimize=True)
    return f"data:image/png;base64,{base64.b64encode(held.getvalue()).decode('ascii')}"
