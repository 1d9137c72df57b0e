"""What gives every row a score, from its codes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from activefs.types import Codes, Floats, Ints

_LOOK_UPS = 2_000_000


class RowScores(ABC):
    """Scores of rows as a function of their codes, computed wherever the rows are.

    A pool calls :meth:`prepare` once and then :meth:`score` block by block, in any order, by several threads; one on a
    cluster sends it to where the rows are, so that it must be possible to pickle it.

    Attributes
    ----------
    features : array of int
        Features whose codes are needed.
    logs : bool
        Whether scores are logarithms, of which costs are subtracted instead of dividing by them.
    key : str or None
        Names what it remembers of rows from one question to the next; None: nothing.
    """

    logs: ClassVar[bool] = False
    features: Ints
    key: str | None = None

    @property
    def worth_a_thread(self) -> int:
        """Rows from which on a thread of its own pays."""
        return _LOOK_UPS // max(1, self.features.size)

    def prepare(self, n_rows: int) -> None:  # noqa: B027 - most need not
        """Get ready to score so many rows.

        Parameters
        ----------
        n_rows : int
            Rows of the pool, or of the part of it that is scored here.
        """

    def follow(self, newer: RowScores) -> None:
        """Go on with what a later question wants, and keep what is remembered of rows; needed with a `key` only.

        Parameters
        ----------
        newer : RowScores
            The scores of the later question, with the same `key`.
        """
        raise NotImplementedError

    @abstractmethod
    def score(self, codes: Codes, features: Ints, at: int, start: int, stop: int, out: Floats) -> None:
        """Write the scores of the rows start..stop.

        Parameters
        ----------
        codes : array of codes, by feature
            Row ``start + i`` has ``codes[features[f], at + i]`` as the code of the f-th feature.
        features : array of int
            Where the features are in `codes`.
        at : int
            Where the first of the rows is in `codes`.
        start, stop : int
            Which rows of the pool.
        out : array of shape (stop - start,)
            Receives the scores.
        """
