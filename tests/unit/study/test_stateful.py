"""Studies led through random sequences of calls, by three people in two processes, beside a fresh replay of the log."""

from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from plays import play

from activefs.engine import Engine, Next
from activefs.exceptions import (
    InvalidInputError,
    InvalidLabelError,
    NotAllowedError,
    NothingToUndo,
    StaleQuestionError,
)
from activefs.storages import Kind, MemoryStorage, Role
from activefs.study import Person, StudyState, create_engine, open_engine
from activefs.testing import random_problem

ROWS = 20
TABLE = pd.DataFrame(random_problem(0, (2, 3, 4, 2), rows=ROWS).X, columns=list("abcd"))
TABLE["price"] = 1.0 + np.arange(ROWS) % 3
PEOPLE = [Person("ana"), Person("ben"), Person("eva", Role.OWNER)]
WHO, AT = st.sampled_from(PEOPLE), st.integers(0, 1)
LABEL = st.sampled_from(["yes", "no"])
OWNER = PEOPLE[2]
LEASE = timedelta(seconds=10)


class StudyMachine(RuleBasedStateMachine):
    """Every call must be taken or refused as the log says, and all who read the log must agree."""

    def __init__(self, strategy, redundancy, questions):
        super().__init__()
        self.options = {"strategy": strategy, "redundancy": redundancy}
        self.questions = questions  # one entry for each that was compared: how many labels there were

    @initialize(
        budget=st.sampled_from([None, 4]),
        priced=st.booleans(),
        classes=st.sampled_from([None, ["yes", "no"], ["yes", "no", "unsure"]]),
    )
    def start(self, budget, priced, classes):
        self.create(budget=budget, priced=priced, classes=classes)

    def create(self, *, budget, priced, classes, warm=0):
        self.now = datetime(2024, 5, 1, tzinfo=UTC)
        self.storage = MemoryStorage()
        self.budget = budget
        self.price = TABLE["price"] if priced else pd.Series(np.ones(ROWS))
        column = {"cost": "price"} if priced else {"ignore": ["price"]}
        options = {**self.options, **column, "budget": budget, "classes": classes}
        first = create_engine(self.storage, TABLE, k=2, random_state=0, lease=10.0, **options)
        # Two engines on one storage are like two processes on one database.
        self.engines = [first, open_engine(self.storage, TABLE)]
        for engine in self.engines:
            engine.clock = lambda: self.now
            engine.look_ahead = lambda: None  # type: ignore[method-assign]  # threads would make failures hard to repeat
        if warm:
            first.tell(OWNER, [(row, "no" if row % 3 else "yes") for row in range(warm)])

    def new_engine(self):
        """Make what computes questions and answers anew, knowing nothing but the settings."""
        return self.engines[1].new_engine()

    @property
    def state(self):
        return StudyState(self.storage.events())

    # --- what people do ---

    @rule(people=st.lists(WHO, min_size=1, max_size=4), at=AT)
    def ask(self, people, at):
        for who in people:
            before = self.state
            found = self.engines[at].question(who)
            if isinstance(found, Next):
                assert found.row is None and found.reason
                continue
            assert found.annotator == who.name and found.until > self.now
            if found.id not in before.questions:  # a new one, which must be free and paid for
                assert found.row not in before.told and found.row not in before.skipped
                assert found.row not in before.position(self.now).pending
                here = self.state.position(self.now)
                assert self.budget is None or self.price[[*here.rows, *here.pending]].sum() <= self.budget

    @precondition(lambda self: self.state.questions)
    @rule(at=AT, label=st.one_of(LABEL, st.none()), data=st.data())
    def answer(self, at, label, data):
        before, engine = self.state, self.engines[at]
        number = _draw(data, [question.id for question in before.open.values()], [*before.questions, 1_000])
        question, end = before.questions.get(number), before.ended.get(number)
        who = _draw(data, [person for person in PEOPLE if question and person.name == question.annotator], PEOPLE)
        again = end is not None and (end.annotator, end.about, end.label) == (who.name, number, label)
        if again:
            again = end.kind in (Kind.LABELLED, Kind.SKIPPED) and _id_of(before, question.row) == end.id
        refusal: type[Exception] | None = None
        if question is None:
            refusal = StaleQuestionError
        elif not again and who.name != question.annotator and not who.is_owner:
            refusal = NotAllowedError
        elif not again and end is not None and not self._may_still_be_answered(before, question, end):
            refusal = StaleQuestionError
        with _refused(refusal, self):
            kept = engine.skip(who, number) if label is None else engine.answer(who, number, label)
            assert (kept.label, kept.row) == (label, question.row)
            assert self.state.answer_of(question.row).label == label
            assert len(self.storage.events()) == before.last + (not again)

    def _may_still_be_answered(self, before, question, end):
        """A question that is over: somebody else got the row and has let go of it, or nobody wanted it since."""
        holder = before.open.get(question.row)
        is_free = before.answer_of(question.row) is None and (holder is None or holder.until <= self.now)
        taken_over = end.kind is Kind.ASKED and end.annotator != question.annotator
        return is_free and (end.kind is Kind.EXPIRED or taken_over)

    @precondition(lambda self: self.state.questions)
    @rule(who=WHO, at=AT, data=st.data())
    def renew(self, who, at, data):
        before = self.state
        number = _draw(data, [question.id for question in before.open.values()], [*before.questions, 1_000])
        held = before.open.get(before.questions[number].row) if number in before.questions else None
        refusal = None if held and held.id == number and held.annotator == who.name else StaleQuestionError
        with _refused(refusal, self):
            found = self.engines[at].renew(who, number)
            assert held is not None
            assert found.until == (held.until if held.until - self.now >= LEASE / 2 else self.now + LEASE)
            assert self.state.open[found.row] == found
            assert list(self.state.open) == list(before.open)

    @precondition(lambda self: self.state.answers())
    @rule(who=WHO, at=AT, lease=st.booleans(), data=st.data())
    def undo(self, who, at, lease, data):
        before = self.state
        row = _draw(data, [*before.told, *before.skipped, None], [None, *range(ROWS)])
        last = before.answer_of(row) if row is not None else (before.answers(who.name) or [None])[-1]
        refusal: type[Exception] | None = NothingToUndo if last is None else None
        if last is not None and last.annotator != who.name and not who.is_owner:
            refusal = NotAllowedError
        with _refused(refusal, self):
            assert self.engines[at].undo(who, row, lease=lease) == last
            assert self.state.answer_of(last.row) is None
            held = self.state.open.get(last.row)
            assert (held is not None and held.annotator == who.name) == lease

    @precondition(lambda self: self.state.answers())
    @rule(who=WHO, at=AT, label=LABEL, data=st.data())
    def correct(self, who, at, label, data):
        before = self.state
        row = _draw(data, [*before.told, *before.skipped], range(ROWS))
        old = before.answer_of(row)
        refusal: type[Exception] | None = InvalidInputError if old is None else None
        if old is not None and old.annotator != who.name and not who.is_owner:
            refusal = NotAllowedError
        with _refused(refusal, self):
            assert self.engines[at].correct(who, row, label).label == label
            here, then = self.state.position().rows, before.position().rows
            assert here == (then if row in then else [*then, row])  # it keeps its place

    @rule(who=WHO, at=AT, label=st.one_of(LABEL, st.none()), data=st.data())
    def tell(self, who, at, label, data):
        before = self.state
        row = _draw(data, [*before.open, *before.told], range(ROWS))
        held, told = before.open.get(row), before.told.get(row)
        refusal: type[Exception] | None = None
        if held is not None and held.annotator != who.name and held.until > self.now:
            refusal = StaleQuestionError
        elif told is not None and told.label != label:
            refusal = InvalidInputError if label is None else InvalidLabelError
        with _refused(refusal, self):
            self.engines[at].tell(who, [(row, label)])
            assert self.state.answer_of(row).label == label

    @rule(seconds=st.sampled_from([1, 6, 11]))
    def wait(self, seconds):
        self.now += timedelta(seconds=seconds)

    @rule(who=WHO, at=AT)
    def release(self, who, at):
        self.engines[at].release(who)
        assert all(question.annotator != who.name for question in self.state.open.values())

    @rule(at=AT)
    def choose(self, at):
        """The answer is a function of the log, whatever the engine looked at before."""
        here = self.state.position(self.now)
        leaders = self.engines[at].asker.at(here, Engine.leaders)
        assert leaders.tolist() == self.new_engine().leaders(here).tolist()

    # --- what is always true ---

    @invariant()
    def engines_and_a_fresh_replay_agree(self):
        state = self.state
        here = state.position(self.now)
        assert here.pending == tuple(q.row for q in state.open.values() if q.until > self.now)
        assert [e.position() for e in self.engines] == [here, here]
        found = self.new_engine().next(here)
        assert self.engines[0].asker.next(here) == found  # which may have been remembered
        assert self.engines[1].asker.at(here, Engine.next) == found
        if found.row is not None:
            self.questions.append(len(here.told))

    @invariant()
    def no_row_is_leased_twice(self):
        held = {}
        for event in self.storage.events():
            if event.kind is Kind.ASKED:
                assert event.row not in held
                held[event.row] = event.annotator
            elif event.kind not in (Kind.UNDONE, Kind.RENEWED):
                held.pop(event.row, None)


