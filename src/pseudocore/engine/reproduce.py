"""What of the paper can be reproduced, by name."""

import dataclasses
from collections.abc import Callable
from typing import Any, TypeAlias

from pseudocore.engine import synthetic
from pseudocore.engine.control import Control
from pseudocore.gaussian.study import Study
from pseudocore.store.run import Run

Settings: TypeAlias = Study


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
}
