import csv
import io
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd
import pytest
from asked import asked
from machines import PATIENCE

import activefs
from activefs import Session, Study
from activefs.engine import Next
from activefs.exceptions import (
    InvalidInputError,
    InvalidLabelError,
    NotAllowedError,
    NothingToAsk,
    NothingToUndo,
    OneClassWarning,
    StaleQuestionError,
    StudyMismatchError,
)
from activefs.storages import Kind, MemoryStorage, Role
from activefs.study import Correction, Person, Question, StudyState, create_engine, open_engine
from activefs.testing import random_problem

PROBLEM = random_problem(3, (2, 3, 4, 5, 3), rows=60)
CLASSES = ["no", "yes"]
ANA, BEN, OWNER = Person("ana"), Person("ben"), Person("eva", Role.OWNER)


def truth(row):
    return CLASSES[PROBLEM.y[row]]


class Clock:
    def __init__(self):
        self.now = datetime(2024, 5, 1, tzinfo=UTC)

    def __call__(self):
        return self.now

    def forward(self, seconds):
        self.now += timedelta(seconds=seconds)


def slowly(ask):
    """The same as `ask`, a moment later."""

    def later(position):
        time.sleep(0.02)
        return ask(position)

    return later


def engine_with(storage=None, **more):
    options: dict[str, Any] = {
        "k": 2,
        "classes": CLASSES,
        "random_state": 0,
        "when_certified": "continue",
        "lease": 60.0,
        **more,
    }
    engine = create_engine(storage or MemoryStorage(), PROBLEM.X, **options)
    engine.clock = Clock()
    return engine


def label_some(engine, who, count):
    for _ in range(count):
        question = engine.question(who)
        engine.answer(who, question.id, truth(question.row))


_RNG = np.random.default_rng(8)
_X = _RNG.integers(0, 3, size=(120, 3))
TABLE_OF_DRAWS = _X, (_X[:, 1] > 0).astype(int)


class TestLikeASession:
    @pytest.mark.parametrize("strategy", ["afs", "avg-sel", "single", "random", "assisted"])
    def test_asks_what_a_session_asks(self, strategy):
        params = {"k": 2, "budget": 30, "strategy": strategy, "random_state": 5, "when_certified": "continue"}
        session = Session(PROBLEM.X, **params)
        study = Study.create(MemoryStorage(), PROBLEM.X, **params)
        while not session.finished:
            row = session.ask()
            assert study.ask() == row
            session.tell(row, truth(row))
            study.tell(row, truth(row))
        assert study.finished
        assert study.selection() == session.selection()
        with pytest.raises(NothingToAsk, match="budget"):
            study.ask()

    def test_batches_pending_and_skips(self):
        session = Session(PROBLEM.X, 2, strategy="assisted", random_state=1)
        study = Study.create(MemoryStorage(), PROBLEM.X, 2, random_state=1)
        rows = session.ask(4)
        assert study.ask(4).tolist() == rows.tolist()
        assert study.pending == session.pending
        session.skip(rows[1])
        study.skip(rows[1])
        session.tell(rows[2:], ["a", "b"])
        study.tell(rows[2:], ["a", "b"])
        assert study.skipped == session.skipped
        assert study.labelled.tolist() == session.labelled.tolist()
        assert study.labels == session.labels == ["a", "b"]
        assert study.classes == ("a", "b")
        assert study.ask() == session.ask()
        assert study.contested().features.tolist() == session.contested().features.tolist()

    def test_labels_that_exist_already(self):
        session, study = (
            Session(PROBLEM.X, 2, strategy="assisted", random_state=2),
            Study.create(MemoryStorage(), PROBLEM.X, 2, random_state=2),
        )
        rows = list(range(10))
        for one in (session, study):
            one.tell(rows, [truth(r) for r in rows])
        assert study.n_labels == 10
        assert study.ask() == session.ask()

    def test_undo_and_the_same_question(self):
        study = Study.create(MemoryStorage(), PROBLEM.X, 2, random_state=0, when_certified="continue")
        for _ in range(5):
            row = study.ask()
            study.tell(row, truth(row))
        following = study.ask()
        study.tell(following, truth(following))
        assert study.undo() == following
        assert study.ask() == following

    def test_release_and_unskip(self):
        session = Session(PROBLEM.X, 2, strategy="afs", random_state=4)
        study = Study.create(MemoryStorage(), PROBLEM.X, 2, strategy="afs", random_state=4)
        for one in (session, study):
            first, second = one.ask(2).tolist()
            one.skip(second)
            for wrong, method, said in ((first, one.unskip, "not skipped"), (second, one.release, "not pending")):
                with pytest.raises(InvalidInputError, match=said):
                    method(wrong)
            one.release(first)
            one.unskip(second)
            assert (one.pending, one.skipped, one.n_labels) == ((), (), 0)
            outside: tuple[Any, ...] = (60, -1, "x")
            for no_row in outside:
                with pytest.raises(InvalidInputError, match="row must be"):
                    one.release(no_row)
                with pytest.raises(InvalidInputError, match="row must be"):
                    one.unskip(no_row)
            assert one.ask(2).tolist() == [first, second]

    def test_errors_change_nothing(self):
        study = Study.create(MemoryStorage(), PROBLEM.X, 2, classes=CLASSES, random_state=0)
        row = study.ask()
        for wrong, said in (("perhaps", "'perhaps'"), (None, "missing"), (float("nan"), "missing")):
            with pytest.raises(InvalidInputError, match=said):
                study.tell(row, wrong)
        for nowhere in (-1, 60, "x", True):
            with pytest.raises(InvalidInputError, match=f"{nowhere}"):
                study.tell(nowhere, "yes")
        with pytest.raises(InvalidInputError, match="list of as many labels"):
            study.tell([1, 2], "yes")
        with pytest.raises(InvalidInputError, match="99"):
            study.tell([1, 2, 99], ["yes", "no", "no"])
        with pytest.raises(InvalidInputError, match=r"^n must"):
            study.ask(0)
        with pytest.raises(NothingToUndo, match="no answer"):
            study.undo()
        study.tell(3, "yes")
        study.tell(3, "yes")
        with pytest.raises(InvalidLabelError, match=r"correct\(\)"):
            study.tell(3, "no")
        with pytest.raises(InvalidInputError, match="row 3 has a label"):
            study.skip(3)
        assert study.n_labels == 1

    def test_arbitrary_choice_is_a_warning(self):
        study = Study.create(MemoryStorage(), PROBLEM.X, 2)
        with pytest.warns(OneClassWarning):
            study.selection()

    def test_labels_that_are_measurements(self):
        study = Study.create(MemoryStorage(), random_problem(1, rows=310).X, 2)
        with pytest.raises(InvalidLabelError, match="301 different labels"):
            study.tell(list(range(301)), [f"name {i}" for i in range(301)])
        assert study.n_labels == 0
        study.tell(list(range(300)), [f"name {i}" for i in range(300)])
        assert len(study.classes) == 300

    def test_is_public(self):
        assert activefs.Study is Study


