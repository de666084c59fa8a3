"""pseudocore data check: what is in a dataset, and whether it is the published one."""

import dataclasses
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

import tyro
from rich.table import Table

from pseudocore.cli.console import Bars, fit, print_json, results, say, warn
from pseudocore.cli.data.chosen import choose
from pseudocore.cli.options import parse
from pseudocore.datasets import Dataset
from pseudocore.datasets.inspect import Found, digits, inspect
from pseudocore.datasets.known import KNOWN

ABOUT = """What is in a dataset: counts by class, shape, channel statistics, doubles, and whether it
is the published one. Exit code 1 if it should be and is not."""
EXAMPLES = (
    "pseudocore data check cifar10",
    "pseudocore data check my-pictures --data.cut 0.2",
    "pseudocore data check mine.npz --json",
)
SHOWN = 12  # classes whose counts are all listed
DIFFERENT = 1


@dataclasses.dataclass(frozen=True)
class Check:
    data: Annotated[Dataset, tyro.conf.arg(name="data")]
    json: bool = False
    """Print everything as JSON."""


def main(arguments: Sequence[str]) -> int:
    name, data, rest = choose("check", Check, arguments, ABOUT, EXAMPLES)
    options = parse("data check DATA", partial(Check, data=data), rest, ABOUT, EXAMPLES)
    with Bars() as bars:
        raw = options.data.read(bars.say)
    found = inspect(raw, type(options.data).__name__, name)
    if options.json:
        print_json(found.to_json())
    else:
        tell(found)
    return DIFFERENT if found.faults else 0


def tell(found: Found) -> None:
    """The facts as a table, and a verdict."""
    table = Table("", found.name or found.kind, show_header=True)
    for name, value in rows(found).items():
        table.add_row(name, value)
    fit(table)
    for note in found.notes:
        say(note)
    if found.faults:
        warn([f"This is not {found.name} as published: {'; '.join(found.faults)}."])
    elif found.name:
        results.print(f"This is {found.name}: {proof(found)} as published.", soft_wrap=True)


def proof(found: Found) -> str:
    """What was compared with the published dataset, and is equal."""
    known = KNOWN[found.name or ""]
    if known.content:
        return "every point and every label is"
    return "counts and channel means are" if known.mean else "counts and classes are"


def rows(found: Found) -> dict[str, str]:
    train, test = found.totals
    images = len(found.shape) == 3
    said: dict[str, str] = {
        "read as": found.kind,
        "train": f"{train} points, {per_class(found.counts['train'])}",
        "test": f"{test} points, {per_class(found.counts['test'])}",
        "classes": listed(list(found.counts["train"])),
        "shape": f"{' x '.join(map(str, found.shape))}, {found.channels}",
    }
    if images or len(found.mean) <= SHOWN:
        said["mean of train"] = digits(found.mean)
        said["deviation"] = digits(found.deviation)
    said["copies"] = ", ".join(f"{n} {where}" for where, n in found.doubles.items())
    said["content"] = found.content
    return said


def per_class(counts: dict[str, int]) -> str:
    numbers = list(counts.values())
    if min(numbers) == max(numbers):
        return f"{numbers[0]} a class"
    if len(numbers) <= SHOWN:
        return ", ".join(f"{n} of {name}" for name, n in counts.items())
    least, most = (pick(counts, key=lambda name: counts[name]) for pick in (min, max))
    return f"from {counts[least]} ({least}) to {counts[most]} ({most}) a class"


def listed(names: list[Any]) -> str:
    more = f", and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{len(names)}: {', '.join(map(str, names[:SHOWN]))}{more}"
