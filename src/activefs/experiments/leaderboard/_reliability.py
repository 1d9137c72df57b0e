"""How well the assisted estimate knows what it does not know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import spearmanr

from activefs.experiments.leaderboard._board import Board
from activefs.runs import Source
from activefs.types import Floats


@dataclass(frozen=True)
class Reliability:
    """What bounds and expected gaps were worth on some data sets.

    Attributes
    ----------
    coverage : float
        Share of chosen features whose true mutual information lies within their bounds.
    correlation : float
        Spearman's rank correlation of expected and true gap over runs and label counts, for each k, mean over k;
        NaN if either never changes.
    expected, true : float
        Mean expected and mean true gap.
    informative : float
        Share of answers that come with the word that labels and table have to do with each other.
    """

    coverage: float
    correlation: float
    expected: float
    true: float
    informative: float


def reliability(board: Board, sources: Sequence[Source]) -> Reliability | None:
    """Sum up what "assisted" said about itself on these data sets; None if it was not run."""
    by_k: dict[int, list[Floats]] = {}
    for source, k in board.cells():
        if source in sources and (source.name, k) in board.reliability:
            by_k.setdefault(k, []).append(board.reliability[source.name, k].reshape(-1, 4))
    if not by_k:
        return None
    points = {k: np.concatenate(parts) for k, parts in by_k.items()}
    correlations = [rank_correlation(some[:, 1], some[:, 2]) for some in points.values()]
    known = [c for c in correlations if not np.isnan(c)]
    coverage, expected, true, informative = np.nanmean(np.concatenate(list(points.values())), axis=0)
    correlation = float(np.mean(known)) if known else float("nan")
    return Reliability(float(coverage), correlation, float(expected), float(true), float(informative))


def rank_correlation(a: Floats, b: Floats) -> float:
    """Spearman's rank correlation; NaN if one of them is constant.

    Examples
    --------
    >>> round(rank_correlation(np.array([1.0, 2.0, 3.0]), np.array([0.1, 0.2, 0.9])), 6)
    1.0
    """
    kept = np.isfinite(a) & np.isfinite(b)
    a, b = a[kept], b[kept]
    if a.size < 3 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return float("nan")
    return float(spearmanr(a, b).statistic)
