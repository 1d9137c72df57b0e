"""Sessions led through random sequences of calls, beside a model that is a few plain containers."""

from functools import cache

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from activefs import Pool, Session
from activefs.exceptions import ActiveFSError, InvalidInputError, InvalidLabelError, NothingToAsk, NothingToUndo
from activefs.model import Assistant
from activefs.testing import random_problem

ROWS = 24
POOL = Pool.from_table(random_problem(0, (2, 3, 4, 2), rows=ROWS).X)
PRICES = 1.0 + np.arange(ROWS) % 3
CLASSES = ["a", "b", "c"]
LABELS = st.sampled_from(CLASSES)


@cache
def assistant():
    """Prepare the model once for all sessions."""
    return Assistant(POOL, seed=0)


class SessionMachine(RuleBasedStateMachine):
    @initialize(
        strategy=st.sampled_from(["afs", "avg-sel", "avg-all", "single", "random"]),
        budget=st.sampled_from([None, 8]),
        redundancy=st.sampled_from(["none", "mrmr"]),
        priced=st.booleans(),
        fixed=st.booleans(),
    )
    def start(self, strategy, budget, redundancy, priced, fixed):
        self.create(strategy=strategy, budget=budget, redundancy=redundancy, priced=priced, fixed=fixed)

    def create(self, *, priced, fixed, **params):
        self.params = {**params, "random_state": 0, "when_certified": "continue"}
        self.params |= {"cost": PRICES} if priced else {}
        self.params |= {"classes": CLASSES} if fixed else {}
        self.session = Session(POOL, 2, **self.params)
        self.budget = np.inf if params["budget"] is None else params["budget"]
        self.price = PRICES if priced else np.ones(ROWS)
        self.told, self.pending, self.skipped = {}, [], set()

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
    @rule(data=st.data(), label=st.sampled_from([*CLASSES, None, 3.5]))
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
    def agrees_with_a_session_told_the_same(self):
        fresh = Session(POOL, 2, **self.params)
        if self.told:
            fresh.tell(list(self.told), list(self.told.values()))
        np.testing.assert_array_equal(fresh.estimates.counts, self.session.estimates.counts)
        np.testing.assert_allclose(fresh.estimates.value, self.session.estimates.value, atol=1e-12)
        np.testing.assert_allclose(fresh.estimates.lower, self.session.estimates.lower, atol=1e-12)
        np.testing.assert_allclose(fresh.estimates.upper, self.session.estimates.upper, atol=1e-12)

    @rule()
    def choose(self):
        fresh = Session(POOL, 2, **self.params)
        fresh.tell(list(self.told), list(self.told.values()))
        assert self.session.leaders().tolist() == fresh.leaders().tolist()


class AssistedSessionMachine(SessionMachine):
    """The same with a model, which has a say from the twelfth label on."""

    @initialize(
        budget=st.sampled_from([None, 18]),
        redundancy=st.sampled_from(["none", "mrmr"]),
        priced=st.booleans(),
        fixed=st.booleans(),
        warm=st.sampled_from([0, 12]),
    )
    def start(self, budget, redundancy, priced, fixed, warm):
        options = {"strategy": "assisted", "budget": budget, "redundancy": redundancy, "assistant": assistant()}
        self.create(**options, priced=priced, fixed=fixed)
        for row in range(warm):
            self._tell(row, "abc"[row % 2])


def _draw(data, rows):
    """Draw one of these rows, or sometimes any."""
    anything = st.integers(0, ROWS - 1)
    return data.draw(st.sampled_from(sorted(rows)) | anything if rows else anything)


def _in_order(labels):
    return list(dict.fromkeys(labels))


TestSession = SessionMachine.TestCase
TestSession.settings = settings(max_examples=30, stateful_step_count=25, deadline=None)
TestAssistedSession = AssistedSessionMachine.TestCase
TestAssistedSession.settings = settings(max_examples=8, stateful_step_count=20, deadline=None)
