"""pseudocore data preview: a contact sheet of a dataset."""

import dataclasses
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import tyro

from pseudocore.cli.console import Bars, say
from pseudocore.cli.data.chosen import choose, read
from pseudocore.cli.options import parse
from pseudocore.datasets import Dataset
from pseudocore.errors import UserError
from pseudocore.report.contact import contact_sheet
from pseudocore.report.pictures import save_png

ABOUT = """Write a contact sheet: some pictures of every class, as learning will see them, before
standardising."""
EXAMPLES = (
    "pseudocore data preview cifar10 --out cifar10.png",
    "pseudocore data preview my-pictures --part test --each 20 --seed 3",
    "pseudocore data preview my-pictures --data.resize 'Squash(64)'",
)


@dataclasses.dataclass(frozen=True)
class Preview:
    data: Annotated[Dataset, tyro.conf.arg(name="data")]
    out: Path = Path("preview.png")
    """The picture to write."""
    part: str = "train"
    """train or test."""
    each: int = 10
    """Pictures of every class."""
    seed: int = 0
    """Which ones."""


def main(arguments: Sequence[str]) -> int:
    _, data, rest = choose("preview", Preview, arguments, ABOUT, EXAMPLES)
    options = parse("data preview DATA", partial(Preview, data=data), rest, ABOUT, EXAMPLES)
    with Bars() as bars:
        raw = read(options.data, bars.say)
    if options.out.suffix.lower() != ".png":
        raise UserError(f"--out {options.out} is no name of a PNG, which is what is written.")
    save_png(options.out, contact_sheet(raw, options.part, options.each, options.seed))
    for note in raw.notes:
        say(note)
    say(f"The contact sheet is {options.out}.")
    return 0
