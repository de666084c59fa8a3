"""What the page tells: everything it shows, in one value."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from pseudocore.report.curves import Curves
from pseudocore.report.findings import Gaps
from pseudocore.report.pictures import CLIPPED, Pictures
from pseudocore.report.reliability import Bins
from pseudocore.report.summary import Summary


@dataclass(frozen=True)
class Story:
    """A run as a person wants to read it. What is empty is left out of the page."""

    title: str
    lead: Sequence[str]
    summaries: Sequence[Summary]
    points: str = "images"  # or "points", which are no images
    seen: Mapping[str, str] = field(default_factory=dict)  # how a judge sees the coreset
    pictures: Sequence[Pictures] = ()
    pictures_caption: str = CLIPPED
    curves: Curves = field(default_factory=dict)
    chosen: Mapping[str, int] = field(default_factory=dict)
    reliability: Mapping[str, Bins] = field(default_factory=dict)
    reliability_of: str = ""
    several: Collection[str] = ()  # methods that have more coresets than the one that is drawn
    gaps: Gaps = field(default_factory=dict)
    notes: Sequence[str] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    commands: Sequence[str] = ()
    recipe: str = ""
