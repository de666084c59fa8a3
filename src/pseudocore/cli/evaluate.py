"""pseudocore evaluate: judge a learned coreset."""

import dataclasses
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from pseudocore.cli.console import Bars, print_json, say, show_results, warn
from pseudocore.cli.given import judges_of, moved, take_flag
from pseudocore.cli.options import chain_seeds, known, parse, read_recipe, take_word
from pseudocore.cli.parts import take_parts
from pseudocore.corrupt import CORRUPTIONS
from pseudocore.datasets import Corrupted
from pseudocore.doubts import doubts
from pseudocore.engine.comparison import check_judges, compare, learned
from pseudocore.engine.control import Control
from pseudocore.engine.judging import overweight
from pseudocore.engine.runs import resume
from pseudocore.engine.telling import kind
from pseudocore.errors import UserError
from pseudocore.evaluate import Judge
from pseudocore.recipes.base import Recipe
from pseudocore.report.summary import summarise
from pseudocore.store.run import Run

ABOUT = """Judge the coreset of a run: sample its posterior, predict the test points, score.

Judgements are kept in the run's folder: what was judged before is not judged again, and what is
stopped goes on when called again."""

EXAMPLES = (
    "pseudocore evaluate runs/fkl",
    "pseudocore evaluate runs/fkl --protocol paper --seeds 10",
    "pseudocore evaluate runs/fkl --judges.0.chain.kernel.step-size 0.03",
    "pseudocore evaluate runs/fkl --judges.0.mass 'Tempered(20)' --judges.0.prior 'Isotropic(1.0)'",
    "pseudocore evaluate runs/fkl --corrupted data/cifar10-c --corruption fog --severity 3",
    "pseudocore evaluate runs/fkl --json > numbers.json",
)


@dataclasses.dataclass(frozen=True)
class Evaluate:
    judges: tuple[Judge, ...]
    seeds: int = 5
    """How many chains, with different seeds."""
    seed: int = 0
    """The first of them."""
    protocol: str = "textbook"
    """textbook, or paper: as published, its faults included."""
    data: str | None = None
    """Where the data are now, if they have moved since the coreset was learned."""
    corrupted: Path | None = None
    """A folder of corrupted test pictures: CIFAR-10-C, or made by pseudocore data corrupt."""
    corruption: str = ""
    """Which of them to judge on: fog, for example."""
    severity: int = 1
    """How strong, 1 to 5."""
    out: Path | None = None
    """A folder for results.json other than the run's."""
    resume: bool = False
    """As for the other verbs: what was judged before is kept with and without it."""
    json: bool = False
    """Print the rows as JSON."""


def protocol_in(arguments: Sequence[str]) -> str:
    """The protocol decides which judges have flags, so it is looked up first."""
    for i, word in enumerate(arguments):
        if word.startswith("--protocol"):
            return word.partition("=")[2] or (arguments[i + 1] if i + 1 < len(arguments) else "")
    return "textbook"


def corrupted(recipe: Recipe, options: Evaluate) -> Recipe:
    """The recipe on corrupted test pictures, if they are asked for."""
    if options.corrupted is None:
        if options.corruption or options.severity != 1:
            raise UserError(
                "--corruption and --severity choose from a folder of corrupted pictures: name it "
                "with --corrupted."
            )
        return recipe
    if not options.corruption:
        raise UserError(f"Name a corruption: --corruption fog, of {', '.join(CORRUPTIONS)}.")
    folder = str(options.corrupted.resolve())
    data = Corrupted(recipe.plan.data, folder, options.corruption, options.severity)
    return dataclasses.replace(recipe, plan=dataclasses.replace(recipe.plan, data=data))


def main(arguments: Sequence[str]) -> int:
    wants_help = bool({"-h", "--help"} & set(arguments))
    folder, rest = take_word(arguments, "")
    if not folder:
        if wants_help:
            parse("evaluate RUN", partial(Evaluate, judges=()), ["--help"], ABOUT, EXAMPLES)
        raise UserError("Name the folder of a run: pseudocore evaluate RUN.")
    place, rest = take_flag("--data", rest)
    recipe = moved(read_recipe(Path(folder)), place)
    split = recipe.plan.data.load()
    judges = judges_of(recipe, protocol_in(rest), split)
    asked, rest = take_parts(Evaluate(judges), rest, known())
    make = partial(Evaluate, judges=asked.judges)
    options = parse("evaluate RUN", make, rest, ABOUT, EXAMPLES)
    seeds = chain_seeds(options.seed, options.seeds)
    recipe = corrupted(recipe, options)
    if options.corrupted is not None:
        split = recipe.plan.data.load()
        say(f"Judged on {split.tested}.")
    u = learned(Path(folder), split)
    check_judges(options.judges, split)
    entries = {recipe.divergence.name: (u,)}
    run = Run.read(folder)
    if options.out is not None:
        run = resume(options.out, run.recipe)
    with Bars() as bars, Control(bars.say) as control:
        records = compare(recipe, entries, options.judges, seeds, run, control)
    rows = [row for record in records for row in record["rows"]]
    if options.json:
        print_json(rows)
    else:
        title = f"{folder} on {split.tested}" if split.tested else folder
        show_results(summarise(rows), title, kind(split))
    warn([*overweight(options.judges, u, split), *doubts(records)])
    say(f"The rows are in {run.file('results.json')}.")
    return 0