class TestReplay:
    def test_same_next_question_wherever_it_is_opened(self):
        storage = MemoryStorage()
        engine = engine_with(storage)
        label_some(engine, ANA, 6)
        held = engine.question(BEN)
        engine.skip(ANA, engine.question(ANA).id)
        label_some(engine, ANA, 3)
        rows = [a.row for a in engine._state.answers("ana") if a.label is not None]
        engine.correct(ANA, rows[2], "yes")
        engine.undo(OWNER, rows[4], lease=False)
        engine.import_answers(OWNER, [])
        again = open_engine(storage, PROBLEM.X)
        again.clock = engine.clock
        assert again.position() == engine.position()
        assert held.row in again.position().pending
        expected = engine.asker.next(engine.position())
        assert again.asker.next(again.position()) == expected
        assert again.ask(ANA).row == expected.row

    def test_way_back_and_forth_does_not_matter(self):
        engine = engine_with()
        label_some(engine, ANA, 12)
        here = engine.position()
        expected = engine.asker.next(here)
        for cut in (3, 9, 0, 12, 5):
            engine.asker.at(type(here)(here.told[:cut], (), ()), lambda engine, at: engine.next(at))
        fresh = open_engine(engine.storage, PROBLEM.X)
        assert engine.asker.at(here, lambda engine, at: engine.next(at)) == expected == fresh.asker.next(here)

    def test_correction_keeps_its_place(self):
        engine = engine_with()
        label_some(engine, ANA, 5)
        order = [told[0] for told in engine.position().told]
        engine.correct(ANA, order[1], "yes")
        engine.correct(ANA, order[1], "no")
        assert [told[0] for told in engine.position().told] == order
        assert engine.position().told[1][1] == "no"

    def test_computed_ahead_is_what_comes(self):
        engine, plain = engine_with(), engine_with()
        question = engine.question(ANA)
        assert engine.asker.settle(PATIENCE)
        for label in CLASSES:
            assert engine.asker._known.get(engine.position().answered(question.row, label)) is not None
        for _ in range(8):
            question, other = engine.question(ANA), plain.question(ANA)
            assert question.row == other.row
            assert engine.asker.settle(PATIENCE)
            engine.answer(ANA, question.id, truth(question.row))
            assert engine.asker._known.get(engine.position()) is not None  # what comes next need not be computed
            plain.asker._known.clear()
            plain.answer(ANA, other.id, truth(other.row))
        engine.close(), plain.close()


