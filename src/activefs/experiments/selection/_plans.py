"""What each experiment of the paper consists of."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from activefs.runs import PAPER_SETS, Line, Source, lines
from activefs.types import Estimator

PAPER_KS = (1, 5, 10, 20)
# Label counts that have a row in summary.csv, and the last one of the run.
BUDGETS = (25, 50, 100, 200, 300, 400, 500)


@dataclass(frozen=True)
class Plan:
    """One experiment: the lines that are run, those that are drawn, and for which k.

    Attributes
    ----------
    name, title : str
        As on the command line, and over the pictures.
    lines : tuple of Line
        Computed, and in the tables.
    drawn : tuple of Line
        In the pictures.
    ks : tuple of int
        The paper's values of k.
    """

    name: str
    title: str
    lines: tuple[Line, ...]
    drawn: tuple[Line, ...]
    ks: tuple[int, ...] = PAPER_KS

    def judged_by(self, estimator: Estimator) -> Plan:
        """The same with another estimate of all features."""
        lines, drawn = (tuple(replace(line, estimator=estimator) for line in some) for some in (self.lines, self.drawn))
        return replace(self, lines=lines, drawn=drawn)


@dataclass(frozen=True)
class SelectionSettings:
    """How much is run.

    Attributes
    ----------
    sources : tuple of Source
        The data sets.
    ks : tuple of int
        Numbers of features wanted, ascending.
    runs, budget : int
        Runs per line, labels per run.
    seed : int
        Seed of everything random.
    estimator : {"plug-in", "assisted"}
        How features are judged; the paper's is "plug-in".

    Examples
    --------
    >>> SelectionSettings().budgets
    (25, 50, 100, 200, 300, 400, 500)
    >>> SelectionSettings(budget=60).budgets
    (25, 50, 60)
    """

    sources: tuple[Source, ...] = field(default_factory=lambda: tuple(map(Source.named, PAPER_SETS)))
    ks: tuple[int, ...] = PAPER_KS
    runs: int = 30
    budget: int = 500
    seed: int = 0
    estimator: Estimator = "plug-in"

    @property
    def budgets(self) -> tuple[int, ...]:
        """Label counts of the summary."""
        return (*(b for b in BUDGETS if b < self.budget), self.budget)

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names of the data sets."""
        return tuple(source.name for source in self.sources)


def _plan(
    name: str, title: str, drawn: tuple[Line, ...], more: tuple[Line, ...] = (), **other: tuple[int, ...]
) -> Plan:
    return Plan(name, title, drawn + more, drawn, **other)


PLANS: dict[str, Plan] = {
    plan.name: plan
    for plan in (
        _plan(
            "baselines",
            "AFS and the baselines",
            (lines.AFS, lines.AFS_POOL, lines.RANDOM, lines.CORESET, lines.DWUS),
        ),
        _plan(
            "ablations",
            "Ablations of AFS",
            (lines.AFS, lines.NOSG, lines.AVG_SEL, lines.AVG_ALL, lines.SINGLE, lines.RANDOM),
            (lines.AFS_POOL, lines.NOSG_POOL),
            ks=(5, 10, 20),
        ),
        _plan(
            "aggregations",
            "Aggregation functions of AFS",
            (lines.AFS, lines.L2, lines.LINF, lines.RANDOM),
        ),
        _plan(
            "safeguards",
            "The safeguard of AFS",
            (*lines.SAFEGUARDS[:2], lines.AFS, lines.SAFEGUARDS[2], lines.NOSG, lines.RANDOM),
            (*lines.SAFEGUARDS_POOL[:2], lines.AFS_POOL, lines.SAFEGUARDS_POOL[2], lines.NOSG_POOL),
        ),
    )
}
