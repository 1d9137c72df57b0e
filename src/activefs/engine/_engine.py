"""From options, pool and position to the next question, or to the answer."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from activefs import criteria, redundancy, strategies
from activefs._kernels import threads
from activefs.engine._assisted import AssistedAnswer, checked_assistant
from activefs.engine._budget import Budget
from activefs.engine._certain import few_possibilities
from activefs.engine._checks import check_classes_fit, check_gap, check_guaranteed_gap, check_k, check_rule
from activefs.engine._curve import CurveSource
from activefs.engine._draws import checked_draw
from activefs.engine._guarantee import Guarantee
from activefs.engine._held_out import held_out_rows
from activefs.engine._labels import History, LabelState
from activefs.engine._moves import DrawProbability, UsedStreams
from activefs.engine._position import Next, Position, Told
from activefs.engine._ranges import classes_from
from activefs.engine._selection import make_selection
from activefs.model import Assistant, Completion, last_refit, learnt_for
from activefs.options import Options
from activefs.pool import OpenRows, Pool
from activefs.redundancy import Contested, TopK
from activefs.rendering import words_for
from activefs.seeds import root_seed, stream
from activefs.selection import Selection
from activefs.strategies import State
from activefs.types import Estimator, Floats, Ints, Targets

NO_LABEL = "there is no label yet"
_EXPECTED = 64
"""Labels that are prepared for, at least."""


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
        check_guaranteed_gap(options["stop_when_guaranteed_gap_below"], self.rule)
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
        self._guarantee = Guarantee(
            pool, self.criterion, self.rule, self.k,
            delta=options["delta"], assistant=self.assistant, n_threads=self._threads,
        )  # fmt: skip
        self._used = UsedStreams()
        self._enough: tuple[Position, str | None] | None = None
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
        numbers = len(position.told), len(position.pending), len(position.skipped)
        state = self.state(position)
        found = self.strategy.ask(state, stream(self.seed, 0, *numbers))
        row, probability, smallest = checked_draw(found, self.strategy, state.open_rows)
        # A draw in which an open row had no chance, because it cannot be paid for or the strategy gave it none, teaches
        # nothing about such rows: it counts as a choice. So does one that chance had decided before.
        every_row = state.open_rows.count == self._labelled.at(position).free.count
        if not every_row or smallest == 0.0 or self._used.include(numbers, position.moves):
            return Next(row)
        return Next(row, chance=DrawProbability(probability, smallest, numbers))

    def lesson(
        self, position: Position, n_labels: int, apart: Callable[[Ints, Targets, int], Completion | None] | None = None
    ) -> Callable[[], None]:
        """Give what prepares for later questions: lets the model, if there is one, learn from the first labels.

        It may be called while another thread uses the engine. `apart` learns elsewhere, or gives None if it cannot.
        """
        here = self._labelled.at(position)
        estimates, rows, targets, n_classes = here.estimates, here.rows(), here.targets(), here.estimates.n_classes
        known, labels, assistant = rows[:n_labels], targets[:n_labels], self.assistant

        def learn() -> None:
            estimates.expect(rows.size + max(_EXPECTED, rows.size // 4))
            if assistant is None or not self.strategy.needs_assistant or n_labels == 0:
                return
            if apart is not None and not assistant.knows(known, labels, n_classes):
                learnt = apart(known, labels, n_classes)
                if learnt is not None:
                    assistant.accept(known, labels, learnt)
            assistant.complete(known, labels, n_classes)

        return learn

    def learnt_at(self, position: Position) -> tuple[Told, ...]:
        """Say from which labels the model has learnt that chooses the next row."""
        if self.assistant is None or not self.strategy.needs_assistant:
            return ()
        return position.told[: learnt_for(len(position.told), position.together)]

    def state(self, position: Position) -> State:
        """Gather what a strategy may know when it chooses the next row."""
        here = self._labelled.at(position)
        return State(
            pool=self.pool,
            estimates=here.estimates,
            k=self.k,
            labelled=here.rows(),
            pending=np.asarray(position.pending, dtype=np.int64),
            open_rows=self._open(position),
            history=History(here),
            rule=self.rule,
            cost=self.budget.cost,
            threads=self._threads,
            shared=here.contested,
            labels=here.codes(),
            targets=here.targets(),
            assistant=self.assistant,
            together=position.together,
        )

    def why_finished(self, position: Position) -> str | None:
        """Say why there is nothing left to ask; None if there is."""
        if (enough := self.why_enough(position)) is not None or position.pending:
            return enough
        if self._labelled.at(position).free.count == 0:
            return "no row is left: all are labelled" + (" or skipped" if position.skipped else "")
        if self._open(position).count == 0:
            left = self.budget.left(self._spent(position))
            return f"{self.budget} is used but for {left:g}, for which no row can be had"
        return None

    def why_enough(self, position: Position) -> str | None:
        """Say why the labels are enough, whatever is pending; None if they are not."""
        if self._enough is None or self._enough[0] is not position:
            self._enough = position, self._why_enough(position)  # whoever asks a question has looked before
        return self._enough[1]

    def _why_enough(self, position: Position) -> str | None:
        if self.budget.is_used(self._spent(position)):
            return f"{self.budget} is used"
        they = "the feature is" if self.k == 1 else f"the {self.k} features are"
        if self.options["when_certified"] == "stop":
            if self._is_looked_at(position) and self.certified(position):
                return (
                    f"{they} certified to be the best, with probability "
                    f"{1 - self.options['delta']:g} or more: further labels are not needed"
                )
            if self.strategy.stops_when_settled and self.settled(position):
                return (
                    f"{they} settled by the rule of the paper: its bounds leave no other feature "
                    "contested, which is no guarantee (when_certified='continue' goes on)"
                )
        stop, here = self.options["stop_when_gap_below"], self._labelled.at(position)
        if stop is not None and self._assisted is not None and self._assisted.lacks_less_than(stop, here.estimates):
            return f"{they} expected to lack less than {self._amount(stop)} against the best"
        stop = self.options["stop_when_guaranteed_gap_below"]
        if stop is not None and self._is_looked_at(position) and self._is_guaranteed_to_lack_less_than(stop, position):
            return f"{they} guaranteed to lack less than {self._amount(stop)} against the best"
        return None

    # --- the answer ---

    def selection(self, position: Position) -> Selection:
        """Describe the k features that look best, best first."""
        here, leaders = self._labelled.at(position), self.leaders(position)
        gap = self._guarantee.gap(position, here, leaders)
        limits = self.guaranteed_bounds(position)
        if self._assisted is None:
            settled = here.contested().features.size == 0
            made = make_selection(here.estimates, leaders, limits, guaranteed_gap=gap, settled=settled)
        else:
            made = self._assisted.selection(here.estimates, leaders, limits, guaranteed_gap=gap)
            check = self._assisted.check(here.estimates, held_out_rows(position, self.pool.n_rows))
            made = replace(made, model_check=check)
        made = replace(made, arbitrary=self.why_arbitrary(position))
        return replace(made, curve_source=partial(self._curve_source(position, made).of, made))

    def contested(self, position: Position) -> Contested:
        """Find leaders, challengers, and the contested features (as numbers of the pool's features)."""
        here = self._labelled.at(position)
        if self._assisted is None:
            return here.contested()
        return self._assisted.contested(here.estimates, self.leaders(position))

    def leaders(self, position: Position) -> Ints:
        """Find the k features that look best (as numbers of the pool's features), best first."""
        here = self._labelled.at(position)
        if self._assisted is None:
            return here.contested().leaders
        certified = self._guarantee.certified(position, here)
        if certified is None or not isinstance(self.rule, TopK):
            return self._assisted.leaders(here.estimates) if certified is None else certified
        # Whatever the model says: these are the best.
        return np.asarray(certified[np.argsort(self._assisted.estimates(here.estimates).value[certified])])

    def values(self, position: Position) -> Floats:
        """Estimate the conditional impurity of every feature of the pool; smaller is better."""
        estimates = self._labelled.at(position).estimates
        return (estimates if self._assisted is None else self._assisted.estimates(estimates)).value.copy()

    def bounds(self, position: Position) -> tuple[Floats, Floats]:
        """Give lower and upper bounds of :meth:`values`."""
        here = self._labelled.at(position)
        limits = self.guaranteed_bounds(position)
        if self._assisted is None:
            lower, upper = here.estimates.lower, here.estimates.upper
        else:
            lower, upper = self._assisted.estimates(here.estimates).bounds()
        return np.clip(lower, *limits), np.clip(upper, *limits)

    def guaranteed_bounds(self, position: Position) -> tuple[Floats, Floats]:
        """Give bounds of what :meth:`values` would be with all labels, which hold whatever the model says."""
        here = self._labelled.at(position)
        return self._guarantee.bounds(position, here).bounds(np.arange(self.pool.n_features))

    def certified(self, position: Position) -> bool:
        """Whether some k features are guaranteed to be the best ones, with probability 1 - delta."""
        return self._guarantee.certified(position, self._labelled.at(position)) is not None

    def settled(self, position: Position) -> bool:
        """Whether the bounds of the paper leave nothing contested; no guarantee, and never by the assisted estimate."""
        return self.estimator == "plug-in" and self._labelled.at(position).contested().features.size == 0

    def caution(self, position: Position) -> str:
        """Say why the choice means little so far; nothing if it does mean something."""
        if self.k < self.pool.n_features and (why := self.why_arbitrary(position)):
            return f"{why}: the ranking of features is arbitrary"
        return ""

    def why_arbitrary(self, position: Position) -> str:
        """Say why any order of features would be arbitrary; nothing if it would not."""
        here = self._labelled.at(position)
        used = here.used()
        if len(used) >= 2:
            return ""
        return f"all labels so far are of one class ({here.classes.values[used.pop()]!r})" if used else NO_LABEL

    def expected_gap(self, position: Position) -> float | None:
        """Say how much quality the chosen features are expected to lack; None if nothing expects that."""
        if self._assisted is None:
            return None
        return self._assisted.expected_gap(self._labelled.at(position).estimates, self.leaders(position))

    def labelled(self, position: Position) -> LabelState:
        """Give the estimates and the classes at a position; valid until another one is asked for."""
        return self._labelled.at(position)

    # --- inside ---

    def _is_looked_at(self, position: Position) -> bool:
        """Whether guarantees are looked at before the next question: as often as a model learns, and near the end."""
        n_labels = len(position.told)
        # Without draws only counting tells anything, and hardly before half of the rows are counted.
        worth_it = bool(position.moves) or 2 * n_labels >= self.pool.n_rows or self.k == self.pool.n_features
        if worth_it and last_refit(n_labels) in (0, n_labels):
            return True
        return few_possibilities(self._labelled.at(position))

    def _is_guaranteed_to_lack_less_than(self, gap: float, position: Position) -> bool:
        here = self._labelled.at(position)
        if not self._guarantee.may_lack_less_than(gap, position, here):
            return False
        if self._assisted is None:
            return self._guarantee.lacks_less_than(gap, position, here, here.contested().leaders)
        # What the model thought when it learnt last is at hand; only if that is good enough the rest is computed.
        known = last_refit(here.estimates.n_labels - 1)
        thought = self._assisted.leaders(here.estimates, known)
        return self._guarantee.lacks_less_than(gap, position, here, thought) and self._guarantee.lacks_less_than(
            gap, position, here, self.leaders(position)
        )

    def _amount(self, gap: float) -> str:
        return f"{gap:g} {words_for(self.criterion.name).unit}".rstrip()

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
            labels=here.targets(),
            n_classes=here.estimates.n_classes,
            leaders=np.searchsorted(self.pool.columns, made.features),  # choosing again may take a while
            losses=self.values(position),
            left_out=None if assisted is None else assisted.estimates(here.estimates).left_out,
            held_out=held_out_rows(position, self.pool.n_rows),
        )

    def _open(self, position: Position) -> OpenRows:
        """Rows that may be asked and paid for."""
        free = self._labelled.at(position).free
        affordable = self.budget.affordable(self._committed(position))
        return free if affordable is None else OpenRows(free.n_rows, free.taken, affordable)

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
        if self.budget.is_used(self._committed(position)) or (free.count and self._open(position).count == 0):
            return f"{self.budget} is spoken for: {waiting}"
        if free.count == 0:
            return f"no further row is free: {waiting}"
        return None
