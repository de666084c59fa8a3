"""Put a finished `pseudocore reproduce NAME` where the docs show it: rows, figures and table.

python benchmarks/record.py FOLDER

Leaves results/NAME.json, the figures in docs/ and the table in docs/NAME.md, between its marks.
"""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

from pseudocore.store.run import Run

ROOT = Path(__file__).parents[1]
END = "<!-- end -->"


def mark(name: str) -> str:
    """What a page's generated part begins with; `END` ends it."""
    return f"<!-- results/{name}.json -->\n"


def put(page: Path, name: str, text: str) -> None:
    """Replace the generated part of a page."""
    old = page.read_text()
    before, rest = old.split(mark(name), 1)
    page.write_text(before + mark(name) + text + "\n" + END + rest.split(END, 1)[1])


def clean(environment: dict[str, Any]) -> dict[str, Any]:
    """Where numbers come from, if it is a commit."""
    if not environment["commit"] or environment["changed"]:
        sys.exit("This did not run from a clean commit: commit, run it again, then record it.")
    return environment


def made(command: str, environment: dict[str, Any], more: str) -> str:
    """The line under a table."""
    return (
        f"`{command}`, commit {environment['commit'][:7]}, {environment['cores']} cores of an "
        f"{environment['cpu']}, JAX {environment['versions']['jax']}; {more}"
    )


def write(name: str, command: str, environment: dict[str, Any], rows: list[dict]) -> None:
    """results/NAME.json, a row a line."""
    head = json.dumps({"command": command, "environment": environment}, indent=1)[:-2]
    lines = ",\n".join(json.dumps(row) for row in rows)
    (ROOT / "results" / f"{name}.json").write_text(f'{head},\n "rows": [\n{lines}\n]}}\n')


def main(folder: str) -> None:
    run = Run.read(folder)
    name, environment = run.recipe["reproduce"], clean(run.environment)
    command, seeds = f"pseudocore reproduce {name}", run.recipe["seeds"]
    rows = json.loads(run.file(f"{name}.json").read_text())
    write(name, command, environment, rows)
    told = f"seeds {seeds[0]} to {seeds[-1]}."
    table = run.file("table.md").read_text().rstrip()
    put(ROOT / "docs" / f"{name}.md", name, f"{table}\n\n{made(command, environment, told)}")
    for figure in run.path.glob("*.png"):
        shutil.copy(figure, ROOT / "docs" / figure.name)


if __name__ == "__main__":
    main(*sys.argv[1:])
