"""How much smaller a gap is than that of AFS, and how many labels that saves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from activefs.experiments.leaderboard._board import Board, Entry
from activefs.experiments.leaderboard._choices import FLOORS, PLUG_IN
from activefs.experiments.leaderboard._sets import TRAP_NAMES
from activefs.runs import PAPER_SETS, Source, number_of
from activefs.types import Floats

_RESAMPLES = 2000
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Ratio:
    """A ratio of mean gaps with its 95% interval, from runs drawn again with replacement.

    Examples
    --------
    >>> print(Ratio(0.25, 0.2, 0.31))
    0.25 [0.20, 0.31]
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"


def headline_sets(board: Board, k: int) -> list[Source]:
    """Sets that averages are about: the paper's, or if none was run all that are no traps, or else all."""
    able = [source for source, wanted in board.cells() if wanted == k]
    paper = [source for source in able if source.name in PAPER_SETS]
    return paper or [source for source in able if source.name not in TRAP_NAMES] or able


def better_floor(board: Board, sources: Sequence[Source], k: int) -> Entry | None:
    """AFS with plug-in estimates and the floor that has the smaller mean gap on these sets; None if it was not run."""
    there = [(f, PLUG_IN) for f in FLOORS if all((s.name, k, f, PLUG_IN) in board.gaps for s in sources)]
    if not there or not sources:
        return None
    return min(there, key=lambda entry: sum(float(board.scores(s, k, entry).mean()) for s in sources))


def relative(board: Board, sources: Sequence[Source], k: int, entry: Entry, *, one_floor: bool = False) -> Ratio | None:
    """Mean gap of an entry over sets, divided by that of AFS + plug-in; None if either was not run.

    Parameters
    ----------
    board : Board
        The results.
    sources : sequence of Source
        Sets to average over: the gaps, not the ratios, are averaged.
    k : int
        Number of features wanted.
    entry : (choice, estimate)
        Whom to judge.
    one_floor : bool, default False
        Whether AFS has the same floor on all sets, the one that is better on average, instead of its better floor
        on each set, which is harder to beat.
    """
    if any((source.name, k, *entry) not in board.gaps for source in sources):
        return None
    common = better_floor(board, sources, k)
    if common is None:
        return None
    mine = np.zeros(_RESAMPLES + 1)
    reference = np.zeros(_RESAMPLES + 1)
    for source in sources:
        floor = common if one_floor else better_floor(board, [source], k)
        assert floor is not None
        mine += _means(board, source, k, entry)
        reference += _means(board, source, k, floor)
    # Nothing to nothing is even; something to nothing is infinitely more, which quantiles must not subtract.
    ratios = np.where(mine > 0, np.inf, 1.0)
    np.divide(mine, reference, out=ratios, where=reference > 0)
    low, high = np.quantile(ratios[1:], [0.025, 0.975], method="inverted_cdf")
    return Ratio(float(ratios[0]), float(low), float(high))


def _means(board: Board, source: Source, k: int, entry: Entry) -> Floats:
    """Mean over runs of their mean gaps, and the same for runs drawn again with replacement.

    The draws of a choice are the same whatever the estimate and k: its runs are.
    """
    scores = board.scores(source, k, entry)
    rng = np.random.default_rng(number_of([source.name, entry[0]]))
    drawn = rng.integers(scores.size, size=(_RESAMPLES, scores.size))
    return np.concatenate([[scores.mean()], scores[drawn].mean(axis=1)])


def mean_curve(board: Board, sources: Sequence[Source], k: int, entry: Entry) -> Floats | None:
    """Mean gap over sets and runs at the label counts that all sets have; None if it was not run on all."""
    if not sources or any((source.name, k, *entry) not in board.gaps for source in sources):
        return None
    size = len(common_counts(board, sources))
    return np.asarray(np.mean([board.gaps[s.name, k, *entry].mean[:size] for s in sources], axis=0))


def common_counts(board: Board, sources: Sequence[Source]) -> tuple[int, ...]:
    """Label counts that were measured on all of these sets."""
    return min((board.settings.measured_of(source) for source in sources), key=len)


def labels_needed(board: Board, sources: Sequence[Source], k: int, entry: Entry) -> int | None:
    """First label count at which the mean gap is at most what AFS + plug-in (either floor) has at the last one.

    One more than the last count if it is never; None if AFS or the entry was not run.
    """
    curves = [c for f in FLOORS if (c := mean_curve(board, sources, k, (f, PLUG_IN))) is not None]
    mine = mean_curve(board, sources, k, entry)
    if not curves or mine is None:
        return None
    goal = min(float(curve[-1]) for curve in curves)
    reached = np.flatnonzero(mine <= goal + _ROUNDING)
    counts = common_counts(board, sources)
    return counts[reached[0]] if reached.size else counts[-1] + 1
