"""Studies led through random sequences of calls, by two people in two processes, beside a fresh replay of the log."""

from datetime import UTC, datetime, timedelta

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from activefs.engine import Next
from activefs.exceptions import ActiveFSError
from activefs.storages import Kind, MemoryStorage, Role
from activefs.study import Person, create_engine, open_engine
from activefs.study._state import StudyState
from activefs.testing import random_problem

PROBLEM = random_problem(0, (2, 3, 4, 2), rows=20)
PEOPLE = [Person("ana"), Person("ben"), Person("eva", Role.OWNER)]
WHO = st.sampled_from(PEOPLE)
LABEL = st.sampled_from(["a", "b"])


class StudyMachine(RuleBasedStateMachine):
    @initialize(strategy=st.sampled_from(["afs", "single", "random"]), budget=st.sampled_from([None, 8]))
    def start(self, strategy, budget):
        self.now = datetime(2024, 5, 1, tzinfo=UTC)
        storage = MemoryStorage()
        options = {"strategy": strategy, "budget": budget, "classes": ["a", "b"], "random_state": 0, "lease": 10.0}
        first = create_engine(storage, PROBLEM.X, k=2, **options)
        # Two engines on one storage are like two processes on one database.
        self.engines = [first, open_engine(storage, PROBLEM.X)]
        for engine in self.engines:
            engine.clock = lambda: self.now
            engine.look_ahead = lambda: None  # threads would make failures hard to repeat

    @rule(who=WHO, at=st.integers(0, 1))
    def ask(self, who, at):
        found = self.engines[at].question(who)
        if not isinstance(found, Next):
            assert found.annotator == who.name and found.until > self.now

    @rule(who=WHO, at=st.integers(0, 1), label=st.one_of(LABEL, st.none()), data=st.data())
    def answer(self, who, at, label, data):
        questions = self.engines[at]._state.questions
        if not questions:
            return
        number = data.draw(st.sampled_from(sorted(questions)))
        engine = self.engines[at]
        try:
            kept = engine.skip(who, number) if label is None else engine.answer(who, number, label)
        except ActiveFSError:
            return
        assert kept.label == label and kept.row == questions[number].row

    @rule(who=WHO, at=st.integers(0, 1), row=st.one_of(st.none(), st.integers(0, 19)), lease=st.booleans())
    def undo(self, who, at, row, lease):
        try:
            taken = self.engines[at].undo(who, row, lease=lease)
        except ActiveFSError:
            return
        assert who.is_owner or taken.annotator == who.name

    @rule(who=WHO, at=st.integers(0, 1), row=st.integers(0, 19), label=LABEL)
    def correct(self, who, at, row, label):
        try:
            assert self.engines[at].correct(who, row, label).label == label
        except ActiveFSError:
            return

    @rule(who=WHO, at=st.integers(0, 1), row=st.integers(0, 19), label=LABEL)
    def tell(self, who, at, row, label):
        try:
            self.engines[at].tell(who, [(row, label)])
        except ActiveFSError:
            return

    @rule(seconds=st.sampled_from([1, 6, 11]))
    def wait(self, seconds):
        self.now += timedelta(seconds=seconds)

    @rule(who=WHO)
    def release(self, who):
        self.engines[0].release(who)

    @precondition(lambda self: hasattr(self, "engines"))
    @invariant()
    def engines_and_a_fresh_replay_agree(self):
        events = self.engines[0].storage.events()
        replayed = StudyState(events).position(self.now)
        assert [e.position() for e in self.engines] == [replayed, replayed]
        fresh = open_engine(self.engines[0].storage, PROBLEM.X)
        assert fresh.asker.next(replayed) == self.engines[0].asker.at(replayed, lambda engine, at: engine.next(at))

    @precondition(lambda self: hasattr(self, "engines"))
    @invariant()
    def no_row_is_leased_twice(self):
        held = {}
        for event in self.engines[0].storage.events():
            if event.kind is Kind.ASKED:
                assert event.row not in held
                held[event.row] = event.annotator
            elif event.kind is not Kind.UNDONE:
                held.pop(event.row, None)


StudyMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
TestStudies = StudyMachine.TestCase
