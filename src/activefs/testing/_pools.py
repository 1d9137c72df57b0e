"""What every pool must answer, wherever its codes are."""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from activefs import strategies
from activefs.pool import DensePool, OpenRows, Pool, RowScores
from activefs.session import Session
from activefs.testing._problems import RandomProblem, random_problem
from activefs.types import Codes, Floats, Ints

_EVERY = (2, 3, 4, 5, 6, 7, 2, 3)
_MOSTLY_ONE_VALUE = {2: 0.99, 4: 0.9, 6: 0.95, 7: 0.87}
"""Share of the rows that have the same value, for some columns: a pool may keep these in another way."""


def _problem(seed: int, rows: int = 300) -> RandomProblem:
    problem = random_problem(seed, _EVERY, rows=rows)
    X, rng = problem.X.copy(), np.random.default_rng(seed)
    for j, share in _MOSTLY_ONE_VALUE.items():
        same = rng.random(rows) < share
        same[: _EVERY[j]] = False  # every value occurs
        X[: _EVERY[j], j] = np.arange(_EVERY[j])
        X[same, j] = seed % _EVERY[j]
    return RandomProblem(X, problem.y)


class Affine(RowScores):
    """A score that is easy to check: the sum of codes times weights, rounded so that many rows tie."""

    def __init__(self, features: Ints, weights: Ints) -> None:
        self.features, self._weights = features, weights

    def score(self, codes: Codes, features: Ints, at: int, start: int, stop: int, out: Floats) -> None:
        """Multiply and add up."""
        out[:] = self._weights @ codes[features, at : at + stop - start].astype(np.int64)


