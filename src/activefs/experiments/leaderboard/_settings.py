"""How much is run."""

from __future__ import annotations

from dataclasses import dataclass, field

from activefs.exceptions import InvalidInputError
from activefs.experiments.leaderboard import _choices, _sets
from activefs.runs import Line, Source

KS = (5, 10, 20)
COUNTS = (25, 50, 100, 200, 300, 500)
"""Label counts over which gaps are averaged."""
BETWEEN = (150, 250)
"""Measured too, since targets ask for them, but not averaged."""
TABLE_COUNTS = (25, 50, 100, 150, 200)
"""Label counts of the public tables, all averaged; no run on them is longer."""
TABLE_K = 10
"""The largest k of the public tables."""

# Of a small table at most this share is labelled: at the end everybody would be perfect.
_SHARE = 0.8


@dataclass(frozen=True)
class LeaderboardSettings:
    """How much is run.

    Attributes
    ----------
    sources : tuple of Source
        The data sets.
    lines : tuple of Line
        The ways of choosing rows.
    ks : tuple of int
        Numbers of features wanted, ascending.
    runs, budget, seed : int
        Runs of each, labels per run, seed of everything random.

    Examples
    --------
    >>> settings = LeaderboardSettings()
    >>> settings.counts_of(_sets.named("WINE0")), settings.ks_of(_sets.named("WINE0"))
    ((25, 50, 100), (5,))
    >>> settings.counts_of(_sets.named("SONAR")), settings.ks_of(_sets.named("CHURN"))
    ((25, 50, 100, 150), (5, 10))
    """

    sources: tuple[Source, ...] = field(default_factory=_sets.find_sets)
    lines: tuple[Line, ...] = _choices.ALL
    ks: tuple[int, ...] = KS
    runs: int = 10
    budget: int = 500
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.sources or not self.lines or not self.ks:
            raise InvalidInputError("there is nothing to run: name at least one data set, one strategy and one k")
        for what, value, least in (("runs", self.runs, 1), ("k", min(self.ks), 1), ("budget", self.budget, COUNTS[0])):
            if value < least:
                raise InvalidInputError(f"{what} must be at least {least}, got {value}")

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names of the data sets."""
        return tuple(source.name for source in self.sources)

    def budget_of(self, source: Source) -> int:
        """Labels of a run on a data set."""
        most = min(self.budget, int(_SHARE * source.rows))
        return min(most, TABLE_COUNTS[-1]) if _sets.is_table(source) else most

    def ks_of(self, source: Source) -> tuple[int, ...]:
        """The k that are measured: among half of the features nearly every choice is good.

        The public tables are measured as others have measured them: k up to 10, and below the number of columns.
        """
        if _sets.is_table(source):
            return tuple(k for k in self.ks if k < source.features and k <= TABLE_K)
        return tuple(k for k in self.ks if 2 * k <= source.features)

    def counts_of(self, source: Source) -> tuple[int, ...]:
        """Label counts that are averaged."""
        counts = TABLE_COUNTS if _sets.is_table(source) else COUNTS
        return tuple(n for n in counts if n <= self.budget_of(source))

    def measured_of(self, source: Source) -> tuple[int, ...]:
        """Label counts that are measured."""
        return tuple(n for n in sorted({*COUNTS, *BETWEEN}) if n <= self.budget_of(source))
