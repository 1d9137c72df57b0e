"""Sessions led through random sequences of calls, beside a model that is a few plain containers."""

import re
from functools import cache
from typing import cast

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from plays import play

from activefs import Pool, Session
from activefs.engine import ClassProbabilities, Engine, Position, Told
from activefs.exceptions import ActiveFSError, InvalidInputError, InvalidLabelError, NothingToAsk, NothingToUndo
from activefs.model import Assistant
from activefs.options import Options
from activefs.testing import random_problem

ROWS = 24
POOL = Pool.from_table(random_problem(0, (2, 3, 4, 2), rows=ROWS).X)
PRICES = 1.0 + np.arange(ROWS) % 3
CLASSES = ["a", "b", "c"]
UNSETTLED = [{"a": 0.75, "b": 0.25}, {"b": 0.5, "c": 0.5}, {"a": 0.2, "b": 0.3, "c": 0.5}]
LABELS = st.sampled_from([*CLASSES, *CLASSES, *map(ClassProbabilities, UNSETTLED)])


@cache
def assistant():
    """Prepare the model once for all sessions."""
    return Assistant(POOL, seed=0)


class SessionMachine(RuleBasedStateMachine):
    """Every call must be taken or refused as the model says, and a fresh engine must ask and answer the same."""

    def __init__(self, strategy, redundancy, questions):
        super().__init__()
        self.options = {"strategy": strategy, "redundancy": redundancy}
        self.questions = questions  # one entry for each that was compared: how many labels there were

    @initialize(budget=st.sampled_from([None, 8]), priced=st.booleans(), fixed=st.booleans())
    def start(self, budget, priced, fixed):
        self.create(budget=budget, priced=priced, fixed=fixed)

    def create(self, *, budget, priced, fixed, **more):
        self.params = {**self.options, **more, "budget": budget, "random_state": 0, "when_certified": "continue"}
        self.params |= {"cost": PRICES} if priced else {}
        self.params |= {"classes": CLASSES} if fixed else {}
        self.session = Session(POOL, 2, **self.params)
        self.budget = np.inf if budget is None else budget
        self.price = PRICES if priced else np.ones(ROWS)
        self.told, self.pending, self.skipped = {}, [], set()
        self.asked = set()  # rows whose label, present or taken back, answered a question
        self.compared = None

    @property
    def free(self):
        return [i for i in range(ROWS) if i not in self.told and i not in self.pending and i not in self.skipped]

    @property
    def spent(self):
        return self.price[list(self.told)].sum()

    @property
    def affordable(self):
        """Rows that may be asked: free, and payable with what neither labels nor pending rows take."""
        left = self.budget - self.spent - self.price[self.pending].sum()
        return [i for i in self.free if self.price[i] <= left]

    @rule(n=st.integers(1, 4))
    def ask(self, n):
        if self.spent >= self.budget or not self.affordable:
            with pytest.raises(NothingToAsk):
                self.session.ask(n)
            return
        rows = self.session.ask(n).tolist()
        assert len(rows) <= n
        for row in rows:
            assert row in self.affordable
            self.pending.append(row)
        assert len(rows) == n or not self.affordable

    @precondition(lambda self: self.pending)
    @rule(label=LABELS, data=st.data())
    def answer(self, label, data):
        self._tell(data.draw(st.sampled_from(self.pending)), label)

    @precondition(lambda self: len(self.told) < ROWS)
    @rule(label=LABELS, data=st.data())
    def tell_unasked(self, label, data):
        self._tell(data.draw(st.sampled_from([i for i in range(ROWS) if i not in self.told])), label)

    @rule(data=st.data(), labels=st.lists(LABELS, min_size=2, max_size=5))
    def tell_many(self, data, labels):
        rows = data.draw(st.lists(st.integers(0, ROWS), min_size=len(labels), max_size=len(labels)))
        told = dict(self.told)
        good = True
        for row, label in zip(rows, labels, strict=True):
            good = good and row < ROWS and told.setdefault(row, label) == label
        if not good:
            with pytest.raises(ActiveFSError):
                self.session.tell(rows, labels)
            return
        self.session.tell(rows, labels)
        self.told = told
        self.asked |= set(self.pending) & set(told)
        self.pending = [i for i in self.pending if i not in told]
        self.skipped -= set(told)

    @precondition(lambda self: len(self.told) < ROWS)
    @rule(data=st.data())
    def skip(self, data):
        row = data.draw(st.sampled_from([i for i in range(ROWS) if i not in self.told]))
        self.session.skip(row)
        self.skipped.add(row)
        if row in self.pending:
            self.pending.remove(row)

    @rule()
    def undo(self):
        if not self.told:
            with pytest.raises(NothingToUndo):
                self.session.undo()
            return
        row, _ = self.told.popitem()
        assert self.session.undo() == row

    @rule(data=st.data(), label=LABELS)
    def correct(self, data, label):
        row = _draw(data, self.told)
        if row not in self.told:
            with pytest.raises(InvalidInputError):
                self.session.correct(row, label)
            return
        self.session.correct(row, label)
        self.told[row] = label  # in its place

    @rule(data=st.data())
    def unskip(self, data):
        row = _draw(data, self.skipped)
        if row not in self.skipped:
            with pytest.raises(InvalidInputError):
                self.session.unskip(row)
            return
        self.session.unskip(row)
        self.skipped.remove(row)

    @rule(data=st.data())
    def release(self, data):
        row = _draw(data, self.pending)
        if row not in self.pending:
            with pytest.raises(InvalidInputError):
                self.session.release(row)
            return
        self.session.release(row)
        self.pending.remove(row)

    @precondition(lambda self: self.told)
    @rule(data=st.data(), label=st.sampled_from([*CLASSES, None, 3.5, *UNSETTLED]))
    def contradict(self, data, label):
        row = data.draw(st.sampled_from(list(self.told)))
        if label == self.told[row]:
            self.session.tell(row, label)
            return
        with pytest.raises(InvalidLabelError):
            self.session.tell(row, label)

    @rule(label=st.sampled_from(["a", None, "d"]), row=st.sampled_from([-1, ROWS]))
    def tell_what_cannot_be(self, row, label):
        """No such row, or no such class."""
        with pytest.raises(ActiveFSError):
            self.session.tell(row, label)
        if "classes" in self.params and self.free:
            with pytest.raises(InvalidLabelError):
                self.session.tell(self.free[0], "d")

    def _tell(self, row, label):
        self.session.tell(row, label)
        self.told[row] = label
        self.skipped.discard(row)
        if row in self.pending:
            self.pending.remove(row)
            self.asked.add(row)

    @invariant()
    def agrees_with_the_model(self):
        session = self.session
        assert session.labelled.tolist() == list(self.told)
        assert session.labels == list(self.told.values())
        assert session.pending == tuple(self.pending)
        assert set(session.skipped) == self.skipped
        assert list(session.classes) == (CLASSES if "classes" in self.params else _in_order(self.told.values()))
        assert session.finished == (self.spent >= self.budget or not (self.pending or self.affordable))

    @invariant()
    def asks_and_answers_as_a_fresh_engine(self):
        told = tuple(Told(row, label, row in self.asked) for row, label in self.told.items())
        here = Position(told, tuple(self.pending), tuple(sorted(self.skipped)), self.session._position.moves)
        fresh = Engine(
            cast("Options", self.session.options), POOL, cost=self.params.get("cost"), assistant=self.session.assistant
        )
        found = fresh.next(here)
        if found.row is None:
            with pytest.raises(NothingToAsk, match=f"^{re.escape(found.reason)}$"):
                self.session.ask()
        else:
            assert self.session.ask() == found.row
            self.session.release(found.row)
            self.questions.append(len(told))
        if told == self.compared:  # the answer depends on the labels only
            return
        self.compared = told
        assert self.session.leaders().tolist() == fresh.leaders(here).tolist()
        np.testing.assert_array_equal(self.session.estimates.counts, fresh.labelled(here).estimates.counts)
        np.testing.assert_allclose(self.session.values(), fresh.values(here), rtol=0, atol=1e-12)
        np.testing.assert_allclose(self.session.bounds(), fresh.bounds(here), rtol=0, atol=1e-12)

    @rule()
    def choose(self):
        """The answer does not depend on what was asked, nor on how the labels came."""
        fresh = Session(POOL, 2, **self.params)
        fresh.tell(list(self.told), list(self.told.values()))
        assert self.session.leaders().tolist() == fresh.leaders().tolist()


