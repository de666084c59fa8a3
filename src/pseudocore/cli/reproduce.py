"""pseudocore reproduce: the paper's tables and figures, by name."""

import dataclasses
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import tyro
from rich.markdown import Markdown
from rich.text import Text

from pseudocore.cli.console import Bars, print_json, results, say, show
from pseudocore.cli.options import chain_seeds, opener, parse, take_word
from pseudocore.engine.control import Control
from pseudocore.engine.reproduce import NAMES, Settings
from pseudocore.errors import UserError, unknown
from pseudocore.store.files import read_json
from pseudocore.store.values import to_json

ABOUT = """Reproduce a figure, a table or a claim of the paper, by name.

Leaves NAME.json, figures and table.md. pseudocore reproduce NAME --help has the flags of NAME:
{names}"""

EXAMPLES = (
    "pseudocore reproduce synthetic",
    "pseudocore reproduce synthetic --seeds 3 --sizes 5 20 --draws 100 --out runs/synthetic",
    "pseudocore reproduce synthetic --resume",
)


@dataclasses.dataclass(frozen=True)
class Reproduce:
    settings: Annotated[Settings | None, tyro.conf.arg(name="")]
    out: Path | None = None
    """Folder for everything; pseudocore-NAME if not given."""
    seeds: int = 10
    """How many, each with its own data, first points and draws."""
    seed: int = 0
    """The first of them."""
    resume: bool = False
    """Continue what was stopped."""
    json: bool = False
    """Print the rows as JSON."""


def main(arguments: Sequence[str]) -> int:
    name, rest = take_word(arguments, "")
    about = ABOUT.format(names="\n".join(f"  {key}: {it.about}" for key, it in NAMES.items()))
    if name and name not in NAMES:
        raise unknown("reproduction", name, NAMES)
    if not name and not {"-h", "--help"} & set(rest):
        raise UserError(f"Name what to reproduce: {', '.join(NAMES)}.")
    settings = NAMES[name].settings if name else None
    options = parse("reproduce NAME", partial(Reproduce, settings=settings), rest, about, EXAMPLES)
    return reproduce(name, options)


def reproduce(name: str, options: Reproduce) -> int:
    seeds = chain_seeds(options.seed, options.seeds)
    settings = to_json(options.settings)
    identity = {"reproduce": name, "settings": settings, "seeds": list(seeds)}
    out = options.out or Path(f"pseudocore-{name}")
    run = opener(options.resume)(out, identity)
    with Bars() as bars, Control(bars.say) as control:
        told = NAMES[name].make(run, options.settings, seeds, control)
    if options.json:
        print_json(read_json(run.file(f"{name}.json"), "Run the command again with --resume."))
    else:
        table, _, caption = told.partition("\n\n")
        show(Markdown(table))
        results.print(Text(caption.strip()))
    say(f"Figures, rows and the table are in {out}.")
    return 0
