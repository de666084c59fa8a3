"""What of the paper can be reproduced, by name."""

import dataclasses
from collections.abc import Callable
from typing import Any, TypeAlias

from pseudocore.claim import Claim
from pseudocore.engine import proposition, synthetic
from pseudocore.engine.control import Control
from pseudocore.gaussian.study import Study
from pseudocore.store.run import Run

Settings: TypeAlias = Study | Claim


@dataclasses.dataclass(frozen=True)
class Reproduction:
    """A figure, a table or a claim: what it is, its settings, and how a folder is filled.

    `make` takes the folder, the settings and the seeds, leaves NAME.json and the figures, and
    returns the table in Markdown.
    """

    about: str
    settings: Settings
    make: Callable[[Run, Any, range, Control], str]


NAMES = {
    "synthetic": Reproduction(
        "the study on a 10-dimensional Gaussian, where every divergence is known exactly",
        Study(),
        synthetic.reproduce,
    ),
    "proposition": Reproduction(
        "Proposition 1, reverse KL as matching of gradients: which matching, and when",
        Claim(),
        proposition.reproduce,
    ),
}