class TestTogether:
    @pytest.mark.parametrize("elsewhere", [False, True])
    def test_an_answer_is_acknowledged_though_an_owner_takes_it_back_at_once(self, monkeypatch, elsewhere):
        """The owner comes right after the commit, from here or from elsewhere; the receipt tells what was kept."""
        engine = engine_with(strategy="random")
        owners = open_engine(engine.storage, PROBLEM.X) if elsewhere else engine
        transaction, taken, threads = engine.storage.transaction, [], []

        @contextmanager
        def followed_by_undo():
            with transaction() as log:
                yield log
            monkeypatch.undo()
            undo = threading.Thread(target=lambda: taken.append(owners.undo(OWNER, anyone=True, lease=False)))
            threads.append(undo)
            undo.start()
            undo.join(PATIENCE if elsewhere else 0.1)  # in this process it has to wait for the receipt

        for label in CLASSES:
            question = engine.question(ANA)
            monkeypatch.setattr(engine.storage, "transaction", followed_by_undo)
            kept = engine.answer(ANA, question.id, label)
            assert (kept.row, kept.label, kept.annotator) == (question.row, label, "ana")
            threads[-1].join()
            assert taken[-1] == kept and engine.position().told == ()
        assert len(taken) == 2
        engine.close(), owners.close()

    def test_nothing_depends_on_how_fast_the_machine_is(self):
        """The log of a study is the same whether questions were computed ahead or not, slowly or not."""
        logs = []
        for slow in (False, True):
            engine = engine_with()
            ask = engine.asker._engine.next
            if slow:
                engine.look_ahead = lambda: None
                engine.asker._engine.next = slowly(ask)
            for _ in range(8):
                for who in (ANA, BEN):
                    question = engine.question(who)
                    engine.answer(who, question.id, truth(question.row))
            logs.append([(e.kind, e.row, e.annotator, e.label) for e in engine.storage.events()])
            engine.close()
        assert logs[0] == logs[1]


class TestDraws:
    """The log keeps with which chance rows were drawn, and what is guaranteed is that of a session."""

    def test_as_in_a_session(self):
        X, y = TABLE_OF_DRAWS
        options: dict[str, Any] = {
            "strategy": "random",
            "random_state": 3,
            "classes": [0, 1],
            "when_certified": "continue",
        }
        study, session = Study.create(MemoryStorage(), X, 1, **options), activefs.Session(X, 1, **options)
        for both in (study, session):
            both.tell(0, int(y[0]))
            pending = both.ask(n=3).tolist()
            both.skip(pending[1])
            both.tell(pending[2], int(y[pending[2]]))
            both.release(pending[0])
            for _ in range(30):
                row = both.ask()
                both.tell(row, int(y[row]))
            both.undo()
            both.tell(both.ask(), 0)
            both.correct(0, int(1 - y[0]))
            both.unskip(pending[1])
        found, expected = study.engine.position(), session._position
        assert found == expected and sum(move.chance is not None for move in found.moves) > 30
        np.testing.assert_array_equal(study.guaranteed_bounds(), session.guaranteed_bounds())
        assert study.selection().guaranteed_gap == session.selection().guaranteed_gap
        assert Study.open(study.engine.storage, X).engine.position() == found

    def test_the_log_keeps_probabilities(self):
        X, y = TABLE_OF_DRAWS
        study = Study.create(MemoryStorage(), X, 1, strategy="random", random_state=0, classes=[0, 1])
        study.tell(7, int(y[7]))
        row = study.ask()
        (asked,) = [event for event in study.engine.storage.events() if event.kind is Kind.ASKED]
        assert asked.row == row and asked.chance == (1 / 119, 1 / 119, (1, 0, 0))

    def test_a_lease_that_ran_out_is_no_second_draw(self):
        clock, (X, _) = Clock(), TABLE_OF_DRAWS
        study = Study.create(MemoryStorage(), X, 1, strategy="random", random_state=0, classes=[0, 1], lease=10)
        study.engine.clock = clock
        first = study.ask()
        clock.forward(11)
        assert study.engine.position().moves[-1].opens
        again = study.ask()
        assert again == first  # the same random numbers
        chances = [event.chance for event in study.engine.storage.events() if event.kind is Kind.ASKED]
        assert chances[0] is not None and chances[1] is None

    def test_an_undone_row_is_no_second_draw(self):
        X, y = TABLE_OF_DRAWS
        session = activefs.Session(X, 1, strategy="random", random_state=0, classes=[0, 1])
        wide = session.guaranteed_bounds()
        for _ in range(40):
            row = session.ask()
            session.tell(row, int(y[row]))
            session.undo()
        np.testing.assert_allclose(session.guaranteed_bounds(), wide)


