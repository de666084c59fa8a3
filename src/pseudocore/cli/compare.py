"""pseudocore compare: runs beside subsets and the full data."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import tyro

from pseudocore.cli.console import Bars, print_json, say, show_results, warn
from pseudocore.cli.given import judges_of, moved
from pseudocore.cli.options import chain_seeds, opener, parse, read_recipe
from pseudocore.data import Data
from pseudocore.datasets.base import Split
from pseudocore.doubts import doubts
from pseudocore.engine.comparison import FULL, chosen_judges, compare, learned, subsets
from pseudocore.engine.control import Control
from pseudocore.engine.distill import INITIAL
from pseudocore.engine.judging import check_fit
from pseudocore.engine.telling import facts, kind, tell
from pseudocore.errors import UserError
from pseudocore.evaluate import Judge
from pseudocore.model import Model
from pseudocore.recipes.base import Recipe
from pseudocore.recipes.judges import fitted
from pseudocore.report.metric import counted
from pseudocore.store.coreset import read_coreset
from pseudocore.store.run import Run
from pseudocore.store.source import to_python
from pseudocore.store.values import to_json

ABOUT = """Judge runs of one dataset and size beside subsets and the full data.

Leaves results.json, table.md, pictures and report.html."""

EXAMPLES = (
    "pseudocore compare runs/fkl runs/w --out runs/comparison",
    "pseudocore compare runs/fkl --baselines random herding k-center 'class means' 'full data' "
    "--experts runs/experts --seeds 10 --out runs/comparison",
    "pseudocore compare runs/fkl --protocol paper --out runs/as-published",
)


@dataclasses.dataclass(frozen=True)
class Compare:
    runs: Annotated[tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="RUN ...")]
    """Folders made by pseudocore distill."""
    out: Path
    """Folder for the comparison."""
    baselines: tuple[str, ...] = ("random", "class means")
    """Among random, herding, k-center, 'class means', 'full data'."""
    experts: Path | None = None
    """Folder of experts, in whose features herding and k-center measure."""
    seeds: int = 5
    """How many chains a judgement."""
    seed: int = 0
    """Of the subsets and the chains."""
    data: str | None = None
    """Where the data are now, if they have moved since the coresets were learned."""
    protocol: str = "textbook"
    """textbook, or paper: as published, its faults included."""
    resume: bool = False
    """Continue what was stopped."""
    json: bool = False
    """Print the rows as JSON."""


def main(arguments: Sequence[str]) -> int:
    options = parse("compare", Compare, arguments, ABOUT, EXAMPLES)
    if not options.runs:
        raise UserError(
            "Name the folders of one run or more: pseudocore compare RUN ... --out DIR."
        )
    chain_seeds(0, options.seeds)
    recipes = {run: moved(read_recipe(run), options.data) for run in options.runs}
    recipe = dataclasses.replace(alike(recipes), seed=options.seed)
    contest = contenders(options, recipe, recipes)
    settings = dataclasses.asdict(options)
    for incidental in ("out", "data", "resume", "json"):
        del settings[incidental]
    identity = {
        "comparison": [to_json(recipe) for recipe in recipes.values()],
        "settings": {name: str(value) for name, value in settings.items()},
    }
    run = opener(options.resume)(options.out, identity)
    with Bars() as bars, Control(bars.say) as control:
        records, told = judge_and_tell(options, recipe, recipes, contest, run, control)
    if options.json:
        print_json([row for record in records for row in record["rows"]])
    else:
        show_results(told.summaries, f"{options.out}", kind(contest.split))
    warn([*contest.notes, *doubts(records)])
    say(f"The page is {run.file('report.html')}.")
    return 0


def alike(recipes: dict[Path, Recipe]) -> Recipe:
    """The recipe that all share as far as data, network and size go."""
    (first, recipe), *others = recipes.items()
    for path, other in others:
        for what, a, b in (
            ("data", recipe.plan.data, other.plan.data),
            ("network", recipe.plan.network, other.plan.network),
            ("ipc", recipe.ipc, other.ipc),
        ):
            if a != b:
                raise UserError(
                    f"{first} has {what} {a}, {path} has {b}: only coresets of the same data, "
                    "network and size can be compared in one table."
                )
    return recipe


def names(recipes: dict[Path, Recipe]) -> dict[Path, str]:
    """The methods' names, with the folder's where two runs are of one method."""
    methods = [recipe.divergence.name for recipe in recipes.values()]
    folders = [path.name for path in recipes]

    def name(path: Path, method: str) -> str:
        if methods.count(method) == 1:
            return method
        return f"{method} ({path.name if folders.count(path.name) == 1 else path})"

    return {path: name(path, recipe.divergence.name) for path, recipe in recipes.items()}


@dataclasses.dataclass(frozen=True)
class Contest:
    """Everything to be judged, loaded before anything is written."""

    split: Split
    subsets: dict[str, tuple[Data, ...]]
    before: dict[str, Data]
    after: dict[str, Data]
    judges: tuple[Judge, ...]
    full: list[Judge]
    notes: list[str]  # for the page, the table and the console


def contenders(options: Compare, recipe: Recipe, recipes: dict[Path, Recipe]) -> Contest:
    """The subsets, the runs' coresets, and the judges of both."""
    split = recipe.plan.data.load()
    model = Model.of(recipe.plan.network, split.train)
    called = names(recipes)
    chosen = [name for name in options.baselines if name != FULL]
    before = {called[path]: read_coreset(path / INITIAL) for path in recipes}
    after = {called[path]: learned(path, split) for path in recipes}
    for u in before.values():
        check_fit(u, split)
    judges = judges_of(recipe, options.protocol, split)
    full = full_judges(recipe, options, split)
    return Contest(
        split,
        subsets(chosen, split, model, recipe.ipc, options.experts, options.seed),
        before,
        after,
        judges,
        full,
        others_judges(options, recipes, split),
    )


