"""Sums of single-feature scores, for the ablations that have no pair term."""

from __future__ import annotations

from activefs._kernels.pairs import score_cells
from activefs.pool import RowScores
from activefs.strategies._base import State
from activefs.strategies._single_scores import CellScores, single_feature_scores
from activefs.types import Codes, Floats, Ints


class CellSums(RowScores):
    """The sum over some features of a_j(x_j).

    Parameters
    ----------
    features : array of int
        The features.
    cells : CellScores
        a_j(v) of their values.
    """

    def __init__(self, features: Ints, cells: CellScores) -> None:
        self.features, self._cells = features, cells

    def score(self, codes: Codes, features: Ints, at: int, start: int, stop: int, out: Floats) -> None:
        """Add up the scores of the values of rows."""
        score_cells(codes, features, self._cells.offsets, self._cells.values, at, at + stop - start, out)


def sum_of_scores(state: State, features: Ints) -> CellSums:
    """Sum over the features of a_j(x_j), for every row."""
    return CellSums(features, single_feature_scores(state, features))
