"""From the sources of a published dataset to a folder that its reader reads."""

from collections.abc import Sequence
from pathlib import Path

from pseudocore.datasets.known import Source
from pseudocore.errors import UserError
from pseudocore.progress import Say, silent
from pseudocore.store.archive import unpack
from pseudocore.store.download import download
from pseudocore.store.files import explained_download as explained

ARCHIVES = (".tar", ".tgz", ".tar.gz", ".zip")


def fetch(sources: Sequence[Source], out: Path, say: Say = silent, url: str | None = None) -> None:
    """All files of a dataset, checked; archives are unpacked and then no longer needed.

    `url` is another place: of a file, or of the folder of several.
    """
    for source in sources:
        place = source.url if url is None else elsewhere(url, source, len(sources))
        if not source.file.endswith(ARCHIVES):
            download(place, out / source.file, source.checksum, say)
            continue
        refuse_occupied(out)
        archive = out.parent / source.file
        download(place, archive, source.checksum, say)
        unpack(archive, out)
        archive.unlink()


def elsewhere(url: str, source: Source, files: int) -> str:
    return url if files == 1 else f"{url.rstrip('/')}/{source.file}"


def refuse_occupied(out: Path) -> None:
    """Refuse, before anything is fetched, a folder that an archive cannot become."""
    with explained(out):
        if out.resolve() == Path.cwd():
            raise UserError(f"--out {out} is the folder that you are in: name one to be made.")
        if out.exists() and any(out.iterdir()):
            raise UserError(
                f"{out} is not empty: if it is the dataset, there is nothing to fetch "
                "(pseudocore data check says). To fetch it again delete it first; else choose "
                "another --out."
            )
