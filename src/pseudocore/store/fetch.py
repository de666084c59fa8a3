"""One source on the web, tried until a file is all there."""

import dataclasses
import http.client
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NoReturn
from urllib.error import HTTPError, URLError

from pseudocore.errors import UserError
from pseudocore.store.files import explained_download as explained
from pseudocore.store.part import MIB, Broken, Part, version_of

CHUNK = 2**18
GONE = 416  # the status for a range behind the end


@dataclasses.dataclass(frozen=True)
class Fetch:
    """Fills a part from an address, in as many tries as it takes."""

    url: str
    ask: Callable[[dict[str, str]], http.client.HTTPResponse]  # sends the address these headers
    part: Part
    checksum: str
    size: int | None
    tell: Callable[[int, int, float], None]  # bytes here, bytes in all or 0, bytes a second

    def persist(self, pauses: Sequence[float]) -> None:
        """Try until the part is all there, or until the tries between two pauses bring nothing."""
        begun = furthest = self.part.size
        tries = 0
        while True:
            try:
                return self._try()
            except (OSError, http.client.HTTPException, Broken) as error:
                # A server that starts again each time brings bytes, but nothing new.
                tries = 1 if self.part.size > furthest else tries + 1
                furthest = max(furthest, self.part.size)
                if isinstance(error, URLError) and furthest == begun:
                    self._fail(f"could not be reached: {error.reason}. Check the network,", error)
                if tries > len(pauses):
                    self._fail(
                        f"broke off {tries} times in a row: {_told(error)}. "
                        f"{self.part.size / MIB:.1f} MiB are kept in {self.part.path}: run the "
                        "same command again to go on, or",
                        error,
                    )
            time.sleep(pauses[tries - 1])

    def _try(self) -> None:
        """One request, and the body of its response."""
        headers = {"User-Agent": "pseudocore", "Accept-Encoding": "identity"} | self.part.wish()
        try:
            response = self.ask(headers)
        except HTTPError as error:
            with error:
                return self._refused(error)
        with response:
            if response.status not in (200, 206):
                self._fail(f"answered {response.status} {response.reason}. To go on,")
            return self._receive(response)

    def _refused(self, error: HTTPError) -> None:
        if error.code != GONE or not self.part.size:
            self._fail(f"answered {error.code} {error.reason}. To go on,")
        if self.part.checksum(self.checksum) != self.checksum:
            self.part.remove()
            raise Broken("what was kept is of another file")

    def _receive(self, response: http.client.HTTPResponse) -> None:
        """A body, from the start of the file on, or from where the part ends."""
        start, total, since = 0, response.length, time.monotonic()
        if response.status == 206:
            start, total = self.part.size, self.part.whole(response)
        total = self.size if total is None else total
        if total is not None and self.size is not None and total > self.size:
            self._fail(f"promises {total} bytes, more than the file's {self.size}. To go on,")
        limit = self.part.limit(total)
        if start == 0:
            self.part.begin(version_of(response.headers))
        size = start
        with explained(self.part.path, (total or 0) - start), self.part.path.open("ab") as file:
            for chunk in _body(response):
                size += len(chunk)
                if size > limit:
                    self.part.remove()
                    self._fail(f"sends more than {limit} bytes. To go on,")
                file.write(chunk)
                file.flush()
                self.tell(size, total or 0, (size - start) / max(time.monotonic() - since, 1e-3))
        if total is not None and size < total:
            raise Broken(f"the connection ended at {size} of {total} bytes")

    def _fail(self, what: str, error: Exception | None = None) -> NoReturn:
        raise UserError(f"{self.url} {what} {elsewhere(self.part)}.") from error


def elsewhere(part: Part) -> str:
    """What else a person can do than to ask the same source again."""
    return f"try another source with --url, or fetch the file by hand and put it at {part.target}"


def _body(response: http.client.HTTPResponse) -> Iterator[bytes]:
    """What arrives, as it comes: what a larger read has gathered is lost with the connection."""
    try:
        while chunk := response.read1(CHUNK):
            yield chunk
    except (OSError, http.client.HTTPException) as error:
        raise Broken(_told(error)) from error


def _told(error: Exception) -> str:
    return str(error) or type(error).__name__
