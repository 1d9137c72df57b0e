"""From runs to the figures of a table, and of all tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from activefs.experiments.beliefs._measure import BINS, SaidAndTrue
from activefs.experiments.leaderboard import rank_correlation
from activefs.types import Floats

BIAS_AT = (50, 100, 200)


@dataclass(frozen=True, eq=False)
class TableBeliefs:
    """What was said about one data set, over runs, k and label counts.

    Attributes
    ----------
    name : str
        The data set.
    runs : int
        How many.
    coverage, spread : float
        Share of chosen features within their bounds, and the standard deviation of that share between runs.
    width : float
        Mean width of the bounds, in nats.
    bias : dict of int to tuple of float
        Label count: mean reported and mean true mutual information of the chosen features.
    expected, gap : float
        Mean expected and true gap.
    by_count : dict of int to tuple of float
        Label count: share of chosen features within their bounds, expected and true gap.
    correlation, by_labels, attainable : float
        Rank correlation of both over runs and label counts, mean over k; that of the true gap with the number of
        labels (fewer first); and the largest that numbers without ties could have. NaN if the gap never changes.
    bins : array of shape (3, 5)
        Features, sum of probabilities, and members of the true best k in five bins.
    flickers : int
        Runs in which the labels were said to show a connection, and later not to.
    """

    name: str
    runs: int
    coverage: float
    spread: float
    width: float
    bias: dict[int, tuple[float, float]]
    expected: float
    gap: float
    by_count: dict[int, tuple[float, float, float]]
    correlation: float
    by_labels: float
    attainable: float
    bins: Floats
    flickers: int

    @classmethod
    def of(cls, name: str, counts: Sequence[int], found: Sequence[SaidAndTrue]) -> TableBeliefs:
        """Sum up the runs of a data set."""
        covered, expected, gap = (
            np.stack([getattr(m, what) for m in found]) for what in ("covered", "expected", "gap")
        )
        by_run = covered.mean(axis=(1, 2))
        at = {n: list(counts).index(n) for n in BIAS_AT if n in counts}
        bias = {
            n: (float(np.mean([m.reported[:, t] for m in found])), float(np.mean([m.true[:, t] for m in found])))
            for n, t in at.items()
        }
        fewer = np.broadcast_to(-np.asarray(counts, dtype=np.float64), gap[:, 0].shape)
        ks = range(gap.shape[1])
        return cls(
            name=name,
            runs=len(found),
            coverage=float(by_run.mean()),
            spread=float(by_run.std(ddof=1)) if len(found) > 1 else 0.0,
            width=float(np.mean([m.width for m in found])),
            bias=bias,
            expected=float(expected.mean()),
            gap=float(gap.mean()),
            by_count={
                n: (float(covered[..., t].mean()), float(expected[..., t].mean()), float(gap[..., t].mean()))
                for t, n in enumerate(counts)
            },
            correlation=_mean([rank_correlation(expected[:, i].ravel(), gap[:, i].ravel()) for i in ks]),
            by_labels=_mean([rank_correlation(fewer.ravel(), gap[:, i].ravel()) for i in ks]),
            attainable=_mean([attainable_correlation(gap[:, i].ravel()) for i in ks]),
            bins=np.stack([sum_bins(found, what) for what in ("features", "said", "among")]),
            flickers=sum(bool((np.diff(m.informative) < 0).any()) for m in found),
        )

    @property
    def ratio(self) -> float:
        """Expected gap divided by the true one; NaN if there is none."""
        return self.expected / self.gap if self.gap > 0 else float("nan")


def sum_bins(found: Sequence[SaidAndTrue], what: str) -> Floats:
    """Add up the bins of all runs, k and label counts."""
    return np.asarray(np.sum([getattr(m, what).reshape(-1, BINS).sum(axis=0) for m in found], axis=0))


def relative_bias(summaries: Sequence[TableBeliefs], n: int) -> tuple[float, float, int]:
    """Return (reported - true) / true at n labels: of the means over tables, its mean over tables, their number."""
    pairs = np.array([s.bias[n] for s in summaries if n in s.bias])
    together = pairs.mean(axis=0)
    return float(together[0] / together[1] - 1.0), float(np.mean(pairs[:, 0] / pairs[:, 1] - 1.0)), len(pairs)


def gap_ratio(summaries: Sequence[TableBeliefs]) -> float:
    """Return the mean expected gap divided by the mean true gap; NaN if there is none."""
    expected, gap = sum(s.expected for s in summaries), sum(s.gap for s in summaries)
    return expected / gap if gap > 0 else float("nan")


def attainable_correlation(numbers: Floats) -> float:
    """Return the largest Spearman correlation that others without ties can have with these; NaN if all are the same.

    Whatever tells equal ones apart loses by it: with t of m tied it is sqrt(1 - sum(t^3 - t) / (m^3 - m)).

    Examples
    --------
    >>> round(attainable_correlation(np.array([0.0, 0.0, 0.0, 0.5])), 3)
    0.775
    """
    _, tied = np.unique(numbers, return_counts=True)
    m = numbers.size
    return float(np.sqrt(1.0 - (tied**3 - tied).sum() / (m**3 - m))) if tied.size > 1 else float("nan")


def mean_correlations(summaries: Sequence[TableBeliefs]) -> tuple[float, float, float, int]:
    """Return mean rank correlations (expected gap, labels, attainable) within a table, and how many have one."""
    known = [s for s in summaries if not np.isnan(s.correlation)]
    columns = ([s.correlation for s in known], [s.by_labels for s in known], [s.attainable for s in known])
    return _mean(columns[0]), _mean(columns[1]), _mean(columns[2]), len(known)


def _mean(numbers: Sequence[float]) -> float:
    """Return the mean of those that are numbers; NaN if none is."""
    known = [number for number in numbers if not np.isnan(number)]
    return float(np.mean(known)) if known else float("nan")


def bin_shares(summaries: Sequence[TableBeliefs]) -> Floats:
    """Return features, mean probability and share of members in each bin."""
    features, said, among = np.sum([s.bins for s in summaries], axis=0)
    n = np.maximum(features, 1.0)
    return np.stack([features, said / n, among / n])
