"""How many features are needed: features chosen without some labels, and tried on these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from activefs.criteria import Criterion
from activefs.estimates import AssistedEstimates, Estimates
from activefs.model import Assistant, ColumnsModel, expected_log, rates_left_out, seen_classes
from activefs.outlook import FEWEST_ROWS, Curve, HeldOut, connection, curve_from, no_curve
from activefs.pool import Pool
from activefs.redundancy import Rule
from activefs.seeds import stream
from activefs.selection import Selection
from activefs.types import Bools, Floats, Ints, Targets

_FOLDS, _FOLDS_OF_MANY, _MANY = 5, 3, 200
"""In how many parts labels are left out while features are chosen, and from how many labels on in fewer."""
_ROWS_LOOKED_AT = 1000


@dataclass(frozen=True, eq=False)
class CurveSource:
    """All that a curve is computed from, as it was when its selection was made; called, it computes the curve.

    Attributes
    ----------
    pool, criterion, rule, k, delta, unseen, seed
        As in the session.
    assistant : Assistant or None
        The model, if features are judged by it.
    rows, labels, n_classes
        Labelled rows, their class numbers (or class probabilities), and how many classes there are.
    leaders : array of int
        The chosen features, as numbers of the pool's.
    losses : array of float
        The estimates that they were chosen by.
    left_out : array or None
        What the model says of the labelled rows, each without its own label.
    held_out : HeldOut
        The rows that features are tried on.
    """

    pool: Pool
    criterion: Criterion
    rule: Rule
    k: int
    delta: float
    unseen: float
    seed: int
    assistant: Assistant | None
    rows: Ints
    labels: Targets
    n_classes: int
    leaders: Ints
    losses: Floats
    left_out: Floats | None
    held_out: HeldOut

    def of(self, selection: Selection) -> Curve:
        """Compute what 1 to 2k features tell, in the order in which the session's rule chooses them."""
        every, pool = selection.all_features, self.pool
        assert every is not None
        order = self._order()
        note = connection(self.rows.size, True, selection.arbitrary)
        if not note and self.held_out.places.size < FEWEST_ROWS:
            note = f"too few labels to say: {self.held_out.what}, and {FEWEST_ROWS} are needed"
        return Curve(
            features=pool.columns[order],
            names=tuple(pool.names[j] for j in order),
            k=self.k,
            criterion=self.criterion.name,
            alone=every.scores[order],
            alone_lower=every.lower[order],
            alone_upper=every.upper[order],
            rows=self.held_out.what,
            note=note,
            **(no_curve(order.size) if note else self._together(order)),
        )

    def _order(self) -> Ints:
        """Find up to k more features, after the chosen ones."""
        n_wanted = min(2 * self.k, self.pool.n_features)
        estimates = self._estimates(np.arange(self.rows.size))
        further = self.rule.choose(estimates, n_wanted, stream(self.seed, 1, self.rows.size), losses=self.losses)
        return np.concatenate([self.leaders, further[~np.isin(further, self.leaders)]])[:n_wanted]

    def _together(self, order: Ints) -> dict[str, Any]:
        model = ColumnsModel(self.pool, self.rows, self.labels, self.n_classes)
        rates, places = rates_left_out(self.labels, self.n_classes), self.held_out.places
        own = self.labels[places]

        def gains(left_out: Floats) -> Floats:
            return expected_log(left_out[places], own) - expected_log(rates[places], own)

        everything = {"a small model of all columns": gains(model.left_out_of_all())}
        if self.left_out is not None:
            everything["the session's model"] = gains(self.left_out)
        chosen = list(self._chosen_without(order))
        tried = []
        for m in range(1, order.size + 1):
            told = gains(model.left_out(order[:m]))
            others = np.stack([gains(model.left_out(features[:m])) for _, features in chosen])
            tried.append(told - _flattered(others, np.stack([np.isin(places, part) for part, _ in chosen])))
        return curve_from(tried, everything, self.held_out, 1.0 - self.delta)

    def _chosen_without(self, order: Ints) -> Iterator[tuple[Ints, Ints]]:
        """Yield parts of the labels, and which features are chosen without them.

        Features that were chosen by a label tell this label well by chance; with many features and few labels that
        is most of what they seem to tell.
        """
        size = self.rows.size
        folds = _FOLDS if size <= _MANY else _FOLDS_OF_MANY
        fold = stream(self.seed, 3, size).permutation(np.arange(size) % folds)
        rough = None if self.assistant is None else self.assistant.rough(self.rows, self.labels, self.n_classes)
        for f in range(folds):
            part, others = np.flatnonzero(fold == f), np.flatnonzero(fold != f)
            if seen_classes(self.labels[others]).size < 2:
                yield part, order
                continue
            estimates, losses = self._estimates(others), None
            if rough is not None:
                completion = rough.complete(others, _ROWS_LOOKED_AT)
                losses = AssistedEstimates(self.pool, completion, self.criterion, seed=self.seed).value
            yield part, self.rule.choose(estimates, order.size, stream(self.seed, 1, others.size), losses=losses)

    def _estimates(self, some: Ints) -> Estimates:
        made = Estimates(self.pool, self.n_classes, criterion=self.criterion, delta=self.delta, unseen=self.unseen)
        if some.size:
            made.add_many(self.rows[some], self.labels[some])
        return made


def _flattered(gains: Floats, unknown: Bools) -> Floats:
    """By how much each label is told better by features that were chosen with it than by those chosen without it.

    Parameters
    ----------
    gains, unknown : arrays of shape (folds, n)
        What features chosen without a part of the labels tell of each label, and whether it is in this part.
    """
    without = np.where(unknown, gains, 0.0).sum(axis=0) / unknown.sum(axis=0)
    return np.asarray(np.where(unknown, 0.0, gains).sum(axis=0) / (~unknown).sum(axis=0) - without)
