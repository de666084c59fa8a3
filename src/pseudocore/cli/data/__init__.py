"""pseudocore data: fetch, check, look at and corrupt datasets; one file for each."""

import importlib
import sys
from collections.abc import Sequence

from pseudocore.errors import unknown

INTERRUPTED = 130  # as of the other verbs
VERBS = {
    "list": "the published datasets, and which of them are here",
    "get": "fetch a published dataset from its source: resumed, checked, unpacked",
    "check": "what is in a dataset, and whether it is the one that was published",
    "preview": "a contact sheet: some pictures of every class",
    "corrupt": "the test pictures under the corruptions of CIFAR-10-C",
}

HELP = f"""\
usage: pseudocore data VERB [arguments]

Real data in, without surprises.

verbs:
{chr(10).join(f"  {verb:<9}{told}" for verb, told in VERBS.items())}

examples:
  pseudocore data list
  pseudocore data get cifar10
  pseudocore data check cifar10
  pseudocore data check my-pictures
  pseudocore data preview my-pictures --out sheet.png
  pseudocore data corrupt cifar10 --out data/cifar10-c --corruptions fog jpeg_compression

What can stand for DATA, here and behind --data: a name of the list, a folder of pictures with
train/CLASS/*.png and test/CLASS/*.png, FILE.npz, FILE.csv, FILE.libsvm, a folder with x_train.npy
and its like, hf:FOLDER. docs/data.md has the details.
"""


def main(arguments: Sequence[str]) -> int:
    verb, *rest = arguments or ["--help"]
    if verb in ("-h", "--help", "help"):
        print(HELP, end="")
        return 0
    if verb not in VERBS:
        raise unknown("verb of data", verb, VERBS)
    try:
        return importlib.import_module(f"pseudocore.cli.data.{verb}").main(rest)
    except KeyboardInterrupt:
        print("Stopped. What is done is kept: run the same command again.", file=sys.stderr)
        return INTERRUPTED
