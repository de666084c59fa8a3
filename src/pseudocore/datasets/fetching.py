"""From the sources of a published dataset to a folder that its reader reads."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from pseudocore.datasets.known import Source
from pseudocore.errors import UserError
from pseudocore.progress import Say, silent
from pseudocore.store.archive import unpack
from pseudocore.store.download import download
from pseudocore.store.files import explained

ARCHIVES = (".tar", ".tgz", ".tar.gz", ".zip")


def fetch(sources: Sequence[Source], out: Path, say: Say = silent, url: str | None = None) -> None:
    """All files of a dataset, checked; archives are unpacked and then no longer needed."""
    for source in at(sources, url):
        if not source.file.endswith(ARCHIVES):
            download(source.url, out / source.file, source.checksum, say)
            continue
        archive = out.parent / source.file
        with explained(out):
            if out.is_dir() and any(out.iterdir()):
                raise UserError(
                    f"{out} is not empty: if it is the dataset, there is nothing to fetch "
                    f"(pseudocore data check says); else choose another --out."
                )
        download(source.url, archive, source.checksum, say)
        unpack(archive, out)
        archive.unlink()


def at(sources: Sequence[Source], url: str | None) -> list[Source]:
    """The sources, at another place if one is given: a file, or the folder of several."""
    if url is None:
        return list(sources)
    if len(sources) == 1:
        return [dataclasses.replace(sources[0], url=url)]
    folder = url.rstrip("/")
    return [dataclasses.replace(source, url=f"{folder}/{source.file}") for source in sources]
