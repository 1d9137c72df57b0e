"""The work itself: label a table, then let the assisted estimate judge the same labels."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from activefs.criteria import MutualInformation
from activefs.estimates import AssistedEstimates
from activefs.experiments.leaderboard._choices import CHOSEN, asks_model
from activefs.experiments.leaderboard._pieces import Estimated, Estimating, Labelled, Labelling
from activefs.runs import Curve, Problem, Source, assistant_of, problem, run_session
from activefs.seeds import stream
from activefs.ties import smallest

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Trial:
    """One run of one choice on one data set: what of it is missing.

    Attributes
    ----------
    pieces : tuple of Labelling and Estimating
        What is computed: labels, estimates, or both in this order.
    known : array of int, optional
        Rows in the order of their labels, if they were chosen before.
    """

    pieces: tuple[Labelling | Estimating, ...]
    known: NDArray[np.int32] | None = None

    @property
    def source(self) -> Source:
        """The data set."""
        return self.pieces[0].piece.source

    @property
    def weight(self) -> float:
        """About how long it takes, in microseconds."""
        return sum(_weight(piece) for piece in self.pieces)

    def run(self) -> list[Labelled | Estimated]:
        """Compute the pieces, in their order."""
        results: list[Labelled | Estimated] = []
        rows = self.known
        for wanted in self.pieces:
            if isinstance(wanted, Labelling):
                labelled = _label(wanted)
                rows = labelled.rows
                results.append(labelled)
            else:
                assert rows is not None, "there are no labels to estimate from"
                results.append(_estimate(wanted, rows))
        return results


def _label(wanted: Labelling) -> Labelled:
    piece = wanted.piece
    assistant = assistant_of(piece.source)[0] if asks_model(piece.line) else None
    started = time.process_time()
    _, result = run_session(
        problem(piece.source),
        piece.line.create(piece.random_state),
        piece.ks,
        piece.budget,
        piece.random_state,
        assistant=assistant,
    )
    assert result.seconds is not None and result.processor is not None
    spent = time.process_time() - started
    return Labelled(result.rows, result.gaps, result.seconds, result.processor, spent)


def _estimate(wanted: Estimating, rows: NDArray[np.int32]) -> Estimated:
    """Estimate from the first labels, as many as each count says.

    This comes after all labels: an estimate in between would do work ahead for the next question and make it look
    faster than it is.
    """
    piece, whole = wanted.piece, problem(wanted.piece.source)
    assistant, preparing = assistant_of(piece.source)
    begun = time.process_time()
    shape = (len(piece.ks), len(wanted.counts))
    gaps, expected, covered = np.full(shape, np.nan), np.full(shape, np.nan), np.full(shape, np.nan)
    informative, seconds = np.full(shape[1], np.nan), np.empty(shape[1])
    curves = [Curve(whole.truth, (k,), 0) for k in piece.ks]
    for t, count in enumerate(wanted.counts):
        first = rows[:count].astype(np.int64)
        started = time.process_time()
        completion = assistant.complete(first, whole.y[first], int(whole.y.max()) + 1)
        estimates = AssistedEstimates(whole.pool, completion, MutualInformation(), seed=piece.random_state)
        seconds[t] = time.process_time() - started
        leaders = [smallest(estimates.value, k, stream(piece.random_state, 1, count)) for k in piece.ks]
        lacking = np.array([curve.of(some)[0] for curve, some in zip(curves, leaders, strict=True)])
        gaps[:, t] = np.where(lacking > _ROUNDING, lacking, 0.0)
        if piece.line.name == CHOSEN:  # bounds cost much more than the estimate: only for whom they are published
            informative[t] = estimates.informative
            expected[:, t] = [estimates.expected_gap(some) for some in leaders]
            covered[:, t] = [_coverage(estimates, some, whole) for some in leaders]
    spent = time.process_time() - begun
    return Estimated(gaps, expected, covered, informative, seconds, preparing, spent)


def _coverage(estimates: AssistedEstimates, features: NDArray[np.int64], whole: Problem) -> float:
    """Share of features whose true mutual information lies within the bounds."""
    shares = np.bincount(whole.y) / whole.y.size
    truth = float(MutualInformation().value(shares)) - whole.truth[features]
    _, lower, upper = estimates.scores(features)
    return float(np.mean((lower <= truth + _ROUNDING) & (truth <= upper + _ROUNDING)))


def _weight(wanted: Labelling | Estimating) -> float:
    """Microseconds, measured roughly."""
    piece = wanted.piece
    rows, features, line = piece.source.rows, piece.source.features, piece.line
    per_fit = 1.5e5 + 8.0 * min(rows, 20_000) + 30.0 * features
    if isinstance(wanted, Estimating):
        return per_fit * len(wanted.counts) * (3.0 if line.name == CHOSEN else 1.0)
    per_label = 200.0 + 0.03 * features
    if asks_model(line):
        per_label += 0.1 * per_fit + 0.1 * rows
    elif line.is_afs:
        wide = 2 * piece.ks[0]
        per_label += 300.0 + 8e-4 * rows * wide * (wide - 1) / 2
    elif line.strategy != "random":
        per_label += 300.0 + 3e-5 * rows * features
    return piece.budget * per_label
