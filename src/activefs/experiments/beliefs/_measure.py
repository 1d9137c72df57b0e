"""The work itself: what the estimate says at some label counts of a run, beside the truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from activefs.criteria import MutualInformation
from activefs.estimates import AssistedEstimates, BeliefConstants, ShownConnection
from activefs.runs import DELTA, GapMeter, LabelledPool, WorkItem, assistant_of, assisted_estimates, labelled_pool
from activefs.seeds import stream
from activefs.ties import smallest
from activefs.types import Floats, Int32s, Ints

BINS = 5
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class SaidAndTrue:
    """What was said and what is true; arrays of shape (ks, counts), those of bins (ks, counts, 5).

    Attributes
    ----------
    covered, width : array
        Share of the chosen features within their bounds, and mean distance of these.
    reported, true : array
        Mean reported and true mutual information of the chosen features.
    expected, gap : array
        Expected and true gap.
    features, said, among : array
        For features in bins of their probability to be among the best k: how many there are, the sum of the
        probabilities, and how many are among them.
    informative : array of shape (counts,)
        1 if the labels have shown a connection with the table, else 0.
    """

    covered: Floats
    width: Floats
    reported: Floats
    true: Floats
    expected: Floats
    gap: Floats
    features: Floats
    said: Floats
    among: Floats
    informative: Floats


def measure(
    item: WorkItem, ks: tuple[int, ...], counts: tuple[int, ...], rows: Int32s, constants: BeliefConstants
) -> SaidAndTrue:
    """Estimate from the first labels of a run, as many as each count says, and compare with the truth.

    Parameters
    ----------
    item : WorkItem
        The run.
    ks, counts : tuple of int
        Numbers of features chosen, label counts.
    rows : array of int
        Rows in the order of their labels.
    constants : BeliefConstants
        What the beliefs rest on.
    """
    whole = labelled_pool(item.source)
    assistant, _ = assistant_of(item.source, item.random_state)
    connection = ShownConnection(assistant, DELTA)
    single = {name: np.empty((len(ks), len(counts))) for name in _SINGLE}
    bins = {name: np.empty((len(ks), len(counts), BINS)) for name in ("features", "said", "among")}
    informative = np.empty(len(counts))
    for t, count in enumerate(counts):
        first = rows[:count].astype(np.int64)
        estimates = assisted_estimates(whole, connection, first, item.random_state, constants)
        informative[t] = estimates.informative
        for i, k in enumerate(ks):
            leaders = smallest(estimates.value, k, stream(item.random_state, 1, count))
            for name, number in _compare(estimates, leaders, whole).items():
                single[name][i, t] = number
            for name, numbers in _in_bins(estimates.probability(k), whole.truth, k).items():
                bins[name][i, t] = numbers
    return SaidAndTrue(**single, **bins, informative=informative)


_SINGLE = ("covered", "width", "reported", "true", "expected", "gap")


def _compare(estimates: AssistedEstimates, leaders: Ints, whole: LabelledPool) -> dict[str, float]:
    """Compare what is said of the chosen features with the truth."""
    truth = float(MutualInformation().value(np.bincount(whole.y) / whole.y.size)) - whole.truth[leaders]
    reported, lower, upper = estimates.scores(leaders)
    gap = GapMeter(whole.truth, (leaders.size,)).of(leaders)
    return {
        "covered": float(np.mean((lower <= truth + _ROUNDING) & (truth <= upper + _ROUNDING))),
        "width": float(np.mean(upper - lower)),
        "reported": float(reported.mean()),
        "true": float(truth.mean()),
        "expected": estimates.expected_gap(leaders),
        "gap": gap if gap > _ROUNDING else 0.0,
    }


def _in_bins(probability: Floats, truth: Floats, k: int) -> dict[str, Floats]:
    """Count features, probabilities and members of the true best k in bins of the probability.

    Features that are tied with the last of the best are among them, each in part.
    """
    border = np.partition(truth, k - 1)[k - 1]
    inside, tied = truth < border - _ROUNDING, np.abs(truth - border) <= _ROUNDING
    among = inside + tied * (k - inside.sum()) / tied.sum()
    number = np.minimum((probability * BINS).astype(np.int64), BINS - 1)
    return {
        name: np.bincount(number, weights, minlength=BINS).astype(np.float64)
        for name, weights in (("features", np.ones(truth.size)), ("said", probability), ("among", among))
    }
