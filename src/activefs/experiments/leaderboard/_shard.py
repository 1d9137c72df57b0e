"""The work itself: label a table, then let the assisted estimate judge the same labels."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from activefs.criteria import MutualInformation
from activefs.estimates import AssistedEstimates, ShownConnection
from activefs.experiments.leaderboard._choices import CHOSEN, PLUG_IN
from activefs.experiments.leaderboard._items import Estimation, EstimationResult, Labelling, LabellingResult
from activefs.runs import (
    DELTA,
    GapMeter,
    LabelledPool,
    Source,
    assistant_of,
    assisted_estimates,
    blind_gap,
    labelled_pool,
    run_session,
)
from activefs.seeds import stream
from activefs.ties import smallest
from activefs.types import Int32s, Ints

_ROUNDING = 1e-9


@dataclass(frozen=True)
class LeaderboardShard:
    """One run of one choice on one data set: what of it is missing.

    Attributes
    ----------
    items : tuple of Labelling and Estimation
        What is computed: labels, estimates, or both in this order.
    known : array of int, optional
        Rows in the order of their labels, if they were chosen before.
    """

    items: tuple[Labelling | Estimation, ...]
    known: Int32s | None = None

    @property
    def source(self) -> Source:
        """The data set."""
        return self.items[0].item.source

    @property
    def weight(self) -> float:
        """About how long it takes, in microseconds."""
        return sum(_weight(item) for item in self.items)

    def run(self) -> list[LabellingResult | EstimationResult]:
        """Compute the items, in their order."""
        results: list[LabellingResult | EstimationResult] = []
        rows = self.known
        for wanted in self.items:
            if isinstance(wanted, Labelling):
                labelled = _label(wanted)
                rows = labelled.rows
                results.append(labelled)
            else:
                assert rows is not None, "there are no labels to estimate from"
                results.append(_estimate(wanted, rows))
        return results


def _label(wanted: Labelling) -> LabellingResult:
    item, whole = wanted.item, labelled_pool(wanted.item.source)
    strategy = item.line.create(item.random_state)
    options: dict[str, Any] = {"k": item.ks[0], "budget": item.budget, "strategy": strategy, "estimator": PLUG_IN}
    if item.line.needs_assistant:
        options["assistant"] = assistant_of(item.source, item.random_state)[0]
    started = time.process_time()
    _, result = run_session(whole, options, item.random_state, ks=item.ks)
    assert result.seconds is not None and result.processor is not None
    spent = time.process_time() - started
    blind = np.array([blind_gap(whole.truth, k) for k in item.ks])
    return LabellingResult(result.rows, result.gaps, result.seconds, result.processor, blind, spent)


def _estimate(wanted: Estimation, rows: Int32s) -> EstimationResult:
    """Estimate from the first labels, as many as each count says.

    This comes after all labels: an estimate in between would do work ahead for the next question and make it look
    faster than it is.
    """
    item, whole = wanted.item, labelled_pool(wanted.item.source)
    assistant, preparing = assistant_of(item.source, item.random_state)
    begun = time.process_time()
    shape = (len(item.ks), len(wanted.counts))
    gaps, expected, covered = np.full(shape, np.nan), np.full(shape, np.nan), np.full(shape, np.nan)
    informative, seconds = np.full(shape[1], np.nan), np.empty(shape[1])
    meters = [GapMeter(whole.truth, (k,)) for k in item.ks]
    connection = ShownConnection(assistant, DELTA)
    for t, count in enumerate(wanted.counts):
        first = rows[:count].astype(np.int64)
        started = time.process_time()
        estimates = assisted_estimates(whole, connection, first, item.random_state)
        seconds[t] = time.process_time() - started
        leaders = [smallest(estimates.value, k, stream(item.random_state, 1, count)) for k in item.ks]
        lacking = np.array([meter.of(some) for meter, some in zip(meters, leaders, strict=True)])
        gaps[:, t] = np.where(lacking > _ROUNDING, lacking, 0.0)
        if item.line.name == CHOSEN:  # bounds cost much more than the estimate: only for whom they are published
            informative[t] = estimates.informative
            expected[:, t] = [estimates.expected_gap(some) for some in leaders]
            covered[:, t] = [_coverage(estimates, some, whole) for some in leaders]
    spent = time.process_time() - begun
    return EstimationResult(gaps, expected, covered, informative, seconds, preparing, spent)


def _coverage(estimates: AssistedEstimates, features: Ints, whole: LabelledPool) -> float:
    """Share of features whose true mutual information lies within the bounds."""
    shares = np.bincount(whole.y) / whole.y.size
    truth = float(MutualInformation().value(shares)) - whole.truth[features]
    _, lower, upper = estimates.scores(features)
    return float(np.mean((lower <= truth + _ROUNDING) & (truth <= upper + _ROUNDING)))


def _weight(wanted: Labelling | Estimation) -> float:
    """Microseconds, measured roughly."""
    item = wanted.item
    rows, features, line = item.source.rows, item.source.features, item.line
    per_fit = 1.3e5 + 4.0 * min(rows, 20_000) + 30.0 * features
    if isinstance(wanted, Estimation):
        return per_fit * len(wanted.counts) * (1.5 if line.name == CHOSEN else 1.0)
    per_label = 200.0 + 0.03 * features
    if line.needs_assistant:
        per_label += 0.1 * per_fit + 0.1 * rows
    elif line.is_afs:
        wide = 2 * item.ks[0]
        per_label += 1000.0 + 8e-4 * rows * wide * (wide - 1) / 2
    elif line.strategy != "random":
        per_label += 300.0 + 3e-5 * rows * features
    return item.budget * per_label