class TestLeases:
    def test_no_row_for_two(self):
        engine = engine_with()
        first, second = engine.question(ANA), engine.question(BEN)
        assert first.row != second.row
        assert engine.question(ANA) == first
        assert engine.position().pending == (first.row, second.row)

    def test_lease_expires(self):
        engine = engine_with()
        question = engine.question(ANA)
        engine.clock.forward(61)
        assert engine.position().pending == ()
        # Nothing else has happened, so the same row is the best question still, now for somebody else.
        assert engine.question(BEN).row == question.row
        with pytest.raises(StaleQuestionError, match="'ben' is at it now"):
            engine.answer(ANA, question.id, "yes")
        kinds = [event.kind for event in engine.storage.events()]
        assert kinds == [Kind.ASKED, Kind.EXPIRED, Kind.ASKED]

    def test_a_late_answer_counts_if_nobody_else_holds_the_row(self):
        engine = engine_with()
        first = engine.question(ANA)
        engine.clock.forward(61)
        assert engine.answer(ANA, first.id, "yes").label == "yes"  # nobody noticed that it was late
        second = engine.question(ANA)
        engine.clock.forward(61)
        other = engine.question(BEN)  # the lease ended when ben asked
        assert other.row == second.row
        engine.release(BEN)
        assert engine.answer(ANA, second.id, "no").annotator == "ana"
        with pytest.raises(StaleQuestionError, match="answered already"):
            engine.answer(BEN, other.id, "yes")
        third = engine.question(BEN)
        engine.clock.forward(61)
        assert engine.question(ANA).row == third.row
        engine.clock.forward(61)  # ana's time is over as well: whoever answers first
        assert engine.answer(BEN, third.id, "yes").annotator == "ben"
        assert [a.label for a in engine.position().told] == ["yes", "no", "yes"]

    def test_a_lease_is_renewed_when_half_of_it_is_over(self):
        engine = engine_with()
        question = engine.question(ANA)
        engine.clock.forward(20)
        assert engine.renew(ANA, question.id) == question
        engine.clock.forward(20)
        renewed = engine.renew(ANA, question.id)
        assert renewed.id == question.id and renewed.until - question.until == timedelta(seconds=40)
        engine.clock.forward(59)
        assert engine.open_questions(ANA) == [renewed]
        with pytest.raises(StaleQuestionError, match="not yours"):
            engine.renew(BEN, question.id)
        engine.answer(ANA, question.id, "yes")
        with pytest.raises(StaleQuestionError, match="not yours any more"):
            engine.renew(ANA, question.id)
        assert [e.kind for e in engine.storage.events()] == [Kind.ASKED, Kind.RENEWED, Kind.LABELLED]

    def test_a_correction_keeps_who_answered_and_says_who_corrected(self):
        engine = engine_with()
        question = engine.question(ANA)
        first = engine.answer(ANA, question.id, "yes", note="  blurred\r\nscan ", flag=True)
        assert (first.note, first.flagged, first.correction) == ("blurred\nscan", True, None)
        engine.clock.forward(5)
        for label in ("no", "yes", "no"):
            kept = engine.correct(OWNER, question.row, label)
        assert (kept.label, kept.annotator, kept.time, kept.note) == ("no", "ana", first.time, first.note)
        assert kept.correction == Correction("yes", OWNER.name, engine.clock()) and kept.corrected
        assert StudyState(engine.storage.events()).told[question.row] == kept
        corrections = [e for e in engine.storage.events() if e.kind is Kind.CORRECTED]
        assert [(e.details["before"], e.label) for e in corrections] == [("yes", "no"), ("no", "yes"), ("yes", "no")]

    @pytest.mark.parametrize("note", ["x" * 2_001, "a\x00b", "\x1b[31m"])
    def test_notes_are_text(self, note):
        engine = engine_with()
        question = engine.question(ANA)
        with pytest.raises(InvalidInputError, match="a note must be"):
            engine.answer(ANA, question.id, "yes", note=note)
        assert engine.position().pending == (question.row,)

    def test_nobody_is_asked_while_it_is_paused(self):
        engine = engine_with()
        question = engine.question(ANA)
        with pytest.raises(NotAllowedError, match="owner"):
            engine.pause(ANA)
        engine.pause(OWNER)
        engine.pause(OWNER)
        waiting = engine.question(BEN)
        assert isinstance(waiting, Next) and not waiting.finished and "paused" in waiting.reason
        engine.answer(ANA, question.id, "yes")  # what somebody has at hand is welcome
        engine.resume(OWNER)
        assert engine.question(BEN).row != question.row
        kinds = [Kind.ASKED, Kind.PAUSED, Kind.LABELLED, Kind.RESUMED, Kind.ASKED]
        assert [e.kind for e in engine.storage.events()] == kinds

    def test_nothing_changes_in_an_archived_study(self):
        engine = engine_with()
        question = engine.question(ANA)
        engine.archive(OWNER)
        before = engine.storage.events()
        for change in (
            lambda: engine.answer(ANA, question.id, "yes"),
            lambda: engine.tell(OWNER, [(3, "yes")]),
            lambda: engine.pause(OWNER),
            lambda: engine.release(ANA),
        ):
            with pytest.raises(NotAllowedError, match="archived"):
                change()
        over = engine.question(BEN)
        assert isinstance(over, Next) and over.finished and engine.storage.events() == before
        engine.restore(OWNER)
        assert engine.answer(ANA, question.id, "yes").label == "yes"

    def test_answer_in_time(self):
        engine = engine_with()
        question = engine.question(ANA)
        engine.clock.forward(59)
        assert engine.answer(ANA, question.id, "yes").label == "yes"

    def test_same_answer_twice_is_one(self):
        engine = engine_with()
        question = engine.question(ANA)
        first = engine.answer(ANA, question.id, "yes")
        assert engine.answer(ANA, question.id, "yes") == first
        with pytest.raises(StaleQuestionError, match="answered already"):
            engine.answer(ANA, question.id, "no")
        assert len([e for e in engine.storage.events() if e.kind is Kind.LABELLED]) == 1

    def test_skipped_twice_is_once(self):
        engine = engine_with()
        question = engine.question(ANA)
        assert engine.skip(ANA, question.id) == engine.skip(ANA, question.id)
        assert engine.question(ANA).row != question.row

    def test_question_of_another(self):
        engine = engine_with()
        question = engine.question(ANA)
        with pytest.raises(NotAllowedError, match="'ana'"):
            engine.answer(BEN, question.id, "yes")
        with pytest.raises(StaleQuestionError, match="no question"):
            engine.answer(BEN, 10**12, "yes")
        assert engine.answer(OWNER, question.id, "yes").annotator == "eva"

    def test_released_rows_come_back(self):
        engine = engine_with()
        question = engine.question(ANA)
        engine.release(ANA)
        assert engine.question(BEN).row == question.row

    def test_one_row_is_released_by_whoever_holds_it_or_an_owner(self):
        engine = engine_with()
        question, other = engine.question(ANA), engine.ask(ANA)
        with pytest.raises(NotAllowedError, match="being labelled by 'ana'"):
            engine.release(BEN, question.row)
        engine.release(OWNER, question.row)
        engine.release(ANA, other.row)
        assert engine.position().pending == ()
        held = engine.question(BEN)
        engine.clock.forward(61)
        with pytest.raises(InvalidInputError, match="not pending"):
            engine.release(BEN, held.row)

    def test_a_skip_is_taken_back_by_who_skipped_or_an_owner(self):
        engine = engine_with()
        question = engine.question(ANA)
        engine.skip(ANA, question.id)
        with pytest.raises(NotAllowedError, match="answered by 'ana'"):
            engine.unskip(BEN, question.row)
        engine.unskip(ANA, question.row)
        assert engine.position().skipped == ()
        assert engine.question(BEN).row == question.row

    def test_last_rows_are_waited_for(self):
        engine = engine_with(budget=3)
        held = [engine.question(Person(name)) for name in "abc"]
        waiting = engine.question(Person("d"))
        assert isinstance(waiting, Next) and not waiting.finished and "3 rows await" in waiting.reason
        for question, name in zip(held, "abc", strict=True):
            engine.answer(Person(name), question.id, "yes")
        finished = engine.question(Person("d"))
        assert isinstance(finished, Next) and finished.finished

    def test_python_tells_late_unless_somebody_holds_the_row(self):
        engine = engine_with()
        question = engine.question(ANA)
        engine.clock.forward(100)
        other = engine.question(BEN)
        assert other.row == question.row
        with pytest.raises(StaleQuestionError, match="'ben'"):
            engine.tell(ANA, [(question.row, "yes")])
        engine.clock.forward(100)
        engine.tell(ANA, [(question.row, "yes")])
        assert engine.position().told == ((question.row, "yes", True),)

    @pytest.mark.parametrize("lease", [0, -1, float("inf"), True, "x"])
    def test_lease_is_a_time(self, lease):
        with pytest.raises(InvalidInputError, match="lease"):
            engine_with(lease=lease)


