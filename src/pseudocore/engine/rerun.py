"""What a run's `rerun.py` calls: its arguments, and its errors, in words."""

import argparse
import contextlib
import sys
from collections.abc import Iterator

from pseudocore.engine.runs import make_coreset
from pseudocore.errors import UserError
from pseudocore.recipes.base import Recipe


@contextlib.contextmanager
def own_code(files: str) -> Iterator[None]:
    """End `rerun.py` with what to do where the user's own functions cannot be imported."""
    try:
        yield
    except Exception as error:  # whatever a file of the user's raises
        print(
            f"{sys.argv[0]} needs {files} on PYTHONPATH, and it cannot be imported: {error}\n"
            'What such a file runs when it is called belongs under if __name__ == "__main__".',
            file=sys.stderr,
        )
        sys.exit(2)


def rerun(recipe: Recipe) -> None:
    """What `rerun.py` does with the words behind its name."""
    words = argparse.ArgumentParser(description="Learn the coreset of this recipe again.")
    words.add_argument("experts", help="folder of the experts")
    words.add_argument("out", help="folder for the run")
    words.add_argument("--resume", action="store_true", help="continue what was stopped")
    options = words.parse_args()
    try:
        make_coreset(recipe, options.experts, options.out, resume=options.resume)
    except UserError as error:
        words.error(str(error))