class AssistedStudyMachine(StudyMachine):
    """The same with a model, which has a say from the twelfth label on."""

    @initialize(
        limited=st.booleans(),
        priced=st.booleans(),
        classes=st.sampled_from([None, ["yes", "no"]]),
        warm=st.sampled_from([12, 0]),
    )
    def start(self, limited, priced, classes, warm):
        budget = (32 if priced else 16) if limited else None  # twelve rows cost 24
        self.create(budget=budget, priced=priced, classes=classes, warm=warm)


@contextmanager
def _refused(error, machine):
    """Expect an error and a log that is as it was; None: expect that all goes well."""
    if error is None:
        yield
        return
    before = machine.storage.events()
    with pytest.raises(error):
        yield
    assert machine.storage.events() == before


def _draw(data, likely, all_of_them):
    """Draw mostly what leads somewhere, and sometimes anything."""
    choice = list(likely) if likely and data.draw(st.integers(0, 3)) else list(all_of_them)
    return data.draw(st.sampled_from(choice))


def _id_of(state, row):
    answer = state.answer_of(row)
    return None if answer is None else answer.id


@pytest.mark.parametrize("redundancy", ["none", "mrmr"])
@pytest.mark.parametrize("strategy", ["afs", "single", "random"])
def test_studies(strategy, redundancy):
    assert len(play(StudyMachine, strategy, redundancy, examples=8, steps=30)) > 50


@pytest.mark.parametrize("redundancy", ["none", "mrmr"])
def test_assisted_studies(redundancy):
    questions = play(AssistedStudyMachine, "assisted", redundancy, examples=5, steps=20)
    assert sum(labels >= 11 for labels in questions) > 20, "the model hardly had a say"
