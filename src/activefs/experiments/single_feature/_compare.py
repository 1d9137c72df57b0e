"""Our counts of wins beside the published ones: what is chance, and what explains the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from activefs.experiments.single_feature._measure import FEW, READINGS
from activefs.experiments.single_feature._published import published
from activefs.experiments.single_feature._run import Group, count_wins
from activefs.runs import half_width
from activefs.types import Bools, Floats, Ints

# Pairs of made-up repetitions of a whole set of experiments; and the level of the test: of 216
# numbers, about two differ at this level by chance alone.
_PAIRS = 400
_LEVEL = 0.01


@dataclass(frozen=True)
class Compared:
    """Counts under one reading beside the published ones.

    Attributes
    ----------
    ours, theirs : array of int, shape (budgets, policies, 2)
        Numbers of (clear wins, wins).
    differs : array of bool, same shape
        Whether the difference is larger than what two runs of the same program differ by.
    noise : float
        Sum over all cells of the absolute difference between two such runs, on average.
    """

    ours: Ints
    theirs: Ints
    differs: Bools
    noise: float


def compare(group: Group, confidence: float | None = None, reading: str = "outside") -> Compared:
    """Compare the wins of a set of experiments with the published ones."""
    ours = group.counts(reading, confidence)
    theirs = published(group.experiments[0].group)
    gaps = _gaps(group, confidence or group.definition.confidence, reading)
    low, high = np.quantile(gaps, [_LEVEL / 2, 1 - _LEVEL / 2], axis=0)
    off = theirs - ours
    # One win more or less is one feature at the border: never taken for more than chance.
    differs = ((off < low) | (off > high)) & (np.abs(off) > 1)
    return Compared(ours, theirs, differs, float(np.abs(gaps).sum(axis=(1, 2, 3)).mean()))


def _gaps(group: Group, confidence: float, reading: str) -> Ints:
    """Differences between the counts of pairs of independent runs, one line per pair.

    Averages are redrawn from their joint normal distribution. The published uniform q are not
    known, so in that set the features are redrawn too, among ours with the same number of values.
    """
    at = READINGS.index(reading)
    rng = np.random.default_rng(group.settings.seed)
    repetitions = group.settings.repetitions
    width = half_width(group.measured.sd[:, at], repetitions, confidence)
    root = _square_root(group.measured.covariance[:, at] / repetitions)
    sizes = np.array([len(e.p) for e in group.experiments])

    def redraw() -> Ints:
        noise = rng.standard_normal(width.shape)
        mean = group.measured.mean[:, at] + np.einsum("ebij,ebj->ebi", root, noise)
        low, high = mean - width, mean + width
        if group.experiments[0].group == "uniform":
            pick = np.concatenate([rng.choice(np.flatnonzero(sizes == s), (sizes == s).sum()) for s in set(sizes)])
            low, high = low[pick], high[pick]
        return count_wins(low, high)

    return np.stack([redraw() - redraw() for _ in range(_PAIRS)])


def _square_root(covariance: Floats) -> Floats:
    """Symmetric root; policies that decide alike make the matrix singular, which a Cholesky factor dislikes."""
    values, vectors = np.linalg.eigh(np.nan_to_num(covariance))
    scaled = vectors * np.sqrt(np.maximum(values, 0.0))[..., None, :]
    return np.asarray(scaled @ np.swapaxes(vectors, -1, -2))


def distance(group: Group, reading: str, confidence: float, few: bool = False) -> int:
    """Sum of the absolute differences from the published numbers, over all cells of the table."""
    at = READINGS.index(reading)
    mean = group.measured.few_mean[:, at] if few else group.measured.mean[:, at]
    sd = group.measured.few_sd[:, at] if few else group.measured.sd[:, at]
    width = half_width(sd, FEW if few else group.settings.repetitions, confidence)
    ours = count_wins(mean - width, mean + width)
    return int(np.abs(ours - published(group.experiments[0].group)).sum())
