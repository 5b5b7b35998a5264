"""The demo's page in the terminal: headings, small tables and bars, 78 letters wide."""

from __future__ import annotations

from typing import Final

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from softlearn.demo.findings import ASKED, PLANTED, TRUTH, Answer, Filled, Odd, Scores
from softlearn.demo.tables import Frame
from softlearn.show import Findings

WIDTH: Final = 78
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_LOST = "·"
_ROWS_SHOWN = 4
_PAIRS_SHOWN = 3
_CELLS_SHOWN = 3


class Page:
    """The output of the demo; in colour on a terminal, plain elsewhere."""

    def __init__(self) -> None:
        self._console = Console(width=WIDTH, highlight=False)
        self._steps = 0

    def title(self, text: str) -> None:
        """Begin a step."""
        self._steps += 1
        heading = Text(f"{self._steps}  {text}", style="bold")
        self._console.print()
        self._console.print(Rule(heading, align="left", style="blue"))

    def say(self, text: str, style: str = "") -> None:
        """Write a sentence, or lines that are already set."""
        self._console.print(Text(text, style=style))

    def rows(self, frame: Frame) -> None:
        """Write the first rows of a table."""
        head = frame.head(_ROWS_SHOWN).round({"income": 1, "km": 1}).astype(object)
        shown = head.where(head.notna(), _LOST).map(_plain)
        self.say("\n" + _indented(shown.to_string(index=False)))

    def scores(self, found: list[Scores]) -> None:
        """Write how close each learner comes to the truth, for each size of tables."""
        sizes = "".join(f"{f'{one.rows:,} rows':>15}{'gap':>10}" for one in found)
        self.say(f"  {'learnt from':18}{sizes}", "dim")
        for system in found[0].fresh:
            line = Text(f"  {system:18}", style="bold" if system == TRUTH else "")
            for one in found:
                behind = "" if system == TRUTH else f"{one.behind(system):.3f}"
                line.append(f"{one.fresh[system]:>15.3f}{behind:>10}")
            line.rstrip()
            self._console.print(line)
        counts = [f"{one.softlearn_nearer} of {one.tables} with {one.rows:,} rows" for one in found]
        self.say(f"\nSoftLearn beat LearnSPN: {', '.join(counts)}.")

    def told(self, found: Findings) -> None:
        """Write the kinds of rows and the strongest dependencies, one line each."""
        for group in found.groups:
            words = ", ".join(shift.short for shift in group.shifts)
            self.say(f"{percent(group.share):>8}  {words}")
        self.say("\n  Strongest dependencies:")
        for one in found.dependencies[:_PAIRS_SHOWN]:
            self.say(f"{percent(one.share):>8}  {f'{one.first}, {one.second}':14}{one.words}")

    def answers(self, found: list[Answer]) -> None:
        """Write the probability of each level, overall, learnt and true."""
        self.say(f"  {ASKED:10}{'overall':>9}{'learnt':>12}{'true':>11}", "dim")
        for one in found:
            line = Text(f"  {one.level:10}{one.before:>9.2f}{one.learnt:>12.2f}{one.true:>11.2f}  ")
            line.append(bar(one.learnt, 24), style="blue")
            line.rstrip()
            self._console.print(line)

    def filled(self, found: list[Filled]) -> None:
        """Write how well missing cells are filled."""
        for counts_right, unit in ((True, "correct"), (False, "error (RMSE)")):
            self.say(f"  {unit:28}{'cells':>6}{'column alone':>15}{'circuit':>10}", "dim")
            for one in found:
                if one.counts_right is counts_right:
                    guess, learnt = (_mark(one, mark) for mark in (one.guess, one.learnt))
                    self.say(f"  {one.column:28}{one.cells:>6}{guess:>15}{learnt:>10}")

    def odd(self, found: Odd) -> None:
        """Write the rank of the planted row, and its most surprising cells."""
        cells = ", ".join(f"{name}={value}" for name, value in PLANTED.items())
        self.say(f"  {cells}\n")
        self.say(
            f"  Log-density {found.log_density:.1f} (usual: {found.usual:.1f}), "
            f"rank {found.place} of {found.among:,}, least likely first."
        )
        most = max(found.why.values())
        for name, nats in list(found.why.items())[:_CELLS_SHOWN]:
            line = Text(f"  {name:8}{nats:>+7.1f} nats  ")
            line.append(bar(nats / most, 24), style="red")
            self._console.print(line)


def percent(share: float) -> str:
    """Return a share in whole per cent."""
    return f"{100 * share:.0f} %"


def bar(share: float, width: int) -> str:
    """Return a bar of so many letters at most, exact to an eighth of one."""
    eighths = round(8 * width * min(max(share, 0.0), 1.0))
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()


def _plain(cell: object) -> object:
    """Return a whole number without its point: a column with lost cells is stored as floats."""
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


def _mark(filled: Filled, mark: float) -> str:
    return percent(mark) if filled.counts_right else f"{mark:.1f}"
