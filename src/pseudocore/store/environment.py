"""Where numbers come from: machine, versions, commit."""

import contextlib
import datetime
import functools
import hashlib
import importlib.metadata
import os
import platform
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[1]
PACKAGES = ("pseudocore", "jax", "jaxlib", "equinox", "optax", "numpy")


def environment(device: Mapping[str, Any]) -> dict[str, Any]:
    """The machine and the versions that this process runs on."""
    return {
        "started": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "device": dict(device),
        "versions": {name: _version(name) for name in PACKAGES},
        **_commit(),
    }


@functools.cache
def code() -> str:
    """The package's version and a hash of its source: other code may find other numbers."""
    content = hashlib.sha256()
    for file in sorted(PACKAGE.rglob("*.py")):
        content.update(f"{file.relative_to(PACKAGE)}\0".encode() + file.read_bytes() + b"\0")
    return f"{_version('pseudocore')} {content.hexdigest()}"


def _cpu() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _commit() -> dict[str, Any]:
    """The commit of the checkout that the package is part of; none for an installed package."""
    # An installed package may lie inside some other repository, one that does not track its files.
    if _git("ls-files", "--error-unmatch", "errors.py") is None:
        return {"commit": None, "changed": None}
    return {
        "commit": _git("rev-parse", "HEAD"),
        "changed": bool(_git("status", "--porcelain", ".")),
    }


def _git(*arguments: str) -> str | None:
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run(
            ["git", "-C", str(PACKAGE), *arguments], capture_output=True, text=True, timeout=10
        )
        return done.stdout.strip() if done.returncode == 0 else None
    return None