class TestRights:
    def test_own_answers_only(self):
        engine = engine_with()
        label_some(engine, ANA, 2)
        row = engine.position().told[0][0]
        for change in (lambda: engine.correct(BEN, row, "yes"), lambda: engine.undo(BEN, row)):
            with pytest.raises(NotAllowedError, match="'ana'"):
                change()
        with pytest.raises(NothingToUndo, match="yours"):
            engine.undo(BEN)
        with pytest.raises(NotAllowedError):
            engine.import_answers(ANA, [])
        assert engine.correct(OWNER, row, "yes").annotator == "ana"
        engine.undo(OWNER, row)
        assert row not in [told[0] for told in engine.position().told]

    def test_undo_takes_back_the_own_last_answer(self):
        engine = engine_with()
        mine = engine.question(ANA)
        engine.answer(ANA, mine.id, "yes")
        label_some(engine, BEN, 2)
        assert engine.undo(ANA).row == mine.row
        assert engine.question(ANA).row == mine.row  # to be answered again
        assert [told[0] for told in engine.position().told] == [a.row for a in engine._state.answers("ben")]

    def test_undo_of_a_skip(self):
        engine = engine_with()
        question = engine.question(ANA)
        engine.skip(ANA, question.id)
        assert engine.undo(ANA).label is None
        assert engine.position().skipped == ()

    def test_correction_of_a_skip(self):
        engine = engine_with()
        question = engine.question(ANA)
        engine.skip(ANA, question.id)
        engine.correct(ANA, question.row, "no")
        assert engine.position().skipped == () and engine.position().told == ((question.row, "no", True),)
        with pytest.raises(InvalidInputError):
            engine.correct(ANA, next(r for r in range(60) if r != question.row), "no")


