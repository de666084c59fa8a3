"""The command `pseudocore`. Only the verb asked for is imported, so that help is instant."""

import importlib
import os
import signal
import sys

VERBS = {
    "demo": "learn, judge and compare coresets of the embedded digits, start to finish",
    "experts": "train expert networks on real data and keep their trajectories",
    "distill": "learn a pseudocoreset from experts",
    "evaluate": "judge a learned pseudocoreset by how its posterior predicts",
    "compare": "judge runs beside subsets and the full data: one table, one page",
    "data": "fetch, check, look at and corrupt datasets",
    "reproduce": "the paper's figures, tables and claims, by name",
}

HELP = f"""\
usage: pseudocore VERB [arguments]

Bayesian pseudocoresets: a handful of synthetic points whose posterior stands in for that of a
whole dataset.

verbs:
{chr(10).join(f"  {verb:<10}{told}" for verb, told in VERBS.items())}

options:
  --help     this page, or that of a verb: pseudocore distill --help
  --version  the version

examples:
  pseudocore demo
  pseudocore experts digits --out runs/experts
  pseudocore distill digits/ipc1-fkl --experts runs/experts --out runs/fkl
  pseudocore evaluate runs/fkl
  pseudocore compare runs/fkl --out runs/comparison
"""

INTERRUPTED = 130
STOPPED = 75  # EX_TEMPFAIL: try again, with --resume
UNHEARD = 1  # the reader of a pipe left, as `head` does


def main(argv: list[str] | None = None) -> int:
    """Run a verb; wrong input ends with exit code 2 and a message, never a traceback."""
    try:
        try:
            return answer(sys.argv[1:] if argv is None else argv)
        finally:
            sys.stdout.flush()  # here, where it can be told that nobody listens any more
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNHEARD
    except KeyboardInterrupt:
        print("Stopped. What was saved is kept: continue with --resume.", file=sys.stderr)
        return INTERRUPTED


def answer(arguments: list[str]) -> int:
    verb, *rest = arguments or ["--help"]
    if verb in ("-h", "--help", "help"):
        print(HELP, end="")
        return 0
    if verb == "--version":
        from importlib.metadata import version

        print(version("pseudocore"))
        return 0
    return dispatch(verb, rest)


def dispatch(verb: str, arguments: list[str]) -> int:
    from pseudocore.errors import UserError, unknown

    try:
        if verb not in VERBS:
            raise unknown("verb", verb, VERBS)
        return importlib.import_module(f"pseudocore.cli.{verb}").main(arguments)
    except UserError as error:
        print(f"pseudocore {verb}: {error}", file=sys.stderr)
        return 2
    except Exception as error:
        from pseudocore.engine.control import Stopped

        if not isinstance(error, Stopped):
            raise
        print(f"pseudocore {verb}: {error}", file=sys.stderr)
        return INTERRUPTED if error.signum == signal.SIGINT else STOPPED


if __name__ == "__main__":
    sys.exit(main())
