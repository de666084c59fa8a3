"""A file from the web: checked, resumed where it broke off, and whole or not there."""

import contextlib
import functools
import http.client
import math
import re
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from pseudocore.errors import UserError
from pseudocore.progress import Say
from pseudocore.store.fetch import Fetch, elsewhere
from pseudocore.store.files import explained_download as explained
from pseudocore.store.part import MIB, Part, checksum_like

TIMEOUT = 30.0  # seconds in which nothing arrives
PAUSES = (0.5, 1.0, 2.0, 4.0)  # seconds between tries that brought nothing new
BLINK = 0.25  # seconds between two words on how far it is
CHECKSUM = re.compile(r"md5:[0-9a-f]{32}|sha256:[0-9a-f]{64}")
# http and https only, redirects included: what urllib adds by itself reads files too.
HANDLERS = (
    urllib.request.ProxyHandler,
    urllib.request.HTTPHandler,
    urllib.request.HTTPSHandler,
    urllib.request.HTTPDefaultErrorHandler,
    urllib.request.HTTPRedirectHandler,
    urllib.request.HTTPErrorProcessor,
    urllib.request.UnknownHandler,
)


def download(
    url: str,
    target: Path,
    checksum: str,
    say: Say,
    size: int | None = None,
    timeout: float = TIMEOUT,
    pauses: Sequence[float] = PAUSES,
) -> Path:
    """`target`, fetched from `url` unless it is there; its `checksum` is "md5:…" or "sha256:…"."""
    checksum = checksum.lower()
    if not CHECKSUM.fullmatch(checksum):
        raise UserError(
            f"{checksum!r} is no checksum: write md5: and 32 digits, or sha256: and 64."
        )
    _require_web(url)
    if _is_there(target, checksum):
        return target
    part = Part(target)
    ask = functools.partial(_ask, url, timeout)
    Fetch(url, ask, part, checksum, size, _meter(target.name, say)).persist(pauses)
    if (found := part.checksum(checksum)) != checksum:
        part.remove()
        raise UserError(
            f"What {url} sent has the checksum {found}, not {checksum}, and was removed. Run the "
            f"same command again, {elsewhere(part)}."
        )
    whole = math.ceil(part.size / MIB)
    say(target.name, whole, whole, {})
    part.finish()
    return target


def _require_web(url: str) -> None:
    with _spelled(url):
        address = urlsplit(url)
        if address.scheme not in ("http", "https") or not address.netloc:
            raise ValueError("only http:// and https:// are fetched")


@contextlib.contextmanager
def _spelled(url: str) -> Iterator[None]:
    """Turn what Python says about the spelling of an address into what a person can do."""
    try:
        yield
    except (http.client.InvalidURL, ValueError) as error:
        raise UserError(f"{url!r} is no web address: {error}. Give one with --url.") from error


def _is_there(target: Path, checksum: str) -> bool:
    """Whether the file needs no fetching; a file that is another one is the user's to move."""
    with explained(target):
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            return False
        found = checksum_like(checksum, target)
    if found != checksum:
        raise UserError(
            f"{target} is another file: its checksum is {found}, not {checksum}. Move or delete "
            "it, then run the same command again."
        )
    return True


def _ask(url: str, timeout: float, headers: dict[str, str]) -> http.client.HTTPResponse:
    opener = urllib.request.OpenerDirector()
    for handler in HANDLERS:
        opener.add_handler(handler())
    with _spelled(url):
        return opener.open(urllib.request.Request(url, headers=headers), timeout=timeout)


def _meter(what: str, say: Say) -> Callable[[int, int, float], None]:
    """Says a few times a second how many MiB have arrived."""
    spoke = -BLINK

    def tell(size: int, total: int, rate: float) -> None:
        nonlocal spoke
        if time.monotonic() - spoke >= BLINK:
            spoke = time.monotonic()
            say(what, size // MIB, math.ceil(total / MIB), {"MiB_per_second": rate / MIB})

    return tell
