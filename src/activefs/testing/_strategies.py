"""What every strategy must do, whatever rows it prefers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np
from scipy import sparse
from scipy.stats import chisquare

from activefs._kernels import threads
from activefs.engine import Engine, Position, Told
from activefs.options import check_options
from activefs.pool import Pool
from activefs.session import Session
from activefs.strategies import Draw, Strategy
from activefs.testing._problems import RandomProblem, random_problem

_OFTEN = 600


class StrategyContract(ABC):
    """Checks of one strategy through sessions that use it.

    Subclass it in a test file and return a new strategy object from :meth:`create`.
    """

    @property
    def questions(self) -> int:
        """How many questions most checks ask: enough to differ, few enough for slow strategies."""
        # A model has a say after the eleventh label.
        return 14 if self.create().needs_assistant else 12

    @abstractmethod
    def create(self) -> Strategy:
        """Make a strategy object; called anew for every session."""

    def session(self, X: Any, k: int = 2, **params: Any) -> Session:
        """Start a session with the strategy that goes on after the choice is certified.

        Parameters
        ----------
        X : table
            The table.
        k : int, default 2
            Number of features wanted.
        **params
            Settings of the session.
        """
        settings: dict[str, Any] = {"random_state": 0, "when_certified": "continue", **params}
        return Session(X, k, strategy=self.create(), **settings)

    def run(self, session: Session, labels: Any, count: int) -> list[int]:
        """Answer so many questions, and return the rows asked.

        Parameters
        ----------
        session : Session
            What asks.
        labels : sequence
            Label of every row.
        count : int
            How many questions.
        """
        rows = []
        for _ in range(count):
            rows.append(session.ask())
            session.tell(rows[-1], labels[rows[-1]])
        return rows

    def rows_asked(self, X: Any, labels: Any, count: int | None = None, k: int = 2, **params: Any) -> list[int]:
        """Run a new session over so many questions, and return the rows asked.

        Parameters
        ----------
        X : table
            The table.
        labels : sequence
            Label of every row.
        count : int, optional
            How many questions; by default `questions`.
        k : int, default 2
            Number of features wanted.
        **params
            Settings of the session.
        """
        return self.run(self.session(X, k, **params), labels, count or self.questions)

    # --- which rows ---

    def test_asks_every_row_once(self) -> None:
        """Until no row is left, each question is about another row."""
        problem = random_problem(1, rows=24)
        session = self.session(problem.X)
        rows = self.run(session, problem.y, 24)
        assert sorted(rows) == list(range(24))
        assert session.finished

    def test_asks_neither_labelled_nor_skipped_nor_pending_rows(self) -> None:
        """Rows that are taken in any way are not asked."""
        problem = random_problem(2, rows=40)
        session = self.session(problem.X)
        session.tell(list(range(10)), problem.y[:10].tolist())
        for row in range(10, 20):
            session.skip(row)
        pending = session.ask(8).tolist()
        rest = self.run(session, problem.y, 12)
        assert sorted([*pending, *rest]) == list(range(20, 40))

    def test_batches_hold_different_rows(self) -> None:
        """ask(n) returns n rows, none of them twice."""
        problem = random_problem(3)
        rows = self.session(problem.X).ask(self.questions).tolist()
        assert len(rows) == len(set(rows)) == self.questions

    # --- the same again ---

    def test_same_seed_same_run(self) -> None:
        """Two sessions with one seed ask the same rows."""
        problem = random_problem(4)
        assert self.rows_asked(problem.X, problem.y) == self.rows_asked(problem.X, problem.y)

    def test_one_object_serves_sessions_in_turn(self) -> None:
        """What a strategy remembers of one session does not leak into another."""
        first, second = random_problem(5), random_problem(6, (4, 2, 2, 3))
        strategy = self.create()
        shared = [Session(p.X, 2, strategy=strategy, random_state=0) for p in (first, second)]
        rows: list[list[int]] = [[], []]
        for _ in range(8):
            for i, p in enumerate((first, second)):
                rows[i] += self.run(shared[i], p.y, 1)
        assert rows == [self.rows_asked(p.X, p.y, 8, when_certified="stop") for p in (first, second)]

    def test_threads_change_nothing(self) -> None:
        """One thread and two ask the same rows and judge features alike, however little work there is to share."""
        problem = random_problem(7, (3, 2, 5, 4) * 3, rows=200)
        found = []
        for n_jobs in (1, 2):
            with _everything_shared() as parts:
                session = self.session(problem.X, 5, n_jobs=n_jobs)
                rows = self.run(session, problem.y, self.questions)
                found.append((rows, session.leaders().tolist(), session.values().tolist()))
            assert not parts or max(parts) == n_jobs
        assert found[0] == found[1]

    def test_undo_leads_back(self) -> None:
        """After labels were taken back, the same questions are asked as before."""
        problem = random_problem(8)
        session = self.session(problem.X)
        self.run(session, problem.y, self.questions)
        forward = self.run(session, problem.y, 6)
        for row in reversed(forward):
            assert session.undo() == row
        assert self.run(session, problem.y, 6) == forward

    def test_replay_leads_here(self) -> None:
        """A new session that asks, and is told, the same goes on in the same way."""
        problem = random_problem(9)
        session = self.session(problem.X)
        rows = self.run(session, problem.y, self.questions)
        again = self.session(problem.X)
        for row in rows:
            assert again.ask() == row
            again.tell(row, problem.y[row])
        assert again.ask() == session.ask()

    # --- what it says about chance ---

    def test_rows_are_drawn_with_the_probabilities_that_are_said(self) -> None:
        """Asked in the same state with many random numbers, rows come up as often as their probabilities say."""
        problem = random_problem(16, rows=30)
        options = check_options({"k": 2, "strategy": self.create(), "random_state": 0, "when_certified": "continue"})
        engine = Engine(options, Pool.from_table(problem.X))
        position = Position(tuple(Told(row, int(problem.y[row]), True) for row in range(13)))
        state = engine.state(position)
        asked, said = np.zeros(30), np.zeros(30)
        for seed in range(_OFTEN):
            found = engine.strategy.ask(state, np.random.default_rng(seed))
            if not isinstance(found, Draw):
                continue
            p = found.of_all(state.open_rows)
            assert abs(p.sum() - 1.0) < 1e-6 and (p >= 0).all() and p[found.row] > 0 and not p[~state.available].any()
            asked[found.row] += 1
            said += p
        if asked.any():
            some = said > 0
            assert chisquare(asked[some], said[some] * (asked.sum() / said.sum())).pvalue > 1e-4

    # --- names do not matter ---

    def test_names_of_the_classes_do_not_matter(self) -> None:
        """Exchanging the two labels changes no question."""
        problem = random_problem(10)
        names = np.array(["ill", "healthy"])
        expected = self.rows_asked(problem.X, problem.y)
        assert self.rows_asked(problem.X, 1 - problem.y) == expected
        assert self.rows_asked(problem.X, names[problem.y]) == expected

    def test_names_of_the_values_do_not_matter(self) -> None:
        """Other names for the values of features change no question: in any order, or as numbers in the same one."""
        problem = random_problem(11)
        if self.create().reads_values:
            assert self.rows_asked(3 * problem.X**2 - 7, problem.y) == self.rows_asked(problem.X, problem.y)
            return
        renamed = np.empty(problem.X.shape, dtype=object)
        rng = np.random.default_rng(11)
        for j in range(problem.X.shape[1]):
            names = np.array([f"value {v}" for v in rng.permutation(int(problem.X[:, j].max()) + 1)], dtype=object)
            renamed[:, j] = names[problem.X[:, j]]
        assert self.rows_asked(renamed, problem.y) == self.rows_asked(problem.X, problem.y)

    def test_storage_of_the_table_does_not_matter(self) -> None:
        """Small and large integers, text, and a sparse matrix with the same content ask the same rows."""
        problem = random_problem(12)
        expected = self.rows_asked(problem.X, problem.y)
        tables: list[Any] = [problem.X.astype(np.uint8), sparse.csr_array(problem.X)]
        if not self.create().reads_values:
            tables.append(problem.X.astype(str))
        for same in tables:
            assert self.rows_asked(same, problem.y) == expected

    # --- corner cases ---

    def test_many_classes(self) -> None:
        """Classes may turn up one by one, or be named before."""
        problem = random_problem(13, (5, 2, 3, 4), classes=5)
        for classes in (None, range(5)):
            assert len(set(self.rows_asked(problem.X, problem.y, classes=classes))) == self.questions

    def test_all_features_wanted(self) -> None:
        """With k = d nothing is contested, and rows can be asked all the same."""
        problem = random_problem(14, (2, 3, 4))
        assert len(set(self.rows_asked(problem.X, problem.y, k=3))) == self.questions

    def test_labels_of_one_class(self) -> None:
        """Labels that never differ are no error."""
        problem = random_problem(15)
        assert len(set(self.rows_asked(problem.X, np.zeros(90, dtype=int)))) == self.questions

    def test_few_rows_and_one_feature(self) -> None:
        """The smallest table has two rows and one column."""
        problem = RandomProblem(np.array([[0], [1]]), np.array([0, 1]))
        assert sorted(self.rows_asked(problem.X, problem.y, 2, k=1)) == [0, 1]


@contextmanager
def _everything_shared() -> Iterator[list[int]]:
    """Divide all work among the threads, also what is too little to be worth it; gives the numbers of parts."""
    in_blocks = threads.in_blocks
    parts: list[int] = []

    def divided(work: Callable[[int, int], None], size: int, workers: int, smallest: int) -> None:
        parts.append(min(workers, size))
        in_blocks(work, size, workers, 1)

    with mock.patch.object(threads, "in_blocks", divided):
        yield parts
