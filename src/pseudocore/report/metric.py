"""The columns of numbers: which way is better, and how a number is written."""

from collections.abc import Sequence
from dataclasses import dataclass

from pseudocore.report.summary import Spread, Summary


@dataclass(frozen=True)
class Metric:
    """A column of numbers, and whether more of it (+1) or less of it (-1) is better."""

    field: str
    heading: str
    better: int

    def of(self, summary: Summary) -> Spread | None:
        return getattr(summary, self.field)

    @property
    def arrow(self) -> str:
        return "↑" if self.better > 0 else "↓"


ACCURACY = Metric("acc", "accuracy", +1)
NLL = Metric("nll", "NLL", -1)
ECE = Metric("ece", "ECE", -1)
METRICS = (
    ACCURACY,
    NLL,
    ECE,
    Metric("brier", "Brier", -1),
    Metric("nll_published", "NLL published", -1),
    Metric("ece_published", "ECE published", -1),
)


def short(value: float, digits: int = 3) -> str:
    """.895 rather than 0.895; 1.151 as it is."""
    text = f"{value:.{digits}f}"
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def with_error(s: Spread) -> str:
    """.895 ± .010, the standard error; a single value stands alone."""
    return f"{short(s.mean)} ± {short(s.error)}" if s.count > 1 else short(s.mean)


def images_per_class(ipc: int | None) -> str:
    return "all" if ipc is None else str(ipc)


def counted(count: int, noun: str) -> str:
    """1 chain, 5 chains."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def listed(names: Sequence[str], link: str = "and") -> str:
    """a; a and b; a, b and c."""
    return f" {link} ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
