"""pseudocore data corrupt: the test pictures of a dataset under the corruptions of CIFAR-10-C."""

import dataclasses
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro

from pseudocore.cli.console import Bars, say
from pseudocore.cli.data.chosen import choose, read
from pseudocore.cli.options import parse
from pseudocore.corrupt import BENCHMARK, CORRUPTIONS, EXTRA
from pseudocore.datasets import Dataset
from pseudocore.datasets.corrupting import MEANT_FOR, corrupt_all
from pseudocore.datasets.parts import fingerprint
from pseudocore.errors import UserError, unknown
from pseudocore.store.source import spelt
from pseudocore.store.values import to_json

ABOUT = """Corrupt the test pictures of a dataset as CIFAR-10-C does: {count} corruptions at five
severities, a file NAME.npy each, in its layout. The definitions are those of CIFAR-10-C, the noise
draws are others and the textures of frost are ours, so every number made with them says so.

The benchmark: {benchmark}.
Four more, with --corruptions all: {extra}."""
EXAMPLES = (
    "pseudocore data corrupt cifar10 --out data/my-cifar10-c",
    "pseudocore data corrupt my-pictures --corruptions fog snow jpeg_compression --out corrupted",
    "pseudocore evaluate runs/fkl --corrupted data/my-cifar10-c --corruption fog --severity 3",
)


@dataclasses.dataclass(frozen=True)
class Corrupt:
    data: Annotated[Dataset, tyro.conf.arg(name="data")]
    out: Path = Path("corrupted")
    """Folder for the arrays; those that are in it already stay."""
    corruptions: tuple[str, ...] = ("benchmark",)
    """Names, or benchmark (15), or all (19)."""
    seed: int = 0
    """Of the draws."""


def main(arguments: Sequence[str]) -> int:
    about = ABOUT.format(
        count=len(BENCHMARK), benchmark=", ".join(BENCHMARK), extra=", ".join(EXTRA)
    )
    _, data, rest = choose("corrupt", Corrupt, arguments, about, EXAMPLES)
    options = parse("data corrupt DATA", partial(Corrupt, data=data), rest, about, EXAMPLES)
    names = chosen(options.corruptions)
    with Bars() as bars:
        test = read(options.data, bars.say).test
        prints = fingerprint(test, np.arange(len(test)))
        origin = {"data": spelt(to_json(options.data)), "test": prints}
        corrupt_all(test, names, options.seed, options.out, origin, bars.say)
    if test.values.shape[1] != MEANT_FOR:
        say(f"The constants are meant for {MEANT_FOR} pixels, these have {test.values.shape[1]}.")
    say(f"At 5 severities each, in {options.out}: {', '.join(names)}.")
    return 0


def chosen(names: Sequence[str]) -> list[str]:
    """The corruptions of these names, without repeats."""
    groups = {"benchmark": BENCHMARK, "all": (*BENCHMARK, *EXTRA)}
    if not names:
        raise UserError("--corruptions names none: give names, benchmark or all, or leave it out.")
    for name in names:
        if name not in groups and name not in CORRUPTIONS:
            raise unknown("corruption", name, [*CORRUPTIONS, *groups])
    return list(dict.fromkeys(one for name in names for one in groups.get(name, (name,))))
