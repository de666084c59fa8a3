"""How long work is watched and stopped: progress goes out, a request to stop comes in."""

import signal
import types

from pseudocore.progress import Say, silent


class Stopped(Exception):
    """Work was stopped on request, after everything done was saved."""

    def __init__(self, signum: int, saved: str):
        super().__init__(f"Stopped; {saved}. Continue with the same command and --resume.")
        self.signum = signum


class Control:
    """A context in which Ctrl-C and SIGTERM ask work to stop where it can be continued.

    A second Ctrl-C stops at once; what was saved before then is kept.
    """

    def __init__(self, say: Say = silent):
        self.say = say
        self.signum = 0
        self._before: dict[int, object] = {}

    def __enter__(self) -> "Control":
        for signum in (signal.SIGINT, signal.SIGTERM):
            self._before[signum] = signal.signal(signum, self._ask)
        return self

    def __exit__(self, *_: object) -> None:
        for signum, handler in self._before.items():
            signal.signal(signum, handler)  # type: ignore[arg-type]

    def _ask(self, signum: int, frame: types.FrameType | None) -> None:
        if self.signum:
            raise KeyboardInterrupt
        self.signum = signum

    def stop_if_asked(self, saved: str) -> None:
        """Call when everything is saved."""
        if self.signum:
            raise Stopped(self.signum, saved)