class TestTable:
    def test_other_table_is_refused_with_what_differs(self, tmp_path):
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame({"id": [f"p{i}" for i in range(30)], "a": [0, 1] * 15, "b": [0, 1, 2] * 10})
        path = tmp_path / "s.db"
        Study.create(path, frame, 1, id_column="id", random_state=0).close()
        Study.open(path, frame.copy()).close()
        for other, said in (
            (frame.iloc[:29], "29 rows instead of 30"),
            (frame.assign(a=1 - frame["a"]), "'a' with other values"),
            (frame.assign(c=frame["a"]), "column 'c' new"),
            (frame[["id", "b", "a"]], "another order"),
            (frame.drop(columns="b"), "column 'b' missing"),
            (frame.assign(id=frame["id"][::-1].to_numpy()), "'id' with other values"),
            (frame.drop(columns="id"), "column 'id' missing"),
            (frame.assign(b=frame["b"].astype(float).replace(0, np.nan)), "'b' with other values"),
        ):
            with pytest.raises(StudyMismatchError, match=said):
                Study.open(path, other)

    def test_file_is_found_again(self, tmp_path):
        table = tmp_path / "t.csv"
        np.savetxt(table, PROBLEM.X, fmt="%d", delimiter=",", header="a,b,c,d,e", comments="")
        Study.create(tmp_path / "s.db", table, 2).close()
        with Study.open(tmp_path / "s.db") as study:
            assert study.title == "t" and study.pool.names == ("a", "b", "c", "d", "e")
        other = tmp_path / "elsewhere"
        other.mkdir()
        for path in (table, tmp_path / "s.db"):
            path.rename(other / path.name)
        Study.open(other / "s.db").close()  # both were moved
        (other / "t.csv").rename(tmp_path / "u.csv")
        with pytest.raises(InvalidInputError, match="say where it is"):
            Study.open(other / "s.db")
        Study.open(other / "s.db", tmp_path / "u.csv").close()

    @pytest.mark.parametrize(
        ("ids", "said"),
        [
            (["p1", "p2", "Zo\u00eb", "p3", " Zoe\u0308"], r"rows 3 and 5 of the table have both ' Zoe\u0308'"),
            (["p1", None, "p2", None, "p3"], r"has 2 rows without an id \(the first is row 2 of the table\)"),
        ],
    )
    def test_ids_that_name_no_row_are_named(self, tmp_path, ids, said):
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame({"id": ids, "a": [0, 1, 0, 1, 0], "b": [0, 0, 1, 1, 1]})
        with pytest.raises(InvalidInputError, match=said):
            Study.create(tmp_path / "s.db", frame, 1, id_column="id")
        assert not list(tmp_path.iterdir())

    def test_table_in_memory_must_be_given(self):
        storage = MemoryStorage()
        Study.create(storage, PROBLEM.X, 2)
        with pytest.raises(InvalidInputError, match="pass the same table again"):
            Study.open(storage)

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"id_column": "none"}, "'none'"),
            ({"show": ["none"]}, "'none'"),
            ({"show_text": "none"}, "'none'"),
            ({"show_image": "3x3"}, "9 pixels"),
            ({"show_image": "3by3"}, "HEIGHTxWIDTH"),
            ({"show_image": "1x5", "ignore": [99]}, "99"),
            ({"k": 9}, "k=9"),
            ({"classes": "yes"}, "list"),
            ({"classes": ["yes"]}, "two labels"),
            ({"strategy": "none"}, "none"),
            ({"strategy": object()}, "unknown strategy"),
            ({"title": "\x00"}, "title"),
        ],
    )
    def test_wrong_settings_leave_nothing_behind(self, tmp_path, options, said):
        with pytest.raises(InvalidInputError, match=said):
            Study.create(tmp_path / "s.db", PROBLEM.X, **{"k": 2, **options})
        assert not list(tmp_path.iterdir())

    def test_image_and_text(self):
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame({f"p{i}": [0, i % 3, 2] * 5 for i in range(6)})
        frame["note"] = [f"<i>{i}</i>" for i in range(15)]
        frame["real"] = np.where(np.arange(15) == 3, np.nan, 0.1)
        engine = create_engine(
            MemoryStorage(), frame, k=1, show_image=(2, 3), show_text="note", show=["real"], ignore=["real"]
        )
        first, third = engine.table.image_of(0), engine.table.image_of(2)
        assert first is not None and first.tolist() == [[255] * 3] * 2
        assert third is not None and third.tolist() == [[0] * 3] * 2
        assert engine.table.text_of(4) == "<i>4</i>"
        assert engine.table.cells(0) == [("real", "0.1")]
        assert engine.table.cells(3) == [("real", "missing")]
        assert "note" not in engine.table.pool.names

    @pytest.mark.parametrize("place", ["in memory", "in a file", "in pieces"])
    def test_every_row_has_a_cost(self, place, tmp_path, monkeypatch):
        table = pd.DataFrame({"a": [0, 1] * 10, "b": [0, 0, 1, 1] * 5, "c": [0, 1, 1, 0] * 5, "price": 2.0})
        table.loc[7, "price"] = np.nan
        given: Any = table
        if place != "in memory":
            given = tmp_path / "table.parquet"
            table.to_parquet(given)
        if place == "in pieces":
            monkeypatch.setattr("activefs.streams._fits.MOST_CELLS", 10)
        with pytest.raises(InvalidInputError, match="'price' has no number in row 7"):
            Study.create(MemoryStorage(), given, 2, cost="price", budget=8, strategy="random")

    def test_cost_is_a_column(self):
        X = np.column_stack([PROBLEM.X, np.linspace(1, 4, 60)])
        study = Study.create(MemoryStorage(), X, 2, cost="x5", budget=8, random_state=0, when_certified="continue")
        session = Session(X, 2, strategy="assisted", cost="x5", budget=8, random_state=0, when_certified="continue")
        while not session.finished:
            row = session.ask()
            assert study.ask() == row
            session.tell(row, truth(row))
            study.tell(row, truth(row))
        assert study.finished