class AssistedSessionMachine(SessionMachine):
    """The same with a model, which has a say from the twelfth label on."""

    @initialize(priced=st.booleans(), limited=st.booleans(), fixed=st.booleans(), warm=st.sampled_from([12, 0]))
    def start(self, priced, limited, fixed, warm):
        budget = (36 if priced else 18) if limited else None  # twelve rows cost 24
        self.create(budget=budget, priced=priced, fixed=fixed, assistant=assistant())
        for row in range(warm):
            self._tell(row, "abc"[row % 2])


def _draw(data, rows):
    """Draw one of these rows, or sometimes any."""
    anything = st.integers(0, ROWS - 1)
    return data.draw(st.sampled_from(sorted(rows)) | anything if rows else anything)


def _in_order(labels):
    return list(dict.fromkeys(name for label in labels for name in label))  # of probabilities, the likeliest first


@pytest.mark.parametrize("redundancy", ["none", "mrmr"])
@pytest.mark.parametrize("strategy", ["afs", "avg-sel", "avg-all", "single", "random"])
def test_sessions(strategy, redundancy):
    assert len(play(SessionMachine, strategy, redundancy, examples=6, steps=25)) > 50


@pytest.mark.parametrize("redundancy", ["none", "mrmr"])
def test_assisted_sessions(redundancy):
    questions = play(AssistedSessionMachine, "assisted", redundancy, examples=5, steps=20)
    assert sum(labels >= 11 for labels in questions) > 20, "the model hardly had a say"
