"""Put a finished `pseudocore demo` where README shows it: results/, its table and its picture.

python benchmarks/record_demo.py FOLDER
"""

import json
import re
import shutil
import sys
from pathlib import Path

from pseudocore.engine.judging import JUDGEMENTS
from pseudocore.engine.telling import confidence_gaps
from pseudocore.report.findings import alike, conclusions
from pseudocore.report.summary import summarise
from pseudocore.report.table import markdown_table
from pseudocore.store.run import Run

ROOT = Path(__file__).parents[1]
RESULTS, README = ROOT / "results" / "demo-digits.json", ROOT / "README.md"
BEGIN, END = "<!-- results/demo-digits.json -->\n", "<!-- end -->"


def section(record: dict) -> str:
    """README's table, what follows from it, and where it comes from."""
    where = record["environment"]
    made = (
        f"`{record['command']}`, seed 0, commit {where['commit'][:7]}, {where['cores']} cores of "
        f"an {where['cpu']}, JAX {where['versions']['jax']}: {record['seconds']} s."
    )
    summaries = summarise(record["rows"])
    findings = [*alike(summaries), *conclusions(summaries, record.get("gaps"))]
    said = "\n".join(f"- {sentence}" for sentence in findings)
    return f"{BEGIN}{markdown_table(summaries)}\n{said}\n\n{made}\n{END}"


def main(folder: str) -> None:
    run = Run.read(folder)
    where = run.environment
    if not where["commit"] or where["changed"]:
        sys.exit("The demo did not run from a clean commit: commit, run it again, then record it.")
    rows = run.results()
    judgements = [json.loads(f.read_text()) for f in sorted(run.file(JUDGEMENTS).iterdir())]
    seconds = int(re.findall(r"(\d+) s<", run.file("report.html").read_text())[0])
    record = {
        "command": "pseudocore demo",
        "seconds": seconds,
        "environment": where,
        "gaps": confidence_gaps(judgements),
        "rows": rows,
    }
    RESULTS.write_text(json.dumps(record, indent=1) + "\n")
    readme = README.read_text()
    old = readme[readme.index(BEGIN) : readme.index(END) + len(END)]
    README.write_text(readme.replace(old, section(record)))
    shutil.copy(run.file("pictures/w.png"), ROOT / "docs" / "digits-w.png")


if __name__ == "__main__":
    main(sys.argv[1])