class PoolContract(ABC):
    """Checks of one kind of pool against plain numpy, and against the matrix in memory.

    Subclass it in a test file and make a pool of its kind in :meth:`pool_of`.
    """

    @abstractmethod
    def pool_of(self, X: Any) -> Pool:
        """Make a pool of a table of small whole numbers, whose codes are these numbers' ranks in their columns.

        Parameters
        ----------
        X : array of int
            The table.
        """

    def both(self, seed: int) -> tuple[Pool, Codes]:
        """Make a pool, and the same codes as a plain matrix.

        Parameters
        ----------
        seed : int
            Of the table.
        """
        X = _problem(seed).X
        codes = np.stack([np.unique(column, return_inverse=True)[1] for column in X.T])
        return self.pool_of(X), codes

    # --- what it is ---

    def test_it_says_what_the_matrix_in_memory_says(self) -> None:
        """Names, values, counts, shares, modes and the fingerprint do not depend on where the codes are."""
        X = _problem(1).X
        pool, dense = self.pool_of(X), DensePool.from_table(X)
        assert (pool.n_rows, pool.n_features, pool.n_columns) == (300, len(_EVERY), len(_EVERY))
        assert pool.names == dense.names and pool.encodings == dense.encodings and pool.left_out == dense.left_out
        for name in ("offsets", "cardinalities", "value_counts", "shares", "modes", "columns", "marks"):
            np.testing.assert_array_equal(getattr(pool, name), getattr(dense, name))
        assert pool.fingerprint == dense.fingerprint and pool.has_fingerprint(dense.fingerprint)

    def test_the_fingerprint_notices_a_single_cell(self) -> None:
        """Another value in the last row, or two rows exchanged, is another pool."""
        X = _problem(2, rows=120).X
        changed, exchanged = X.copy(), X.copy()
        changed[-1, 0] = 1 - changed[-1, 0]
        exchanged[[3, 4]] = exchanged[[4, 3]]
        assert (X[3] != X[4]).any()
        assert len({self.pool_of(table).fingerprint for table in (X, changed, exchanged)}) == 3

    # --- codes of rows ---

    def test_codes_of_rows_in_any_order(self) -> None:
        """Rows may come in any order, repeatedly, one alone, all, or none; of all features or of some."""
        pool, codes = self.both(3)
        rng = np.random.default_rng(3)
        for rows in (np.array([7]), np.arange(300), rng.integers(0, 300, 50), rng.permutation(300), np.array([299, 0])):
            np.testing.assert_array_equal(pool.codes_of(rows), codes[:, rows])
            some = rng.permutation(pool.n_features)[:3]
            np.testing.assert_array_equal(pool.codes_of(rows, some), codes[some][:, rows])
        assert pool.codes_of(np.empty(0, dtype=np.int64)).shape == (pool.n_features, 0)
        np.testing.assert_array_equal(pool.codes, codes)
        np.testing.assert_array_equal(pool.cells_of(5), pool.offsets[:-1] + codes[:, 5])

    def test_the_last_feature_can_be_left_away(self) -> None:
        """What is left says of itself what a pool says that never had it, and answers alike."""
        X = _problem(11).X
        pool, expected = self.pool_of(X).without_last(), self.pool_of(X[:, :-1])
        assert pool.kind == expected.kind and pool.fingerprint == expected.fingerprint
        assert (pool.n_features, pool.n_columns, pool.names) == (len(_EVERY) - 1, len(_EVERY) - 1, expected.names)
        for name in ("offsets", "value_counts", "modes", "columns", "marks", "codes"):
            np.testing.assert_array_equal(getattr(pool, name), getattr(expected, name))
        rows, some = np.array([299, 3, 3, 17]), np.array([2, 0])
        np.testing.assert_array_equal(pool.codes_of(rows), expected.codes_of(rows))
        np.testing.assert_array_equal(pool.codes_of(rows[:1], some), expected.codes_of(rows[:1], some))
        scores = Affine(np.arange(pool.n_features), np.arange(pool.n_features) % 3)
        np.testing.assert_array_equal(pool.scores_of_all(scores), expected.scores_of_all(scores))
        asked = [p.best_row(scores, OpenRows(300, [5]), lambda ties: ties - 1) for p in (pool, expected)]
        assert asked[0] == asked[1]
        np.testing.assert_array_equal(pool.cells_of(asked[0]), expected.cells_of(asked[0]))

    def test_sums_over_cells(self) -> None:
        """Amounts of rows add up in the cells of their values."""
        pool, codes = self.both(4)
        rng = np.random.default_rng(4)
        rows, amounts = rng.integers(0, 300, 40), rng.integers(0, 9, size=(40, 2)).astype(np.float64)
        expected = np.zeros((int(pool.offsets[-1]), 2))
        for row, amount in zip(rows, amounts, strict=True):
            expected[pool.offsets[:-1] + codes[:, row]] += amount
        np.testing.assert_array_equal(pool.sum_cells(rows, amounts), expected)

    # --- pairs ---

    def test_counts_of_pairs(self) -> None:
        """Every pair of features, in either order, over all rows, on one thread or more."""
        pool, codes = self.both(5)
        first, second = (side.ravel() for side in np.indices((pool.n_features, pool.n_features)))
        first, second = first[first != second], second[first != second]
        sizes = pool.cardinalities[first] * pool.cardinalities[second]
        offset = np.cumsum(sizes) - sizes
        expected = np.concatenate(
            [
                np.bincount(codes[j] * pool.cardinalities[r] + codes[r], minlength=size)
                for j, r, size in zip(first, second, sizes, strict=True)
            ]
        )
        for workers in (1, 2):
            counts = np.zeros(int(sizes.sum()), dtype=np.int32)
            pool.count_pairs(first, second, offset, counts, workers)
            np.testing.assert_array_equal(counts, expected)

    def test_pairs_that_occur(self) -> None:
        """The keys ascend, and the counts are those of the pairs."""
        pool, codes = self.both(6)
        keys, counts = pool.occurring_pairs(5, 2)
        expected = np.unique(codes[5] * pool.cardinalities[2] + codes[2], return_counts=True)
        np.testing.assert_array_equal(keys, expected[0])
        np.testing.assert_array_equal(counts, expected[1])

    # --- the best rows ---

    def test_best_rows_with_ties_costs_and_taken_rows(self) -> None:
        """Of the open rows with the largest score per cost, any one can be chosen, in ascending order."""
        pool, codes = self.both(7)
        rng = np.random.default_rng(7)
        features, weights = np.array([6, 0, 3]), np.array([1, 1, 0])
        scores = (weights @ codes[features]).astype(np.float64)
        np.testing.assert_array_equal(pool.scores_of_all(Affine(features, weights)), scores)
        cost = rng.choice([0.5, 1.0, 3.0], size=300)
        for taken, affordable, prices in (
            ([], None, None),
            (rng.permutation(300)[:200], None, None),
            (rng.permutation(300)[:20], rng.random(300) < 0.5, cost),
            (np.flatnonzero(scores == scores.max()), None, None),
        ):
            open_rows = OpenRows(300, taken, affordable)
            gains = np.where(open_rows.mask, scores if prices is None else scores / prices, -np.inf)
            expected = np.flatnonzero(gains == gains.max())
            for i in (0, expected.size // 2, expected.size - 1):
                counted: list[int] = []
                found = pool.best_row(
                    Affine(features, weights),
                    open_rows,
                    lambda ties, i=i, counted=counted: counted.append(ties) or i,  # type: ignore[misc]
                    cost=prices,
                    workers=1 + i % 2,
                )
                assert (found, counted) == (expected[i], [expected.size])

    # --- the same questions ---

    def test_strategies_ask_the_same_rows_as_of_a_matrix_in_memory(self) -> None:
        """To the row, under the same seed, also with pending, skipped and corrected rows."""
        problem = _problem(8, rows=250)
        pool, dense = self.pool_of(problem.X), DensePool.from_table(problem.X)
        for name in strategies.available():
            asked = [_rows_asked(each, problem.y, name) for each in (pool, dense)]
            assert asked[0] == asked[1], name

    def test_answers_are_the_same(self) -> None:
        """With every rule, to the last digit but for the order of additions."""
        problem = _problem(9, rows=250)
        pool, dense = self.pool_of(problem.X), DensePool.from_table(problem.X)
        for redundancy in ("none", "mrmr", "jmi", "cmim"):
            found = [_answer(each, problem.y, redundancy) for each in (pool, dense)]
            np.testing.assert_allclose(found[0][0], found[1][0], atol=1e-9)
            np.testing.assert_array_equal(found[0][1], found[1][1])

    def test_wide_pairs_ask_the_same_rows(self) -> None:
        """Features of so many values that their pairs are stored by those that occur."""
        problem = random_problem(10, (2, 90, 80, 3), rows=400)
        pool, dense = self.pool_of(problem.X), DensePool.from_table(problem.X, binning="none")
        for psi in ("l1", "l2", "linf"):
            asked = [_rows_asked(each, problem.y, "afs", psi=psi) for each in (pool, dense)]
            assert asked[0] == asked[1]

    # --- elsewhere ---

    def test_a_pickled_pool_is_the_same_pool(self) -> None:
        """Sessions are sent to other processes with their pool."""
        pool, codes = self.both(11)
        again = pickle.loads(pickle.dumps(pool))
        assert again.fingerprint == pool.fingerprint
        np.testing.assert_array_equal(again.codes_of(np.arange(0, 300, 7)), codes[:, ::7])


def _rows_asked(pool: Pool, labels: Ints, strategy: str, **params: Any) -> list[int]:
    session = Session(pool, 2, strategy=strategy, strategy_params=params, random_state=3, when_certified="continue")
    asked: list[int] = []
    for i in range(16):
        row, other = session.ask(), session.ask()  # one is pending while the other is asked
        asked += [row, other]
        session.tell(row, labels[row])
        if i % 5 == 4:
            session.skip(other)
        else:
            session.tell(other, labels[other])
    session.correct(asked[0], 1 - labels[asked[0]])
    session.undo()
    return [*asked, session.ask()]


def _answer(pool: Pool, labels: Ints, redundancy: str) -> tuple[Floats, Ints]:
    session = Session(pool, 3, redundancy=redundancy, random_state=0)
    rows = np.random.default_rng(0).permutation(pool.n_rows)[:40]
    session.tell(rows, labels[rows].tolist())
    lower, upper = session.guaranteed_bounds()
    return np.concatenate([session.values(), lower, upper]), session.selection().features