class TestCsv:
    def filled(self, **options):
        engine = engine_with(**options)
        engine.import_answers(OWNER, [])
        label_some(engine, ANA, 7)
        engine.skip(BEN, engine.question(BEN).id)
        label_some(engine, BEN, 4)
        Study(engine, "ana").tell([50, 51], ["yes", "no"])
        engine.correct(ANA, engine.position().told[2][0], "yes")
        engine.undo(BEN, lease=False)
        return engine

    @pytest.mark.parametrize("options", [{}, {"classes": None}])
    def test_round_trip_gives_the_same_study(self, options):
        engine = self.filled(**options)
        text = Study(engine).export_csv()
        again = engine_with(**options)
        other = Study(again, "eva")
        assert other.import_csv(text) == len(text.splitlines()) - 1
        assert other.export_csv() == text
        # What was drawn is not in the file: labels that are imported were there before.
        assert again.position() == replace(engine.position(), moves=())
        assert again.asker.next(again.position()) == engine.asker.next(engine.position())
        counts = [(s.name, s.labels, s.skips) for s in Study(engine).status().annotators]
        assert [(s.name, s.labels, s.skips) for s in other.status().annotators] == counts
        assert other.import_csv(text) == 0  # a second time changes nothing

    def test_columns(self):
        rows = list(csv.DictReader(io.StringIO(Study(self.filled()).export_csv())))
        assert list(rows[0])[:5] == ["row", "label", "annotator", "time", "kind"]
        assert {r["kind"] for r in rows} == {"answer", "known", "skipped"}

    def test_row_and_label_are_enough(self):
        study = Study(engine_with(), "eva")
        assert study.import_csv("\ufeffrow,label\n3,yes\n4,no\n5,\n") == 3
        assert study.labelled.tolist() == [3, 4] and study.skipped == (5,)
        assert study.status().annotators[0].name == "eva"

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            ("", "label"),
            ("row:label\n1:yes\n", "label"),
            ("label\nyes\n", "row"),
            ("row,label\n99,yes\n", "line 2"),
            ("row,label\n1,perhaps\n", "line 2.*perhaps"),
            ("row,label\n1,yes\n1,no\n", "line 3"),
            ("row,label\n1\n", "line 2"),
            ("row,label,time\n1,yes,soon\n", "2024-05-01"),
            ("row,label,time\n1,yes,0001-01-01T00:00:00+14:00\n", "2024-05-01"),
            ("row,label,kind\n1,yes,guess\n", "kind"),
            ("row,label,kind\n1,yes,skipped\n", "must have no label"),
            ("row,label,kind\n1, ,answer\n", "line 2.*kind answer must have a label; if nobody knows it, the kind is"),
            ("row,row,label\n1,2,yes\n", "more than one column 'row'"),
            ('row,label\n1,"yes\n', "CSV"),
        ],
    )
    def test_all_or_nothing(self, content, said):
        study = Study(engine_with())
        with pytest.raises(InvalidInputError, match=said):
            study.import_csv(content)
        assert study.n_labels == 0

    def test_contradiction(self):
        study = Study(engine_with())
        study.tell(3, "yes")
        with pytest.raises(InvalidLabelError, match="nothing was imported"):
            study.import_csv("row,label\n4,no\n3,no\n")
        assert study.n_labels == 1

    def test_labels_that_are_numbers(self):
        engine = engine_with(classes=[0, 1])
        study = Study(engine)
        study.import_csv("row,label\n3,1\n4,0\n")
        assert study.labels == [1, 0]


class TestStatus:
    def test_places_and_certainty(self):
        X = np.repeat(np.eye(4, dtype=int)[:, :3], 60, axis=0)
        study = Study.create(MemoryStorage(), X, 1, strategy="afs", random_state=0, when_certified="continue")
        for row in range(0, 240, 2):
            study.tell(row, int(X[row, 1]))
        status = study.status()
        assert study.settled and status.selection.settled and not status.certified
        assert status.places[0].name == "x1" and status.places[0].challengers == 0
        assert status.n_labels == 120 and status.classes == ((0, 90), (1, 30))

    def test_assisted_places_and_certainty(self):
        X = np.repeat(np.eye(4, dtype=int)[:, :3], 60, axis=0)
        study = Study.create(MemoryStorage(), X, 1, strategy="assisted", random_state=0, stop_when_gap_below=0.01)
        while not study.finished:
            row = study.ask()
            study.tell(row, int(X[row, 1]))
        status = study.status()
        assert study.n_labels < 240 and "lack less than 0.01" in status.finished
        assert not status.certified and status.sure.startswith("expected to lack") and status.places[0].name == "x1"
        assert study._reader.history()[-1].settled == 1

    def test_history_ends_settled(self):
        engine = engine_with(strategy="afs")
        label_some(engine, ANA, 15)
        reader = Study(engine)._reader
        history = reader.history()
        assert [p.labels for p in history] == list(range(1, 16))
        assert history[-1].settled == 2
        label_some(engine, ANA, 2)
        engine.correct(ANA, engine.position().told[0][0], "yes")
        fresh = Study(open_engine(engine.storage, PROBLEM.X))._reader
        assert reader.history() == fresh.history()

    def test_report_is_one_file(self):
        from activefs.study._report import html_report

        engine = engine_with(title="<script>alert(1)</script>")
        label_some(engine, Person("<b>ana</b>"), 5)
        page = html_report(engine, Study(engine)._reader)
        assert "<script" not in page and "<b>ana" not in page and "&lt;b&gt;ana" in page
        assert page.count("data:image/png;base64,") == 2
        assert "http://" not in page and "https://" not in page


