"""Ask and tell: the loop in which a strategy chooses rows and somebody labels them."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from activefs import criteria, strategies
from activefs._kernels import threads
from activefs.criteria import Criterion
from activefs.engine import (
    AssistedAnswer,
    ClassList,
    Ledger,
    Purse,
    check_classes_fit,
    checked_assistant,
    checked_estimator,
    checked_gap,
    checked_k,
    checked_rule,
    make_selection,
)
from activefs.estimates import Estimates
from activefs.exceptions import (
    InvalidInputError,
    InvalidLabelError,
    NothingToAsk,
    NothingToUndo,
    OneClassWarning,
)
from activefs.model import Assistant
from activefs.pool import BinningOption, BinsOption, Missing, Pool, column_values
from activefs.redundancy import Contested, Rule, TopK, contested
from activefs.seeds import root_seed, stream
from activefs.strategies import Estimator, State, Strategy, check_positive
from activefs.types import Ints, Selection

WhenCertified = Literal["stop", "continue"]


class Session:
    """Choose rows to label, take the labels, and name the best k features at any time.

    Everything that a session answers is a function of its arguments, the seed and the labels told:
    telling the same labels again gives the same questions.

    Parameters
    ----------
    X : table or Pool
        One row per item, one column per feature: numpy array, pandas, polars or Arrow table, scipy
        sparse matrix. Integers, booleans and strings are used as they are, real values are binned.
    k : int
        Number of features wanted, at most the number of columns that vary.
    strategy : str or Strategy, default "afs"
        How rows are chosen; see ``activefs.strategies.available()``.
    budget : int or float, optional
        Labels in all, those included that were told without having been asked for; with `cost`, the sum
        of their costs. Without it the session goes on until the choice is certified or no row is left.
    delta : float, default 0.05
        Confidence parameter of the bounds.
    criterion : str or Criterion, default "mutual_information"
        Quality measure; see ``activefs.criteria.available()``.
    estimator : {"plug-in", "assisted"}, optional
        How features are judged: by the labelled rows alone, or by all rows, with a model that completes the
        labels. By default what suits the strategy. Any strategy goes with either.
    model : classifier, optional
        A scikit-learn classifier with `predict_proba`, not fitted, for the assisted estimate and for
        strategies that ask a model. The default needs no tuning; see docs/assisted.md.
    stop_when_gap_below : float, optional
        Stop as soon as the chosen features together are expected to lack less than this against the best
        ones (assisted estimate only; looked at whenever the model learns again).
    redundancy : str or Rule, default "none"
        How k features are made of single ones: "none" takes the k best, "mrmr", "jmi" and "cmim" avoid
        features that tell the same.
    cost : array or str, optional
        What the label of each row costs, or the name of the column that says so (which is then no
        feature). The score per cost decides, and the budget is a sum of costs.
    strategy_params : mapping, optional
        Parameters of the strategy given by name.
    classes : sequence, optional
        The possible labels. By default they turn up as labels are told.
    missing : {"error", "value"}, default "error"
        Whether missing values are an error or a value of their own.
    binning : {"kmeans", "quantile", "uniform"} or mapping, default "kmeans"
        How real-valued columns are binned; a mapping from column names to these, or to "none" for a
        column to be used as it is, overrides single columns (integers too).
    bins : int or mapping, default 10
        Number of bins, for all columns or by column name.
    ignore : sequence, optional
        Columns (names or positions) that are no features: ids, notes, dates.
    when_certified : {"stop", "continue"}, default "stop"
        Whether to stop once the top k is certified. If not, a strategy that has nothing left to
        contest chooses rows at random.
    random_state : int, Generator, RandomState or None, default None
        Seed of everything random. None: a new one each time.
    n_jobs : int, optional
        Threads; None is one, -1 all cores. The questions do not depend on it.
    assistant : Assistant, optional
        A model that was prepared for the same pool, instead of `model`: many sessions on one pool share it.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, size=(200, 6))
    >>> y = X[:, 4] ^ (rng.random(200) < 0.05)
    >>> session = Session(X, k=1, budget=40, random_state=0)
    >>> while not session.finished:
    ...     row = session.ask()
    ...     session.tell(row, y[row])
    >>> session.selection().features.tolist()
    [4]
    """

    def __init__(
        self,
        X: Any,
        k: int,
        *,
        strategy: str | Strategy = "afs",
        budget: float | None = None,
        delta: float = 0.05,
        criterion: str | Criterion = "mutual_information",
        estimator: Estimator | None = None,
        model: Any = None,
        stop_when_gap_below: float | None = None,
        redundancy: str | Rule = "none",
        cost: ArrayLike | str | None = None,
        strategy_params: Mapping[str, Any] | None = None,
        classes: Sequence[Any] | None = None,
        missing: Missing = "error",
        binning: BinningOption = "kmeans",
        bins: BinsOption = 10,
        ignore: Sequence[str | int] = (),
        when_certified: WhenCertified = "stop",
        random_state: Any = None,
        n_jobs: int | None = None,
        assistant: Assistant | None = None,
    ) -> None:
        check_positive("k", k)
        if isinstance(delta, bool) or not isinstance(delta, (float, int)) or not 0 < delta < 1:
            raise InvalidInputError(f"delta must lie strictly between 0 and 1, got {delta!r}")
        if when_certified not in ("stop", "continue"):
            raise InvalidInputError(f"when_certified must be 'stop' or 'continue', got {when_certified!r}")
        self.strategy = strategies.create(strategy, strategy_params)
        self.criterion = criteria.create(criterion)
        self.rule = checked_rule(redundancy, self.criterion)
        self.estimator: Estimator = checked_estimator(estimator, self.strategy.estimator)
        self.stop_when_gap_below = checked_gap(stop_when_gap_below, self.estimator)
        self._classes = ClassList(classes)
        if isinstance(cost, str):
            ignore = [*ignore, cost]
            cost = column_values(X, cost)
        self.pool = Pool.from_table(X, missing=missing, bins=bins, binning=binning, ignore=ignore)
        self.k = checked_k(int(k), self.pool)
        self._purse = Purse(budget, cost, self.pool.n_rows)
        self.budget = budget
        check_classes_fit(self._classes, self._purse)
        self.delta = float(delta)
        self.when_certified: WhenCertified = when_certified
        self._seed = root_seed(random_state)
        self._threads = threads.count(n_jobs)
        self._ledger = Ledger(self.pool.n_rows)
        self._contested: Contested | None = None  # of the labels so far, once it was asked for
        self._estimates = self._rebuilt()
        self._assistant = checked_assistant(assistant, model, self.pool, self.estimator, self.strategy, self._seed)
        self._assisted: AssistedAnswer | None = None
        if self.estimator == "assisted":
            assert self._assistant is not None
            self._assisted = AssistedAnswer(
                self._assistant, self.criterion, self.rule, self.k, delta=self.delta, seed=self._seed,
                n_threads=self._threads,
            )  # fmt: skip

    # --- what has happened so far ---

    @property
    def classes(self) -> tuple[Any, ...]:
        """The labels known so far, or the fixed list."""
        return self._classes.values

    @property
    def labelled(self) -> Ints:
        """Labelled rows, in the order in which they were told."""
        return self._ledger.rows()

    @property
    def labels(self) -> list[Any]:
        """Their labels."""
        values = self._classes.values
        return [values[code] for code in self._ledger.told.values()]

    @property
    def n_labels(self) -> int:
        """How many labels were told."""
        return len(self._ledger.told)

    @property
    def pending(self) -> tuple[int, ...]:
        """Rows asked and not yet answered."""
        return tuple(self._ledger.pending)

    @property
    def skipped(self) -> tuple[int, ...]:
        """Rows that cannot be labelled."""
        return tuple(self._ledger.skipped)

    @property
    def estimates(self) -> Estimates:
        """Counts, values and bounds of all features."""
        return self._estimates

    @property
    def assistant(self) -> Assistant | None:
        """The model that completes the table, if this session needs one."""
        return self._assistant

    @property
    def finished(self) -> bool:
        """Whether the top k is certified, the budget is used, or no row is left."""
        return self._why_finished() is not None

    @property
    def certified(self) -> bool:
        """Whether no other feature can belong to the best k, at confidence delta; never by the assisted estimate."""
        return self.estimator == "plug-in" and self._plug_in_contested().features.size == 0

    # --- the loop ---

    @overload
    def ask(self) -> int: ...
    @overload
    def ask(self, n: int) -> Ints: ...
    def ask(self, n: int | None = None) -> int | Ints:
        """Choose the next row to label, or n rows to be labelled side by side.

        Rows asked are pending until they are told or skipped; further questions take their coming
        labels into account. With `n`, an array comes back, shorter if fewer rows or labels are left.

        Raises
        ------
        NothingToAsk
            If there is no further question; the message says why.
        """
        check_positive("n", n, optional=True)
        wanted = 1 if n is None else int(n)
        rows: list[int] = []
        for _ in range(wanted):
            reason = self._why_finished() or self._why_wait()
            if reason is not None:
                if rows:
                    break
                raise NothingToAsk(reason)
            rows.append(self._next())
        return rows[0] if n is None else np.asarray(rows, dtype=np.int64)

    @overload
    def tell(self, row: int, label: Any) -> None: ...
    @overload
    def tell(self, row: ArrayLike, label: Sequence[Any] | NDArray[Any]) -> None: ...
    def tell(self, row: Any, label: Any) -> None:
        """Take the label of a row, or the labels of several rows (all or none).

        Rows that were never asked for are welcome: labels that exist already. Telling the same
        label again changes nothing.

        Raises
        ------
        InvalidInputError
            If the row does not exist; the session is unchanged.
        InvalidLabelError
            If the label is outside the classes or the row already has another label.
        """
        if isinstance(row, (list, tuple, range)) or len(getattr(row, "shape", ())) == 1:
            self._tell_many(list(row), label)
        else:
            self._tell_many([row], [label])

    def skip(self, row: int) -> None:
        """Set a row aside that cannot be labelled; it is not asked again."""
        at = self._checked_row(row)
        if at in self._ledger.told:
            raise InvalidInputError(f"row {at} has a label; take it back with undo() before skipping the row")
        self._ledger.skip(at)

    def undo(self) -> int:
        """Take the last label back and return its row.

        Raises
        ------
        NothingToUndo
            If there is no label.
        """
        if not self._ledger.told:
            raise NothingToUndo("there is no label to take back")
        row = self._ledger.take_back()
        self._contested = None
        self._classes.shrink(set(self._ledger.told.values()))
        if self._classes.count == self._estimates.n_classes:
            self._estimates.remove(row)
        else:
            self._estimates = self._rebuilt()
        return row

    # --- the answer ---

    def selection(self) -> Selection:
        """Name the k features that look best on all labels so far, best first."""
        self._warn_if_arbitrary()
        if self._assisted is not None:
            return self._assisted.selection(self._estimates)
        found = self._plug_in_contested()
        return make_selection(self._estimates, found.leaders, certified=found.features.size == 0)

    def contested(self) -> Contested:
        """Leaders, challengers, and the contested features (as numbers of the pool's features)."""
        if self._assisted is not None:
            return self._assisted.contested(self._estimates)
        return self._plug_in_contested()

    def leaders(self) -> Ints:
        """The k features that look best (as numbers of the pool's features), best first."""
        return self._plug_in_contested().leaders if self._assisted is None else self._assisted.leaders(self._estimates)

    def values(self) -> NDArray[np.float64]:
        """Estimated conditional impurity of every feature of the pool; smaller is better."""
        return self._estimates.value if self._assisted is None else self._assisted.estimates(self._estimates).value

    def bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lower and upper bounds of :meth:`values`."""
        if self._assisted is None:
            return self._estimates.lower, self._estimates.upper
        return self._assisted.estimates(self._estimates).bounds()

    # --- inside ---

    def _plug_in_contested(self) -> Contested:
        if self._contested is None:
            rng = stream(self._seed, 1, self.n_labels)
            self._contested = contested(self._estimates, self.k, self.rule, rng)
        return self._contested

    def _next(self) -> int:
        rng = stream(self._seed, 0, self.n_labels, len(self._ledger.pending), len(self._ledger.skipped))
        row = self.strategy.ask(self._state(), rng)
        self._ledger.asked(row)
        return row

    def _state(self) -> State:
        return State(
            pool=self.pool,
            estimates=self._estimates,
            k=self.k,
            labelled=self._ledger.rows(),
            pending=np.asarray(list(self._ledger.pending), dtype=np.int64),
            available=self._open(),
            history=[*(s for s in self._ledger.sums if s is not None), self._sum_of_best()],
            rule=self.rule,
            cost=self._purse.cost,
            threads=self._threads,
            shared=self._plug_in_contested,
            labels=self._ledger.codes(),
            assistant=self._assistant,
        )

    def _tell_many(self, rows: list[Any], labels: Any) -> None:
        if isinstance(labels, str) or not hasattr(labels, "__len__"):
            raise InvalidInputError(f"several rows need a list of labels, got {labels!r}")
        if len(rows) != len(labels):
            raise InvalidInputError(f"{len(rows)} rows but {len(labels)} labels")
        new: dict[int, Any] = {}
        values = self._classes.values
        for row, label in zip(rows, labels, strict=True):
            at, value = self._checked_row(row), self._classes.check(label)
            if at in self._ledger.told or at in new:
                known = new[at] if at in new else values[self._ledger.told[at]]
                if known != value:
                    raise InvalidLabelError(
                        f"row {at} already has the label {known!r}, now it is told {value!r}; "
                        "take the old label back with undo() first"
                    )
                continue
            new[at] = value
        self._classes.check_growth(new.values(), len(self._ledger.told))
        # Answers change the estimates one by one, as the safeguard counts them; labels that exist already all at once.
        one_by_one = len(new) == 1 or any(map(self._ledger.answers_question, new))
        for at, value in new.items():
            self._take(at, self._classes.code(value), refresh=one_by_one)
        if not one_by_one:
            self._estimates = self._rebuilt()

    def _take(self, row: int, code: int, *, refresh: bool) -> None:
        before = self._sum_of_best() if self._ledger.answers_question(row) else None
        self._ledger.label(row, code, before)
        self._contested = None
        if refresh and self._classes.count != self._estimates.n_classes:
            self._estimates = self._rebuilt()
        elif refresh:
            self._estimates.add(row, code)

    def _rebuilt(self) -> Estimates:
        estimates = Estimates(
            self.pool,
            self._classes.count,
            criterion=self.criterion,
            delta=self.delta,
            unseen=self.strategy.unseen,
        )
        if self._ledger.told:
            estimates.add_many(self._ledger.rows(), self._ledger.codes())
        return estimates

    def _sum_of_best(self) -> float:
        """Sum of the estimates of the leaders, by which the safeguard sees whether anything still changes."""
        if isinstance(self.rule, TopK):
            return float(np.partition(self._estimates.value, self.k - 1)[: self.k].sum())
        return float(self._estimates.value[self._plug_in_contested().leaders].sum())

    def _open(self) -> NDArray[np.bool_]:
        """Rows that may be asked and paid for."""
        affordable = self._purse.affordable(self._committed())
        return self._ledger.free if affordable is None else self._ledger.free & affordable

    def _committed(self) -> float:
        return self._purse.of([*self._ledger.told, *self._ledger.pending])

    def _checked_row(self, row: Any) -> int:
        try:
            at = -1 if isinstance(row, (bool, np.bool_)) else operator.index(row)
        except TypeError:
            at = -1
        if not 0 <= at < self.pool.n_rows:
            raise InvalidInputError(
                f"row must be a whole number from 0 to {self.pool.n_rows - 1}, got {row!r} ({type(row).__name__})"
            )
        return at

    def _why_finished(self) -> str | None:
        if self._purse.is_used(spent := self._purse.of(list(self._ledger.told))):
            return f"{self._purse} is used"
        if self.when_certified == "stop" and self.certified:
            return (
                f"the {self.k} best features are certified at confidence {1 - self.delta:g}: "
                "more labels are not expected to change them"
            )
        stop = self.stop_when_gap_below
        if stop is not None and self._assisted is not None and self._assisted.lacks_less_than(stop, self._estimates):
            return f"the {self.k} features are expected to lack less than {stop:g} against the best ones"
        if self._ledger.pending:
            return None
        if not self._ledger.free.any():
            return "no row is left: all are labelled" + (" or skipped" if self._ledger.skipped else "")
        if not self._open().any():
            return f"{self._purse} is used but for {self._purse.left(spent):g}, for which no row can be had"
        return None

    def _why_wait(self) -> str | None:
        waiting = f"{len(self._ledger.pending)} row{'s await' if len(self._ledger.pending) > 1 else ' awaits'} a label"
        if self._purse.is_used(self._committed()) or (self._ledger.free.any() and not self._open().any()):
            return f"{self._purse} is spoken for: {waiting}"
        if not self._ledger.free.any():
            return f"no further row is free: {waiting}"
        return None

    def _warn_if_arbitrary(self) -> None:
        if len(set(self._ledger.told.values())) < 2 and self.k < self.pool.n_features:
            what = "there is no label yet" if not self._ledger.told else "all labels so far are of one class"
            warnings.warn(f"{what}: the ranking of features is arbitrary", OneClassWarning, stacklevel=3)
        elif self._classes.fixed and len(used := set(self._ledger.told.values())) < self._classes.count:
            never = ", ".join(repr(c) for i, c in enumerate(self._classes.values) if i not in used)
            warnings.warn(
                f"no label of class {never} so far: the choice says nothing about it", UserWarning, stacklevel=3
            )
