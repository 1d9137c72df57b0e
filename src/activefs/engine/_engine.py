"""From options, pool and position to the next question, or to the answer."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from activefs import criteria, redundancy, strategies
from activefs._kernels import threads
from activefs.engine._assisted import AssistedAnswer, checked_assistant
from activefs.engine._budget import Budget
from activefs.engine._checks import check_classes_fit, check_gap, check_k, check_rule
from activefs.engine._curve import CurveSource
from activefs.engine._held_out import held_out_rows
from activefs.engine._labels import LabelState
from activefs.engine._position import Next, Position
from activefs.engine._ranges import classes_from
from activefs.engine._selection import make_selection
from activefs.model import Assistant
from activefs.options import Options
from activefs.pool import Pool
from activefs.redundancy import Contested
from activefs.rendering import words_for
from activefs.seeds import root_seed, stream
from activefs.selection import Selection
from activefs.strategies import State
from activefs.types import Bools, Estimator, Floats, Ints

NO_LABEL = "there is no label yet"


class Engine:
    """Answers for any position of a session; what it answers is a function of its arguments alone.

    Between two calls it remembers the position of the last one, and does only what leads from there to the next. It
    may be asked for positions in any order. One thread at a time may use it.

    Parameters
    ----------
    options : Options
        Checked settings, such as :func:`activefs.options.check_options` returns.
    pool : Pool
        The table.
    cost : array, optional
        What the label of each row costs.
    assistant : Assistant, optional
        A model that was prepared for the same pool.

    Examples
    --------
    >>> from activefs.options import check_options
    >>> pool = Pool.from_table(np.random.default_rng(0).integers(0, 3, size=(50, 4)))
    >>> engine = Engine(check_options({"k": 1, "strategy": "afs", "random_state": 0}), pool)
    >>> first = engine.next(Position())
    >>> first == engine.next(Position()) and first.row is not None
    True
    """

    def __init__(
        self,
        options: Options,
        pool: Pool,
        *,
        cost: ArrayLike | None = None,
        assistant: Assistant | None = None,
    ) -> None:
        self.options = options
        self.pool = pool
        self.k = options["k"]
        self.strategy = strategies.create(options["strategy"], options["strategy_params"])
        self.criterion = criteria.create(options["criterion"])
        self.rule = redundancy.create(options["redundancy"])
        check_rule(self.rule, self.criterion)
        self.estimator: Estimator = options["estimator"] or self.strategy.estimator
        check_gap(options["stop_when_gap_below"], self.estimator)
        check_k(self.k, pool)
        self.budget = Budget(options["budget"], cost, pool.n_rows)
        self.seed = root_seed(options["random_state"])
        self._threads = threads.count(options["n_jobs"])
        classes = classes_from(options)
        check_classes_fit(classes, self.budget)
        self._labelled = LabelState(
            pool, classes, self.criterion, self.rule, self.k,
            delta=options["delta"], unseen=self.strategy.unseen, seed=self.seed,
        )  # fmt: skip
        self.assistant = checked_assistant(assistant, options["model"], pool, self.estimator, self.strategy, self.seed)
        self._assisted: AssistedAnswer | None = None
        if self.estimator == "assisted":
            assert self.assistant is not None
            self._assisted = AssistedAnswer(
                self.assistant, self.criterion, self.rule, self.k,
                delta=options["delta"], seed=self.seed, n_threads=self._threads,
            )  # fmt: skip

    # --- the next question ---

    def next(self, position: Position) -> Next:
        """Choose the next row, or say why there is none."""
        if (reason := self.why_finished(position)) is not None:
            return Next(None, reason, finished=True)
        if (reason := self._why_wait(position)) is not None:
            return Next(None, reason)
        rng = stream(self.seed, 0, len(position.told), len(position.pending), len(position.skipped))
        drawn = self.strategy.ask(self.state(position), rng)
        return Next(drawn if isinstance(drawn, int) else drawn.row)

    def state(self, position: Position) -> State:
        """Gather what a strategy may know when it chooses the next row."""
        here = self._labelled.at(position)
        return State(
            pool=self.pool,
            estimates=here.estimates,
            k=self.k,
            labelled=here.rows(),
            pending=np.asarray(position.pending, dtype=np.int64),
            available=self._open(position).copy(),
            history=[*here.sums, here.sum_of_best()],
            rule=self.rule,
            cost=self.budget.cost,
            threads=self._threads,
            shared=here.contested,
            labels=here.codes(),
            assistant=self.assistant,
        )

    def why_finished(self, position: Position) -> str | None:
        """Say why there is nothing left to ask; None if there is."""
        if (enough := self.why_enough(position)) is not None or position.pending:
            return enough
        if not self._labelled.at(position).free.any():
            return "no row is left: all are labelled" + (" or skipped" if position.skipped else "")
        if not self._open(position).any():
            left = self.budget.left(self._spent(position))
            return f"{self.budget} is used but for {left:g}, for which no row can be had"
        return None

    def why_enough(self, position: Position) -> str | None:
        """Say why the labels are enough, whatever is pending; None if they are not."""
        if self.budget.is_used(self._spent(position)):
            return f"{self.budget} is used"
        if self.options["when_certified"] == "stop" and self.certified(position):
            return (
                f"the {self.k} best features are certified at confidence {1 - self.options['delta']:g}: "
                "more labels are not expected to change them"
            )
        stop = self.options["stop_when_gap_below"]
        if stop is None or self._assisted is None:
            return None
        if self._assisted.lacks_less_than(stop, self._labelled.at(position).estimates):
            less = f"{stop:g} {words_for(self.criterion.name).unit}".rstrip()
            return f"the {self.k} features are expected to lack less than {less} against the best ones"
        return None

    # --- the answer ---

    def selection(self, position: Position) -> Selection:
        """Describe the k features that look best, best first."""
        here = self._labelled.at(position)
        if self._assisted is None:
            found = here.contested()
            made = make_selection(here.estimates, found.leaders, certified=found.features.size == 0)
        else:
            check = self._assisted.check(here.estimates, held_out_rows(position, self.pool.n_rows))
            made = replace(self._assisted.selection(here.estimates), model_check=check)
        made = replace(made, arbitrary=self.why_arbitrary(position))
        return replace(made, curve_source=partial(self._curve_source(position, made).of, made))

    def contested(self, position: Position) -> Contested:
        """Find leaders, challengers, and the contested features (as numbers of the pool's features)."""
        here = self._labelled.at(position)
        return here.contested() if self._assisted is None else self._assisted.contested(here.estimates)

    def leaders(self, position: Position) -> Ints:
        """Find the k features that look best (as numbers of the pool's features), best first."""
        here = self._labelled.at(position)
        return here.contested().leaders if self._assisted is None else self._assisted.leaders(here.estimates)

    def values(self, position: Position) -> Floats:
        """Estimate the conditional impurity of every feature of the pool; smaller is better."""
        estimates = self._labelled.at(position).estimates
        return (estimates if self._assisted is None else self._assisted.estimates(estimates)).value.copy()

    def bounds(self, position: Position) -> tuple[Floats, Floats]:
        """Give lower and upper bounds of :meth:`values`."""
        estimates = self._labelled.at(position).estimates
        if self._assisted is None:
            return estimates.lower.copy(), estimates.upper.copy()
        lower, upper = self._assisted.estimates(estimates).bounds()
        return lower.copy(), upper.copy()

    def certified(self, position: Position) -> bool:
        """Whether no other feature can belong to the best k, at confidence delta; never by the assisted estimate."""
        return self.estimator == "plug-in" and self._labelled.at(position).contested().features.size == 0

    def caution(self, position: Position) -> str:
        """Say why the choice means little so far; nothing if it does mean something."""
        if self.k < self.pool.n_features and (why := self.why_arbitrary(position)):
            return f"{why}: the ranking of features is arbitrary"
        return ""

    def why_arbitrary(self, position: Position) -> str:
        """Say why any order of features would be arbitrary; nothing if it would not."""
        here = self._labelled.at(position)
        used = np.unique(here.codes())
        if used.size >= 2:
            return ""
        return f"all labels so far are of one class ({here.classes.values[used[0]]!r})" if used.size else NO_LABEL

    def expected_gap(self, position: Position) -> float | None:
        """Say how much quality the chosen features are expected to lack; None if nothing expects that."""
        estimates = self._labelled.at(position).estimates
        return None if self._assisted is None else self._assisted.expected_gap(estimates)

    def labelled(self, position: Position) -> LabelState:
        """Give the estimates and the classes at a position; valid until another one is asked for."""
        return self._labelled.at(position)

    # --- inside ---

    def _curve_source(self, position: Position, made: Selection) -> CurveSource:
        here, assisted = self._labelled.at(position), self._assisted
        return CurveSource(
            pool=self.pool,
            criterion=self.criterion,
            rule=copy(self.rule),  # it may remember things, and somebody else may be using it by then
            k=self.k,
            delta=self.options["delta"],
            unseen=self.strategy.unseen,
            seed=self.seed,
            assistant=None if assisted is None else self.assistant,
            rows=here.rows(),
            labels=here.codes(),
            n_classes=here.estimates.n_classes,
            leaders=np.searchsorted(self.pool.columns, made.features),  # choosing again may take a while
            losses=self.values(position),
            left_out=None if assisted is None else assisted.estimates(here.estimates).left_out,
            held_out=held_out_rows(position, self.pool.n_rows),
        )

    def _open(self, position: Position) -> Bools:
        """Rows that may be asked and paid for."""
        free = self._labelled.at(position).free
        affordable = self.budget.affordable(self._committed(position))
        return free if affordable is None else np.asarray(free & affordable)

    def _spent(self, position: Position, pending: tuple[int, ...] = ()) -> float:
        # Without prices nobody needs to look at every row: there may be thousands, and each question asks this.
        if self.budget.cost is None:
            return float(len(position.told) + len(pending))
        return self.budget.of([*position.rows, *pending])

    def _committed(self, position: Position) -> float:
        return self._spent(position, position.pending)

    def _why_wait(self, position: Position) -> str | None:
        free = self._labelled.at(position).free
        waiting = f"{len(position.pending)} row{'s await' if len(position.pending) > 1 else ' awaits'} a label"
        if self.budget.is_used(self._committed(position)) or (free.any() and not self._open(position).any()):
            return f"{self.budget} is spoken for: {waiting}"
        if not free.any():
            return f"no further row is free: {waiting}"
        return None
