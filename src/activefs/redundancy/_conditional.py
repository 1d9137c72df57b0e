"""H(Y | X_f, X_s): what two features together leave open, from labelled triples."""

from __future__ import annotations

from typing import Any

import numpy as np

from activefs._kernels.information import conditional_entropies, conditional_entropies_of_weights, list_exceptions
from activefs._kernels.logs import MOST_LOGS, count_logs
from activefs.estimates import Estimates
from activefs.model import one_hot
from activefs.pool import Pool
from activefs.types import Floats, Int32s, Ints

_MAX_CELLS = 64_000_000  # of pair tables, kept at a time


class PairEntropies:
    """Conditional entropies of the label given two features.

    Pairs of values weigh as in the pool; within a pair the class shares are those of its labelled rows, where one whose
    label is not settled counts with its class probabilities.
    A pair of values that was never labelled is as uncertain as a value that was never labelled. What was
    counted in the pool is kept from one set of labels to the next: call :meth:`update` in between.
    """

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._log_table = count_logs(min(pool.n_rows, MOST_LOGS))
        self._tables: dict[int, Int32s] = {}
        self._wide_from = max(65_536, 16 * pool.n_rows)

    def update(self, estimates: Estimates) -> None:
        """Look at these labels from now on."""
        self._estimates = estimates
        self._rows, labels = estimates.labelled()
        self._uncertain = labels.ndim > 1
        self._labels: Any = labels
        self._start = np.empty(self.pool.n_features + 1, dtype=np.int64)
        self._listed = np.empty(self.pool.n_features * self._rows.size, dtype=np.int64)
        self._codes = self.pool.codes_of(self._rows)
        list_exceptions(self._codes, self.pool.modes, self._start, self._listed)

    def given(self, features: Ints, partner: int) -> Floats:
        """H(Y | X_f, X_partner) for each of the features."""
        pool, estimates = self.pool, self._estimates
        sizes = pool.cardinalities * pool.cardinalities[partner]
        narrow = sizes[features] <= self._wide_from
        some, found = features[narrow], np.empty(int(narrow.sum()))
        kept = np.where(sizes <= self._wide_from, sizes, 0)
        offsets = np.cumsum(kept) - kept
        room, table = int(sizes[some].max(initial=0)), self._table(partner, kept, offsets)
        if self._uncertain:  # some labels are not settled
            conditional_entropies_of_weights(
                self._codes, pool.cardinalities, partner, some, offsets[some], table, pool.n_rows, self._labels,
                estimates.unseen_value, np.zeros(room * (estimates.n_classes + 1)), found,
            )  # fmt: skip
        else:
            conditional_entropies(
                self._codes, pool.cardinalities, pool.modes, self._log_table, partner, some, offsets[some],
                table, pool.n_rows, self._labels, self._start, self._listed, estimates.n_classes,
                estimates.unseen_value, np.zeros(room * estimates.n_classes, dtype=np.int64), found,
            )  # fmt: skip
        out = np.empty(features.size)
        out[narrow] = found
        for p in np.flatnonzero(~narrow):
            out[p] = self._wide(int(features[p]), partner)
        return out

    def _table(self, partner: int, sizes: Ints, offsets: Ints) -> Int32s:
        """Pool counts of the partner with every feature whose table is not too large."""
        table = self._tables.get(partner)
        if table is None:
            if sum(t.size for t in self._tables.values()) + sizes.sum() > _MAX_CELLS:
                self._tables.clear()
            table = self._tables[partner] = np.zeros(int(sizes.sum()), dtype=np.int32)
            first = np.flatnonzero(sizes)
            self.pool.count_pairs(first, np.full(first.size, partner, dtype=np.int64), offsets[first], table)
        return table

    def _wide(self, feature: int, partner: int) -> float:
        """The same through the pairs of values that occur, for features of very many values."""
        pool, estimates = self.pool, self._estimates
        keys, weight = pool.occurring_pairs(feature, partner)
        key = self._codes[feature].astype(np.int64) * int(pool.cardinalities[partner]) + self._codes[partner]
        entry = np.searchsorted(keys, key)
        counts = np.zeros((weight.size, estimates.n_classes))
        np.add.at(counts, entry, one_hot(self._labels, estimates.n_classes))
        n = np.bincount(entry, minlength=weight.size)
        value = estimates.criterion.value(counts / np.maximum(n, 1)[:, None])
        return float(weight @ np.where(n > 0, value, estimates.unseen_value) / pool.n_rows)
