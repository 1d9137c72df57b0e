"""Sessions led through random sequences of calls, beside a model that is a few plain containers."""

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from activefs import Session
from activefs.exceptions import ActiveFSError, InvalidLabelError, NothingToAsk, NothingToUndo
from activefs.testing import random_problem

ROWS = 24
PROBLEM = random_problem(0, (2, 3, 4, 2), rows=ROWS)
LABELS = st.sampled_from(["a", "b", "c"])


class SessionMachine(RuleBasedStateMachine):
    @initialize(
        strategy=st.sampled_from(["afs", "avg-sel", "avg-all", "single", "random"]), budget=st.sampled_from([None, 8])
    )
    def start(self, strategy, budget):
        self.params = {"strategy": strategy, "budget": budget, "random_state": 0, "when_certified": "continue"}
        self.session = Session(PROBLEM.X, 2, **self.params)
        self.budget = budget
        self.told, self.pending, self.skipped = {}, [], set()

    @property
    def free(self):
        return [i for i in range(ROWS) if i not in self.told and i not in self.pending and i not in self.skipped]

    @property
    def room(self):
        left = ROWS if self.budget is None else self.budget - len(self.told) - len(self.pending)
        return max(min(left, len(self.free)), 0)

    @rule(n=st.integers(1, 4))
    def ask(self, n):
        if self.room == 0:
            with pytest.raises(NothingToAsk):
                self.session.ask(n)
            return
        rows = self.session.ask(n).tolist()
        assert len(rows) == min(n, self.room)
        assert set(rows) <= set(self.free) and len(set(rows)) == len(rows)
        self.pending += rows

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

    @precondition(lambda self: self.told)
    @rule(data=st.data(), label=st.sampled_from(["a", "b", "c", None, 3.5]))
    def contradict(self, data, label):
        row = data.draw(st.sampled_from(list(self.told)))
        if label == self.told[row]:
            self.session.tell(row, label)
            return
        with pytest.raises(InvalidLabelError):
            self.session.tell(row, label)

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
        assert set(session.classes) == set(self.told.values())
        used = self.budget is not None and len(self.told) >= self.budget
        assert session.finished == (used or (not self.pending and not self.free))

    @invariant()
    def agrees_with_a_session_told_the_same(self):
        fresh = Session(PROBLEM.X, 2, **self.params)
        if self.told:
            fresh.tell(list(self.told), list(self.told.values()))
        np.testing.assert_array_equal(fresh.estimates.counts, self.session.estimates.counts)
        np.testing.assert_allclose(fresh.estimates.value, self.session.estimates.value, atol=1e-12)
        np.testing.assert_allclose(fresh.estimates.lower, self.session.estimates.lower, atol=1e-12)
        np.testing.assert_allclose(fresh.estimates.upper, self.session.estimates.upper, atol=1e-12)


TestSession = SessionMachine.TestCase
TestSession.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
