"""What the curves say about one line beside another, cell by cell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from activefs.experiments.selection._curves import Curves
from activefs.runs import Difference, difference, paired, score
from activefs.types import Floats

Cell = tuple[str, int]
Verdict = Literal["confirmed", "mixed", "not confirmed", "not tested"]
Quantifier = Literal["every", "most", "many", "some"]

# Share of cells from which on a claim is confirmed, and from which on it is mixed, for what the paper's word promises.
THRESHOLDS: dict[Quantifier, tuple[float, float]] = {
    "every": (1.0, 0.5),
    "most": (0.5 + 1e-9, 0.25),
    "many": (0.25, 1e-9),
    "some": (1e-9, 1e-9),
}
_RULES: dict[Quantifier, str] = {
    "every": "confirmed if it holds in all {units}, mixed if in at least half of them",
    "most": "confirmed if it holds in more than half of the {units}, mixed if in at least a quarter",
    "many": "confirmed if it holds in at least a quarter of the {units}, mixed if in any",
    "some": "confirmed if it holds in any of the {units}",
}
# Two lines whose scores differ by less than this share are alike, however sure the difference is.
ALIKE = 0.10


@dataclass(frozen=True)
class Finding:
    """One cell: does the sentence hold there, and the numbers that decide it."""

    where: str
    holds: bool
    numbers: str


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, and what became of it.

    Attributes
    ----------
    sentence, place : str
        What the paper says, and where.
    rule : str
        What is counted as 'holds'.
    verdict : str
        The outcome.
    result : str
        The figures that decide it, in a few words.
    findings : tuple of Finding
        Cell by cell.
    """

    sentence: str
    place: str
    rule: str
    verdict: Verdict
    result: str
    findings: tuple[Finding, ...] = field(default=(), repr=False)


class Evidence:
    """Scores (mean gap over all labels, per run) of the lines, and their differences."""

    def __init__(self, curves: Curves) -> None:
        self.curves = curves

    def cells(self, *names: str, ks: tuple[int, ...] | None = None) -> list[Cell]:
        """Cells in which all these lines were run."""
        found: dict[Cell, None] = {}
        for (dataset, k, _), _ in self.curves.items():
            if (ks is None or k in ks) and all((dataset, k, name) in self.curves for name in names):
                found[dataset, k] = None
        return list(found)

    def score(self, cell: Cell, name: str, first: float = 0.0, last: float = 1.0) -> Floats:
        """Mean gap per run over a part of the labels."""
        return score(self.curves[(*cell, name)], first, last)

    def minus(self, cell: Cell, a: str, b: str, first: float = 0.0, last: float = 1.0) -> Difference:
        """Score of a minus score of b: positive if a is worse."""
        same = self.curves.lines[a].family == self.curves.lines[b].family
        return (paired if same else difference)(self.score(cell, a, first, last), self.score(cell, b, first, last))

    def best(self, cell: Cell, names: tuple[str, ...]) -> str:
        """The line with the smallest mean gap."""
        return min(names, key=lambda name: float(self.score(cell, name).mean()))

    def alike(self, cell: Cell, a: str, b: str) -> bool:
        """Whether the interval of the difference holds zero, or the difference is below a tenth of b's gap."""
        gap = self.minus(cell, a, b)
        return gap.sign == 0 or abs(gap.mean) <= ALIKE * float(self.score(cell, b).mean())

    def against(self, cell: Cell, a: str, b: str, first: float = 0.0, last: float = 1.0) -> str:
        """Numbers of a comparison, for a person."""
        means = (float(np.mean(self.score(cell, name, first, last))) for name in (a, b))
        gap = self.minus(cell, a, b, first, last)
        return f"{a} {next(means):.4f}, {b} {next(means):.4f}, difference {gap}"


def name_of(cell: Cell) -> str:
    """As in tables."""
    return f"{cell[0]} k={cell[1]}"


def judge(
    sentence: str,
    place: str,
    rule: str,
    quantifier: Quantifier,
    cells: list[Cell],
    holds: Callable[[Cell], bool],
    numbers: Callable[[Cell], str],
    *,
    by_set: bool = False,
) -> Claim:
    """Check a sentence in every cell and count."""
    findings = tuple(Finding(cell[0] if by_set else name_of(cell), holds(cell), numbers(cell)) for cell in cells)
    confirmed, mixed = THRESHOLDS[quantifier]
    rule = f"{rule}; {_RULES[quantifier].format(units='data sets' if by_set else 'cells')}"
    if not findings:
        return Claim(sentence, place, rule, "not tested", "none of its cells was run")
    share = sum(f.holds for f in findings) / len(findings)
    verdict: Verdict = "confirmed" if share >= confirmed else "mixed" if share >= mixed else "not confirmed"
    result = f"holds in {sum(f.holds for f in findings)} of {len(findings)}"
    rare = [f.where for f in findings if f.holds == (share <= 0.5)]
    if 0 < len(rare) <= 8:
        result += f" ({'only' if share <= 0.5 else 'not'} {', '.join(rare)})"
    return Claim(sentence, place, rule, verdict, result, findings)
