"""The books of a session: which rows were asked, told, skipped, and in which order."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from activefs.types import Ints


class Ledger:
    """What happened to every row.

    Attributes
    ----------
    told : dict of int to int
        Labelled rows and their class numbers, in the order told.
    sums : list of float or None
        For each label, the sum of the best k estimates before it if it answered a question, else None.
    pending, skipped : dict
        Rows as keys, in the order in which they were asked or skipped.
    reopened : set of int
        Rows whose answer was taken back.
    free : array of bool
        Rows that are neither labelled, nor asked, nor skipped.

    Examples
    --------
    >>> ledger = Ledger(3)
    >>> ledger.asked(1)
    >>> ledger.label(1, 0, before=0.7)
    >>> ledger.free.tolist(), ledger.take_back()
    ([True, False, True], 1)
    """

    def __init__(self, n_rows: int) -> None:
        self.told: dict[int, int] = {}
        self.sums: list[float | None] = []
        self.pending: dict[int, None] = {}
        self.skipped: dict[int, None] = {}
        self.free = np.ones(n_rows, dtype=bool)
        self.reopened: set[int] = set()

    def rows(self) -> Ints:
        """Labelled rows, in the order told."""
        return np.fromiter(self.told, dtype=np.int64, count=len(self.told))

    def codes(self) -> Ints:
        """Their class numbers."""
        return np.fromiter(self.told.values(), dtype=np.int64, count=len(self.told))

    def answers_question(self, row: int) -> bool:
        """Whether a label of this row would answer a question, be it one that was answered wrongly before."""
        return row in self.pending or row in self.reopened

    def asked(self, row: int) -> None:
        """Note that a row was asked."""
        self.pending[row] = None
        self.free[row] = False

    def label(self, row: int, code: int, before: float | None) -> None:
        """Note the label of a row."""
        self.sums.append(before)
        self.pending.pop(row, None)
        self.skipped.pop(row, None)
        self.reopened.discard(row)
        self.told[row] = code
        self.free[row] = False

    def skip(self, row: int) -> None:
        """Note that a row cannot be labelled."""
        self.pending.pop(row, None)
        self.skipped[row] = None
        self.free[row] = False

    def set_open(self, pending: Iterable[int], skipped: Iterable[int]) -> None:
        """Note from outside which rows are asked and which are skipped, whatever they were before."""
        self.pending = dict.fromkeys(pending)
        self.skipped = dict.fromkeys(skipped)
        self.reopened.clear()
        self.free[:] = True
        self.free[[*self.told, *self.pending, *self.skipped]] = False

    def take_back(self) -> int:
        """Take the last label back; its row is free again."""
        row, _ = self.told.popitem()
        if self.sums.pop() is not None:
            self.reopened.add(row)
        self.free[row] = True
        return row
