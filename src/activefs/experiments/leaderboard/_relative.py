"""How much smaller a gap is than that of AFS, and how many labels that saves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from activefs.experiments.leaderboard._board import Board, Cell, Entry
from activefs.experiments.leaderboard._choices import FLOORS, PLUG_IN
from activefs.runs import number_of
from activefs.types import Floats

_RESAMPLES = 2000
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Ratio:
    """A ratio of mean gaps with its 95% interval, from runs drawn again with replacement.

    Examples
    --------
    >>> print(Ratio(0.25, 0.2, 0.31), Ratio(0.012, 0.004, 0.03))
    0.25 [0.20, 0.31] 0.012 [0.004, 0.030]
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        digits = 2 if self.value >= 0.1 else 3
        return f"{self.value:.{digits}f} [{self.low:.{digits}f}, {self.high:.{digits}f}]"


def was_run(board: Board, cells: Sequence[Cell], entry: Entry) -> bool:
    """Whether an entry was run on all of these, and there are any."""
    return bool(cells) and all((source.name, k, *entry) in board.gaps for source, k in cells)


def better_floor(board: Board, cells: Sequence[Cell], *, alike: bool = False) -> Entry | None:
    """AFS with plug-in estimates and the floor that has the smaller mean gap on these; None if it was not run."""
    there = [entry for floor in FLOORS if was_run(board, cells, entry := (floor, PLUG_IN))]
    if not there:
        return None
    return min(there, key=lambda entry: sum(float(board.scores(c, entry, alike=alike).mean()) for c in cells))


def relative(
    board: Board, cells: Sequence[Cell], entry: Entry, *, alike: bool = False, one_floor: bool = False
) -> Ratio | None:
    """Mean gap of an entry over sets, divided by that of AFS + plug-in; None if either was not run.

    Parameters
    ----------
    board : Board
        The results.
    cells : sequence of (data set, k)
        What to average over: the gaps, not the ratios, are averaged.
    entry : (choice, estimate)
        Whom to judge.
    alike : bool, default False
        Whether gaps are divided by that of features chosen blindly before, so that every set counts alike.
    one_floor : bool, default False
        Whether AFS has the same floor on all sets, the one that is better on average, instead of its better floor
        on each set (and k), which is harder to beat.
    """
    common = better_floor(board, cells, alike=alike)
    if common is None or not was_run(board, cells, entry):
        return None
    mine = np.zeros(_RESAMPLES + 1)
    reference = np.zeros(_RESAMPLES + 1)
    for cell in cells:
        floor = common if one_floor else better_floor(board, [cell])
        assert floor is not None
        mine += _means(board, cell, entry, alike)
        reference += _means(board, cell, floor, alike)
    # Nothing to nothing is even; something to nothing is infinitely more, which quantiles must not subtract.
    ratios = np.where(mine > 0, np.inf, 1.0)
    np.divide(mine, reference, out=ratios, where=reference > 0)
    low, high = np.quantile(ratios[1:], [0.025, 0.975], method="inverted_cdf")
    return Ratio(float(ratios[0]), float(low), float(high))


def _means(board: Board, cell: Cell, entry: Entry, alike: bool) -> Floats:
    """Mean over runs of their mean gaps, and the same for runs drawn again with replacement.

    The draws of a choice are the same whatever the estimate and k: its runs are.
    """
    scores = board.scores(cell, entry, alike=alike)
    rng = np.random.default_rng(number_of([cell[0].name, entry[0]]))
    drawn = rng.integers(scores.size, size=(_RESAMPLES, scores.size))
    return np.concatenate([[scores.mean()], scores[drawn].mean(axis=1)])


def mean_curve(board: Board, cells: Sequence[Cell], entry: Entry, *, alike: bool = False) -> Floats | None:
    """Mean gap over sets and runs at the label counts that all sets have; None if it was not run on all."""
    if not was_run(board, cells, entry):
        return None
    size = len(common_counts(board, cells))
    curves = [board.gaps[s.name, k, *entry].mean[:size] / board.unit((s, k), alike) for s, k in cells]
    return np.asarray(np.mean(curves, axis=0))


def common_counts(board: Board, cells: Sequence[Cell]) -> tuple[int, ...]:
    """Label counts that were measured on all of these sets."""
    return min((board.settings.measured_of(source) for source, _ in cells), key=len)


def labels_needed(board: Board, cells: Sequence[Cell], entry: Entry, *, alike: bool = False) -> int | None:
    """First label count at which the mean gap is at most what AFS + plug-in (either floor) has at the last one.

    One more than the last count if it is never; None if AFS or the entry was not run.
    """
    curves = [c for f in FLOORS if (c := mean_curve(board, cells, (f, PLUG_IN), alike=alike)) is not None]
    mine = mean_curve(board, cells, entry, alike=alike)
    if not curves or mine is None:
        return None
    goal = min(float(curve[-1]) for curve in curves)
    reached = np.flatnonzero(mine <= goal + _ROUNDING)
    counts = common_counts(board, cells)
    return counts[reached[0]] if reached.size else counts[-1] + 1


def shown_labels(needed: int | None, last: int) -> str:
    """Write how many labels are needed.

    Examples
    --------
    >>> shown_labels(200, 500), shown_labels(501, 500), shown_labels(None, 500)
    ('200', '>500', '–')
    """
    if needed is None:
        return "–"
    return f">{last}" if needed > last else str(needed)