def test_what_is_noted_is_in_every_entry_besides_its_own_details():
    engine = engine_with()
    question = engine.ask(ANA)
    with engine.noting({"from": "elsewhere"}):
        engine.answer(ANA, question.id, "yes", note="hard")
        engine.undo(ANA)
    engine.release(ANA)
    details = [event.details for event in engine.storage.events()]
    assert details[1] == {"note": "hard", "from": "elsewhere"}
    assert details[2:4] == [{"from": "elsewhere"}] * 2
    assert details[0] is None and details[4] is None


class TestWhatPeopleWrite:
    WORDS = (
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\U0001f468\u200d\U0001f469",
        "3\u00a0mg",
        "\u3042\u3000\u3044",
    )

    def test_labels_and_notes_of_all_scripts(self):
        engine = create_engine(MemoryStorage(), PROBLEM.X, k=2, strategy="random")
        for word in self.WORDS:
            question = asked(engine, ANA)
            kept = engine.answer(ANA, question.id, word, note=f"{word}\n\ufeffco\u00adpied\t")
            assert kept.label == word and kept.note == f"{word}\n\ufeffco\u00adpied"
        again = create_engine(MemoryStorage(), PROBLEM.X, k=2, strategy="random", classes=self.WORDS)
        Study(again).import_csv(Study(engine).export_csv())
        assert Study(again).export_csv() == Study(engine).export_csv()

    @pytest.mark.parametrize("wrong", ["a\x00b", "a\nb", "a\u202eb", "\u200d", "\ud800", "a\u200bb"])
    def test_what_nobody_sees_is_no_class(self, wrong):
        engine = create_engine(MemoryStorage(), PROBLEM.X, k=2, strategy="random")
        question = asked(engine, ANA)
        with pytest.raises(InvalidInputError, match="a label must"):
            engine.answer(ANA, question.id, wrong)

    @pytest.mark.parametrize("wrong", ["a\x00b", "\x1b[2J", "\ud800"])
    def test_what_a_terminal_obeys_is_no_note(self, wrong):
        engine = create_engine(MemoryStorage(), PROBLEM.X, k=2, classes=CLASSES, strategy="random")
        question = asked(engine, ANA)
        with pytest.raises(InvalidInputError, match="a note must"):
            engine.answer(ANA, question.id, "yes", note=wrong)


class TestHold:
    def test_requests_at_the_same_time_lease_no_more_than_one_may_hold(self):
        engine = create_engine(MemoryStorage(), PROBLEM.X, k=2, classes=CLASSES, strategy="random")
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda _: engine.ask(ANA, most=3), range(24)))
        assert len(engine.open_questions(ANA)) == 3
        numbers = [question.id for question in found if isinstance(question, Question)]
        assert len(numbers) == 24 and set(numbers) == {q.id for q in engine.open_questions(ANA)}

    def test_what_is_taken_back_takes_the_place_of_what_was_held_first(self):
        engine = create_engine(MemoryStorage(), PROBLEM.X, k=2, classes=CLASSES, strategy="random")
        rows = []
        for _ in range(5):
            question = asked(engine, ANA)
            engine.answer(ANA, question.id, "yes")
            rows.append(question.row)
        for _ in rows:
            engine.undo(ANA, most=2)
            assert len(engine.open_questions(ANA)) <= 2
        assert [q.row for q in engine.open_questions(ANA)] == rows[:2], "the latest first, as it was taken back last"

    def test_programs_that_hold_many_rows_keep_them(self):
        engine = create_engine(MemoryStorage(), PROBLEM.X, k=2, classes=CLASSES, strategy="random", hold=2)
        first = engine.ask(ANA)
        assert isinstance(first, Question)
        engine.answer(ANA, first.id, "yes")
        held = [engine.ask(ANA).row for _ in range(6)]
        engine.undo(ANA)
        assert {q.row for q in engine.open_questions(ANA)} == {first.row, *held}


def test_somebody_may_hold_rows_for_longer_than_others():
    engine = engine_with()
    patient = Person("laboratory", Role.OWNER, lease=timedelta(days=7))
    question = engine.ask(patient)
    assert question.until - engine.clock() == timedelta(days=7)
    engine.clock.forward(4 * 86400)
    assert engine.ask(ANA).row != question.row
    assert engine.renew(patient, question.id).until - engine.clock() == timedelta(days=7)
