"""pseudocore data get: fetch a published dataset."""

import dataclasses
import shlex
from collections.abc import Sequence
from pathlib import Path

from pseudocore.cli.console import Bars, say
from pseudocore.cli.options import parse, take_word
from pseudocore.datasets.fetching import fetch
from pseudocore.datasets.known import KNOWN
from pseudocore.errors import UserError, unknown

ABOUT = """Fetch a published dataset from where its authors keep it, check it against the published
checksum, and unpack it. What has arrived is kept: call again to go on.

NAME is one of: {names}."""
EXAMPLES = (
    "pseudocore data get cifar10",
    "pseudocore data get mnist --out /data/mnist",
    "pseudocore data get cifar10 --url https://a.mirror.example/cifar-10-binary.tar.gz",
)


@dataclasses.dataclass(frozen=True)
class Get:
    out: Path | None = None
    """Folder to put it in; data/NAME if not given."""
    url: str | None = None
    """Another source of the file, or of the folder of the files; the checksum stays."""


def main(arguments: Sequence[str]) -> int:
    name, rest = take_word(arguments, "")
    about = ABOUT.format(names=", ".join(KNOWN))
    options = parse("data get NAME", Get, rest, about, EXAMPLES)
    if not name:
        raise UserError(f"Name what to fetch: pseudocore data get NAME, of {', '.join(KNOWN)}.")
    if name == "digits":
        say("The digits are inside the package: pseudocore data check digits.")
        return 0
    if name not in KNOWN:
        raise unknown("dataset to fetch", name, KNOWN)
    out = options.out or Path("data") / name
    with Bars() as bars:
        fetch(KNOWN[name].sources, out, bars.say, options.url)
    if name == "cifar10-c":
        judge = f"pseudocore evaluate RUN --corrupted {shlex.quote(str(out))} --corruption fog"
        say(f"{name} is in {out}. Judge on it: {judge}")
    else:
        data = name if options.out is None else f"{name}:{out}"
        say(f"{name} is in {out}. Look at it: pseudocore data check {shlex.quote(data)}")
    return 0
