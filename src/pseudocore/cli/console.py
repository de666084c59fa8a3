"""Progress bars on a terminal, and a line every few seconds elsewhere."""

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

import rich.progress
from rich.console import Console, RenderableType
from rich.text import Text

from pseudocore.report.summary import Summary
from pseudocore.report.table import console_table

QUIET = 5.0  # seconds between lines where there is no terminal

# What is computed is what is asked for; what a person reads on the way goes to standard error.
words = Console(stderr=True, highlight=False)
results = Console(highlight=False)


class Bars:
    """One progress bar a task, with what a person wants to know beside it."""

    def __init__(self, console: Console = words):
        self.console = console
        self.live = console.is_terminal
        self.bars = rich.progress.Progress(
            rich.progress.TextColumn("{task.description:<18}"),
            rich.progress.BarColumn(bar_width=24),
            rich.progress.MofNCompleteColumn(),
            rich.progress.TimeElapsedColumn(),
            rich.progress.TimeRemainingColumn(),
            rich.progress.TextColumn("{task.fields[facts]}"),
            console=console,
            disable=not self.live,
        )
        self.tasks: dict[str, rich.progress.TaskID] = {}
        self.spoke = 0.0

    def __enter__(self) -> "Bars":
        self.bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.bars.stop()

    def say(self, what: str, done: int, total: int, facts: Mapping[str, float]) -> None:
        """What `engine.control.Say` asks for."""
        told = "  ".join(f"{told_name(name)} {value:.3g}" for name, value in facts.items())
        if self.live:
            if what not in self.tasks:
                self.tasks[what] = self.bars.add_task(what, total=total, facts="")
            self.bars.update(self.tasks[what], completed=done, facts=told)
        elif done == total or time.monotonic() - self.spoke > QUIET:
            self.spoke = time.monotonic()
            self.console.print(Text(f"{what} {done}/{total}  {told}".rstrip()), soft_wrap=True)


def told_name(name: str) -> str:
    return name.replace("held_out_", "held-out ").replace("_", " ")


def say(sentence: str) -> None:
    """A line for a person, whole even where it is long: it may hold a path or a command to copy."""
    words.print(Text(sentence), soft_wrap=True)


def show_results(summaries: Sequence[Summary], title: str, points: str) -> None:
    """The table of results; where there are no styles, nothing is said of what they would mark."""
    styled = Console().color_system is not None
    show(console_table(summaries, title, points, styled))


def show(table: RenderableType) -> None:
    """A table, with room for all its columns: squeezed into a window it would lose digits."""
    needed = results.measure(table, options=results.options.update(max_width=1000)).maximum
    Console(highlight=False, width=max(results.width, needed)).print(table)


def fit(table: RenderableType) -> None:
    """A table of words, folded to fit a person's window; whole where another program reads it."""
    if results.is_terminal:
        results.print(table)
    else:
        show(table)


def conclude(sentences: Sequence[str]) -> None:
    """What follows from a table, under it."""
    results.print(Text("\n" + "\n".join(f"- {sentence}" for sentence in sentences)), soft_wrap=True)


def warn(sentences: Sequence[str]) -> None:
    for sentence in sentences:
        words.print(Text(f"warning: {sentence}", style="yellow"), soft_wrap=True)


def print_json(value: Any) -> None:
    """Results for another program."""
    from pseudocore.store.files import finite

    print(json.dumps(finite(value), indent=2, allow_nan=False))