def full_judges(recipe: Recipe, options: Compare, split: Split) -> list[Judge]:
    """Who judges the full data, if it is asked for."""
    if FULL not in options.baselines:
        return []
    if options.protocol != "textbook":
        raise UserError(
            f"The full data's posterior is sampled under the textbook protocol only, and protocols "
            f"share no table: leave {FULL!r} out of --baselines, or --protocol {options.protocol}."
        )
    if recipe.full is None:
        raise UserError(
            f"This recipe does not say how to sample the full data's posterior: leave {FULL!r} out "
            "of --baselines."
        )
    if split.represents > len(split.train):
        raise UserError(
            f"Train has {split.represents} points, more than memory has room for, so that {FULL!r} "
            "cannot be sampled: leave it out of --baselines."
        )
    return [fitted(recipe.full, split.shape)]


def others_judges(options: Compare, recipes: dict[Path, Recipe], split: Split) -> list[str]:
    """A sentence that says whose judges are used, where the runs' recipes differ in them."""

    def wanted(recipe: Recipe):
        full = recipe.full if FULL in options.baselines else None
        return [to_json(judge) for judge in chosen_judges(recipe, options.protocol, split)], (
            full and to_json(full)
        )

    (first, recipe), *others = recipes.items()
    unlike = [str(path) for path, other in others if wanted(other) != wanted(recipe)]
    if not unlike:
        return []
    return [
        f"All are judged by the judges of {first}, named first; the recipe of "
        f"{' and '.join(unlike)} has others."
    ]


def lead(coresets: int, ipc: int, points: str) -> str:
    return f"{counted(coresets, 'learned coreset')} of {counted(ipc, points[:-1])} per class."


def judge_and_tell(
    options: Compare, recipe: Recipe, recipes, contest: Contest, run: Run, control: Control
):
    split, before, after = contest.split, contest.before, contest.after
    entries = contest.subsets | {name: (u,) for name, u in after.items()}
    seeds = range(options.seeds)
    records = compare(recipe, entries, contest.judges, seeds, run, control, contest.full)
    called = names(recipes)
    curves = {called[path]: Run.read(path).metrics() for path in recipes}
    story = {
        "title": "Pseudocoresets compared",
        "notes": contest.notes,
        "lead": [lead(len(after), recipe.ipc, kind(split))],
        "facts": facts(split, recipe, seeds, run.environment),
        "recipe": "\n\n".join(to_python(recipe) for recipe in recipes.values()),
    }
    judges = [*contest.judges, *contest.full]
    return records, tell(run, records, before, after, curves, split, story, judges)
