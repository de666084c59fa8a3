"""pseudocore demo: the whole story on the embedded digits."""

import dataclasses
import time
from collections.abc import Sequence
from pathlib import Path

from pseudocore.cli.console import Bars, conclude, print_json, say, show_results, warn
from pseudocore.cli.options import opener, parse
from pseudocore.doubts import doubts
from pseudocore.engine.comparison import BASELINES, chosen_judges, compare, learned, subsets
from pseudocore.engine.control import Control
from pseudocore.engine.distill import INITIAL, begin
from pseudocore.engine.runs import make_coreset, train_plan
from pseudocore.engine.telling import facts, kind, tell
from pseudocore.errors import UserError
from pseudocore.model import Model
from pseudocore.recipes.base import Recipe, is_seed
from pseudocore.recipes.digits import FAMILIES, METHODS
from pseudocore.store.coreset import read_coreset
from pseudocore.store.run import Run
from pseudocore.store.source import to_python
from pseudocore.store.values import to_json

ABOUT = """Train experts on the 1,797 digits that ship with the package, learn a coreset with each
of the paper's three divergences, and judge them beside subsets, class means and the full data."""

EXAMPLES = (
    "pseudocore demo",
    "pseudocore demo --ipc 3 --constructions 1 --out runs/demo3",
    "pseudocore demo --network convnet --constructions 1 --out runs/convnet",
    "pseudocore demo --resume",
)

SHOWN = ("rkl", "w", "fkl")
NETWORKS = {"mlp": "digits", "convnet": "digits-convnet"}


@dataclasses.dataclass(frozen=True)
class Demo:
    out: Path = Path("pseudocore-demo")
    """Folder for everything."""
    ipc: int = 1
    """Images per class."""
    constructions: int = 3
    """Coresets learned with each divergence, from different first images."""
    seeds: int = 5
    """Chains for each judgement of a coreset."""
    seed: int = 0
    """Of everything random."""
    network: str = "mlp"
    """mlp, or convnet: the paper's kind of network, several times slower here."""
    resume: bool = False
    """Continue what was stopped."""
    json: bool = False
    """Print the rows as JSON."""


def main(arguments: Sequence[str]) -> int:
    began = time.monotonic()
    options = parse("demo", Demo, arguments, ABOUT, EXAMPLES)
    recipes = demo_recipes(options)
    identity = {
        "demo": {name: to_json(recipe) for name, recipe in recipes.items()},
        "constructions": options.constructions,
        "seeds": options.seeds,
    }
    split = recipes["fkl"].plan.data.load()
    begin(recipes["fkl"], split)  # refuses an ipc above the class size, with nothing written yet
    run = opener(options.resume)(options.out, identity)
    with Bars() as bars, Control(bars.say) as control:
        experts = train_plan(recipes["fkl"].plan, run.file("experts"), control, resume=True)
        folders = {
            recipe.divergence.name: [
                make_coreset(
                    dataclasses.replace(recipe, seed=recipe.seed + i),
                    experts,
                    run.file(f"{name}-{i}"),
                    control,
                    resume=True,
                )
                for i in range(options.constructions)
            ]
            for name, recipe in recipes.items()
        }
        records, told = judge_and_tell(options, recipes, folders, experts, run, control, began)
    if options.json:
        print_json([row for record in records for row in record["rows"]])
    else:
        show_results(told.summaries, "Digits, judged on the test part", kind(split))
        conclude(told.findings)
    warn(doubts(records))
    say(f"{time.monotonic() - began:.0f} s. Open {run.file('report.html')}")
    return 0


def demo_recipes(options: Demo) -> dict[str, Recipe]:
    """The recipes of the three divergences, with what the options say."""
    if options.network not in NETWORKS:
        raise UserError(f"--network {options.network} is unknown: give mlp or convnet.")
    for name in ("ipc", "constructions", "seeds"):
        if getattr(options, name) < 1:
            raise UserError(f"--{name} {getattr(options, name)} must be at least 1.")
    is_seed(options.seed + options.constructions - 1)  # the last construction's
    plan, judges = FAMILIES[NETWORKS[options.network]]
    plan = dataclasses.replace(plan, seed=options.seed)
    return {
        name: dataclasses.replace(METHODS[name](plan, judges, options.ipc), seed=options.seed)
        for name in SHOWN
    }


def judge_and_tell(options: Demo, recipes, folders, experts, run: Run, control: Control, began):
    recipe = recipes["fkl"]
    split = recipe.plan.data.load()
    model = Model.of(recipe.plan.network, split.train)
    entries = subsets(list(BASELINES), split, model, recipe.ipc, experts, options.seed)
    entries |= {
        name: tuple(learned(path, split) for path in paths) for name, paths in folders.items()
    }
    judges = chosen_judges(recipe, "textbook", split)
    seeds = range(options.seeds)
    records = compare(recipe, entries, judges, seeds, run, control, [recipe.full])
    points = recipe.ipc * split.classes
    story = {
        "title": f"{'Ten' if points == 10 else points} digits that stand in for a thousand",
        "lead": lead(recipe, split),
        "facts": {
            **facts(split, recipe, seeds, run.environment),
            "wall time": f"{time.monotonic() - began:.0f} s",
        },
        "commands": [
            command(options),
            f"pseudocore evaluate {folders['fKL'][0]} --protocol paper",
        ],
        "recipe": "\n\n".join(to_python(recipe) for recipe in recipes.values()),
    }
    before = {name: read_coreset(paths[0] / INITIAL) for name, paths in folders.items()}
    after = {name: entries[name][0] for name in folders}
    curves = {name: Run.read(paths[0]).metrics() for name, paths in folders.items()}
    return records, tell(run, records, before, after, curves, split, story, [*judges, recipe.full])


def command(options: Demo) -> str:
    """What a person types to get the same."""
    default = Demo()
    words = [
        f"--{name} {getattr(options, name)}"
        for name in ("out", "ipc", "constructions", "seeds", "seed", "network")
        if getattr(options, name) != getattr(default, name)
    ]
    return " ".join(["pseudocore demo", *words])


def lead(recipe: Recipe, split) -> list[str]:
    points = recipe.ipc * split.classes
    return [
        f"{points} learned images take the place of {len(split.train)} real ones: a network's "
        "posterior given these few, each counted as the many it stands for, should predict like "
        "the posterior given all.",
        "Nothing was chosen on the test part; settings were chosen on a held-out part of train.",
    ]
