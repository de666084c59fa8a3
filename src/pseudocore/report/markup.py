"""HTML and SVG elements that cannot be broken by their text: what is not `Html` is escaped."""

import html

VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})


class Html(str):
    """Text that already is markup. Only `element`, `join` and the page's own files make it."""

    __slots__ = ()


def element(name: str, /, *children: str, **attributes: str | int | float | None) -> Html:
    """<name attributes>children</name>: class_ is class, a_b is a-b, and None is left out."""
    words = [name]
    for key, value in attributes.items():
        if value is not None:
            text = f"{value:.6g}" if isinstance(value, float) else str(value)
            words.append(f'{key.rstrip("_").replace("_", "-")}="{html.escape(text)}"')
    opening = f"<{' '.join(words)}>"
    return Html(opening if name in VOID else f"{opening}{join(*children)}</{name}>")


def join(*children: str) -> Html:
    """The children one after another, each escaped unless it is markup."""
    return Html("".join(c if isinstance(c, Html) else html.escape(c) for c in children))
