"""pseudocore data list: the published datasets, and which of them are here."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from pseudocore.cli.console import fit, print_json, say
from pseudocore.cli.options import parse
from pseudocore.datasets.cache import cache_folder
from pseudocore.datasets.known import KNOWN

ABOUT = """The datasets that pseudocore knows by name, and which of them are here."""
EXAMPLES = ("pseudocore data list", "pseudocore data list --root /data --json")
DIGITS = {
    "name": "digits",
    "train": 1347,
    "test": 450,
    "classes": 10,
    "points": "8 x 8 gray",
    "mib": 0,
    "here": "inside the package",
    "terms": "CC BY 4.0",
}


@dataclasses.dataclass(frozen=True)
class List:
    root: Path = Path("data")
    """Folder that datasets lie in, each under its name."""
    json: bool = False
    """Print the list as JSON."""


def main(arguments: Sequence[str]) -> int:
    options = parse("data list", List, arguments, ABOUT, EXAMPLES)
    rows = [DIGITS, *(described(name, options.root) for name in KNOWN)]
    if options.json:
        print_json(rows)
        return 0
    table = Table("name", "train", "test", "classes", "points", "MiB", "here", "terms")
    for row in rows:
        table.add_row(*(str(held or "") for held in row.values()))
    fit(table)
    kept = sum(file.stat().st_size for file in cache_folder().glob("*.safetensors"))
    say(f"Decoded pictures are kept in {cache_folder()}: {kept / 2**20:.0f} MiB, safe to delete.")
    return 0


def described(name: str, root: Path) -> dict[str, Any]:
    known = KNOWN[name]
    return {
        "name": name,
        "train": known.counts[0],
        "test": known.counts[1],
        "classes": known.classes,
        "points": known.shape,
        "mib": sum(source.size for source in known.sources),
        "here": str(root / name) if (root / name).is_dir() else None,
        "terms": known.terms,
    }
