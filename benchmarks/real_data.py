"""What the published datasets hold, how fast they are read, and what corruptions do to CIFAR-10.

python benchmarks/real_data.py cifar10:FOLDER mnist:FOLDER cifar100:FOLDER imagenette:FOLDER ...

Leaves results/real-data.json and the tables of docs/data.md. Every load is timed in a process of
its own, from the files (which the system may hold in its cache) to arrays on the device; the first
with an empty cache of decoded pictures, the others with the one that it left.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np
from record import ROOT, clean, made, put, write

from pseudocore import datasets
from pseudocore.corrupt import CORRUPTIONS, SEVERITIES, corrupt
from pseudocore.datasets.inspect import inspect
from pseudocore.engine.experts import device
from pseudocore.store.environment import environment

NAME, COMMAND = "real-data", "python benchmarks/real_data.py"
AGAIN = 5
TIMED = """
import sys, time, jax
from pseudocore import datasets
data = datasets.named(sys.argv[1])
jax.numpy.zeros(1).block_until_ready()
began = time.perf_counter()
raw = data.read()
read = time.perf_counter()
del raw
again = time.perf_counter()
split = data.load()
jax.block_until_ready((split.train.x, split.held_out.x, split.test.x))
print(read - began, time.perf_counter() - again)
"""


def main(forms: list[str]) -> None:
    where = clean(environment(device()))
    rows = [dataset(form) for form in forms]
    rows += differences(next(form for form in forms if form.startswith("cifar10:")))
    write(NAME, COMMAND + " NAME:FOLDER ...", where, rows)
    page = ROOT / "docs" / "data.md"
    put(page, NAME, f"{tables(rows)}\n\n{made(COMMAND, where, caption())}")


def dataset(form: str) -> dict[str, Any]:
    """What one dataset holds, and the seconds that loading it takes."""
    name = form.partition(":")[0]
    found = inspect(datasets.named(form).read(), name, name)
    with tempfile.TemporaryDirectory() as empty:
        place = {**os.environ, "PSEUDOCORE_CACHE": empty}
        first, *others = [timed(form, place) for _ in range(1 + AGAIN)]
    row = {
        "dataset": found.name,
        "train": found.totals[0],
        "test": found.totals[1],
        "classes": len(found.counts["train"]),
        "shape": list(found.shape),
        "mean": list(found.mean),
        "deviation": list(found.deviation),
        "doubles": found.doubles,
        "faults": list(found.faults),
        "content": found.content,
        "first_read": first[0],
        "read": [read for read, _ in others],
        "load": [load for _, load in others],
    }
    print(json.dumps(row), flush=True)
    return row


def timed(form: str, place: dict[str, str]) -> tuple[float, float]:
    """Seconds to read the files, and to load all parts, in a process of its own."""
    words = [sys.executable, "-c", TIMED, form]
    done = subprocess.run(words, env=place, capture_output=True, text=True, check=True)
    read, load = map(float, done.stdout.split()[-2:])
    return read, load


def differences(form: str) -> list[dict[str, Any]]:
    """Mean |difference| of all test images under every corruption, of 255 levels."""
    images = datasets.named(form).read().test.values
    rows = []
    for name in CORRUPTIONS:
        began, levels = time.perf_counter(), []
        for severity in SEVERITIES:
            changed = corrupt(images, name, severity, seed=0).astype(np.int16)
            levels.append(float(np.abs(changed - images).mean()))
        seconds = (time.perf_counter() - began) / len(SEVERITIES)
        rows.append({"corruption": name, "difference": levels, "seconds": seconds})
        print(json.dumps(rows[-1]), flush=True)
    return rows


def tables(rows: list[dict[str, Any]]) -> str:
    """Both tables, in Markdown."""
    first = [
        "| dataset | train | test | classes | channel means | as published | test in train | "
        "first read | read | load |",
        "| :-- | --: | --: | --: | :-- | :-- | --: | --: | --: | --: |",
    ]
    second = [
        "| corruption | 1 | 2 | 3 | 4 | 5 | s per 10,000 |",
        "| :-- | --: | --: | --: | --: | --: | --: |",
    ]
    for row in rows:
        if "dataset" in row:
            first.append(dataset_line(row))
        else:
            levels = " | ".join(f"{level:.1f}" for level in row["difference"])
            second.append(f"| {row['corruption']} | {levels} | {row['seconds']:.1f} |")
    return "\n".join([*first, "", *second])


def dataset_line(row: dict[str, Any]) -> str:
    means = " ".join(f"{mean:.4f}".lstrip("0") for mean in row["mean"])
    cells = [
        row["dataset"],
        f"{row['train']:,}",
        f"{row['test']:,}",
        row["classes"],
        means,
        "no" if row["faults"] else "yes",
        row["doubles"]["of test in train"],
        f"{row['first_read']:.2f} s",
        f"{np.median(row['read']):.2f} s",
        f"{np.median(row['load']):.2f} s",
    ]
    return f"| {' | '.join(map(str, cells))} |"


def caption() -> str:
    return (
        f"medians of {AGAIN} processes. 'first read': pictures are decoded; 'read': they come from "
        "the cache; 'load': read, split, standardised, on the device. Differences are of 255 "
        "levels, over all 10,000 test images of CIFAR-10, seed 0."
    )


if __name__ == "__main__":
    main(sys.argv[1:])
