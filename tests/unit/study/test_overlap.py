"""Rows that a second annotator answers: who is asked, what is made of it, who decides."""

import csv
import io
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from activefs.engine import ClassProbabilities, Next
from activefs.exceptions import InvalidInputError, NotAllowedError, NothingToUndo, StaleQuestionError
from activefs.storages import Kind, MemoryStorage, Role
from activefs.study import Person, Study, StudyState, create_engine, open_engine

X = np.random.default_rng(0).integers(0, 3, size=(60, 5))
ANA, BEN, CEM, EVA = Person("ana"), Person("ben"), Person("cem"), Person("eva", Role.OWNER)
OPTIONS: dict[str, Any] = {
    "k": 2,
    "classes": ["yes", "no"],
    "random_state": 0,
    "when_certified": "continue",
    "lease": 60.0,
}


class Clock:
    """A clock that stands still unless it is put forward."""

    def __init__(self):
        self.now = datetime(2024, 5, 1, tzinfo=UTC)

    def __call__(self):
        return self.now


@pytest.fixture
def engine():
    made = create_engine(MemoryStorage(), X, **OPTIONS, overlap=1.0)
    made.clock = Clock()
    yield made
    made.close()


def answered(engine, who, label):
    question = engine.question(who)
    return question, engine.answer(who, question.id, label)


def state_of(engine):
    return StudyState(engine.storage.events())


class TestWhoIsAsked:
    def test_the_second_annotator_gets_the_row_and_not_the_answer(self, engine):
        first, _ = answered(engine, ANA, "yes")
        second = engine.question(BEN)
        assert (second.row, second.second) == (first.row, True)
        third = engine.question(CEM)
        assert third.row != first.row and not third.second, "one is enough"
        assert engine.position().pending == (third.row,), "the row of the second question has a label"
        engine.answer(BEN, second.id, "yes")
        assert engine.question(ANA).row not in (first.row, third.row)

    def test_nobody_answers_the_own_row(self, engine):
        rows = [answered(engine, ANA, "yes")[0].row for _ in range(6)]
        assert len(set(rows)) == 6
        assert [answered(engine, BEN, "yes")[0].row for _ in range(6)] == rows
        assert engine.question(BEN).row not in rows

    def test_the_share_is_drawn_and_logged(self):
        engine = create_engine(MemoryStorage(), X, **OPTIONS, overlap=0.3)
        for _ in range(60):
            answered(engine, ANA, "yes")
        asked = [(e.row, e.details or {}) for e in engine.storage.events() if e.kind is Kind.ASKED]
        assert {details["overlap"] for _, details in asked} == {0.3}
        twice = [row for row, details in asked if details["twice"]]
        assert 9 <= len(twice) <= 27  # 99.9% of Binomial(60, 0.3)
        found = []
        while not isinstance(question := engine.question(BEN), Next):
            assert question.second
            found.append(question.row)
            engine.answer(BEN, question.id, "no")
        assert found == twice and question.finished

    def test_without_overlap_nothing_is_asked_twice(self):
        engine = create_engine(MemoryStorage(), X, **OPTIONS)
        rows = [answered(engine, who, "yes")[0].row for _ in range(10) for who in (ANA, BEN)]
        assert len(set(rows)) == 20
        assert all(e.details is None for e in engine.storage.events())

    def test_second_answers_are_not_of_the_budget(self):
        engine = create_engine(MemoryStorage(), X, **OPTIONS, overlap=1.0, budget=2)
        for _ in range(2):
            answered(engine, ANA, "yes")
        after = engine.question(ANA)
        assert isinstance(after, Next) and after.finished
        for _ in range(2):
            answered(engine, BEN, "no")
        after = engine.question(BEN)
        assert isinstance(after, Next) and after.finished and len(engine.position().told) == 2

    def test_leases(self, engine):
        answered(engine, ANA, "yes")
        question = engine.question(BEN)
        engine.clock.now += timedelta(seconds=40)
        assert engine.renew(BEN, question.id).until == engine.clock.now + timedelta(seconds=60)
        engine.clock.now += timedelta(seconds=61)
        other = engine.question(CEM)
        assert other.row == question.row and other.second
        with pytest.raises(StaleQuestionError, match="'cem' is at it now"):
            engine.answer(BEN, question.id, "no")
        engine.release(CEM)
        assert engine.answer(BEN, question.id, "no").second
        with pytest.raises(StaleQuestionError, match="answered already"):
            engine.answer(CEM, other.id, "no")

    def test_owners_who_answer_for_others_do_not_answer_their_own_row_again(self, engine):
        answered(engine, EVA, "yes")
        question = engine.question(BEN)
        with pytest.raises(NotAllowedError, match="has your answer already"):
            engine.answer(EVA, question.id, "no")
        assert engine.answer(BEN, question.id, "no").second

    def test_whoever_corrected_a_row_is_not_asked_about_it(self, engine):
        first, _ = answered(engine, ANA, "yes")
        engine.correct(EVA, first.row, "no")
        assert engine.question(EVA).row != first.row
        assert engine.question(BEN).row == first.row

    def test_the_same_answer_twice_is_one(self, engine):
        answered(engine, ANA, "yes")
        question, kept = answered(engine, BEN, "no")
        assert engine.answer(BEN, question.id, "no") == kept
        with pytest.raises(StaleQuestionError):
            engine.answer(BEN, question.id, "yes")

    def test_from_python(self):
        place = MemoryStorage()
        with Study.create(place, X, annotator="ana", overlap=1, **OPTIONS) as ana:
            row = ana.ask()
            ana.tell(row, "yes")
            ben = Study.open(place, X, annotator="ben")
            assert ben.ask() == row
            ben.tell(row, "no")
            assert ben.n_labels == 1 and [a.annotator for a in state_of(ben.engine).answers()] == ["ana", "ben"]


class TestWhatIsMadeOfIt:
    def test_agreement_changes_nothing(self, engine):
        answered(engine, ANA, "yes")
        before = engine.position()
        answered(engine, BEN, "yes")
        assert engine.position().told == before.told

    def test_a_disagreement_counts_with_probabilities_until_it_is_settled(self, engine):
        first, _ = answered(engine, ANA, "yes")
        answered(engine, BEN, "no")
        (told,) = engine.position().told
        assert told.label == ClassProbabilities({"yes": 0.5, "no": 0.5}) and told.row == first.row
        assert engine.asker.at(engine.position(), lambda e, p: e.values(p)).size == 5
        with pytest.raises(NotAllowedError, match="owner"):
            engine.settle(ANA, first.row, "yes")
        kept = engine.settle(EVA, first.row, "no")
        assert (kept.label, kept.annotator, kept.correction.label, kept.correction.annotator) == (
            "no", "ana", "yes", "eva",
        )  # fmt: skip
        assert engine.position().told == ((first.row, "no", True),)
        assert state_of(engine).overlap.disagreements(state_of(engine).told) == []
        engine.settle(EVA, first.row, "no")
        engine.settle(EVA, first.row, "yes")
        settled = [e for e in engine.storage.events() if e.kind is Kind.SETTLED]
        assert [(e.label, e.details) for e in settled] == [
            ("no", {"answers": ["yes", "no"]}),
            ("yes", {"answers": ["yes", "no"], "before": "no"}),
        ]

    def test_who_was_right_before_is_believed_more(self, engine):
        for i in range(12):
            question, _ = answered(engine, ANA, "yes" if i % 2 else "no")
            answered(engine, BEN, "no")
            if i < 11:
                engine.settle(EVA, question.row, "yes" if i % 2 else "no")
        mixed = engine.position().told[-1].label
        assert mixed["yes"] > 0.6 and mixed["yes"] + mixed["no"] == pytest.approx(1)

    def test_every_process_sees_the_same(self, engine):
        for i in range(8):
            answered(engine, (ANA, CEM)[i % 2], "yes" if i % 3 else "no")
            answered(engine, BEN, "yes")
        other = open_engine(engine.storage, X)
        other.clock = engine.clock
        assert other.position() == engine.position()
        assert any(isinstance(told.label, ClassProbabilities) for told in engine.position().told)
        assert other.asker.next(other.position()) == engine.asker.next(engine.position())

    def test_numbers_of_one_range_agree(self):
        options: dict[str, Any] = {name: value for name, value in OPTIONS.items() if name != "classes"}
        engine = create_engine(MemoryStorage(), X, **options, label_edges=[5.0], overlap=1)
        answered(engine, ANA, 1.5)
        answered(engine, BEN, 4.25)
        assert engine.position().told[0].label == "below 5"
        answered(engine, ANA, 1.5)
        answered(engine, BEN, 7)
        assert set(engine.position().told[1].label) == {"below 5", "5 and above"}

    def test_cannot_tell_is_no_disagreement(self, engine):
        first, _ = answered(engine, ANA, "yes")
        question = engine.question(BEN)
        engine.skip(BEN, question.id)
        assert engine.position().told == ((first.row, "yes", True),)
        with pytest.raises(InvalidInputError, match="does not have two answers"):
            engine.settle(EVA, engine.question(CEM).row, "yes")

    def test_new_classes_of_second_annotators(self):
        options: dict[str, Any] = {name: value for name, value in OPTIONS.items() if name != "classes"}
        engine = create_engine(MemoryStorage(), X, **options, overlap=1)
        answered(engine, ANA, "yes")
        answered(engine, BEN, "perhaps")
        assert engine.classes() == ("yes", "perhaps")
        assert engine.asker.next(engine.position()).row is not None


class TestChanges:
    def test_annotators_correct_their_own_answer(self, engine):
        first, _ = answered(engine, ANA, "yes")
        answered(engine, BEN, "no")
        assert engine.correct(BEN, first.row, "yes").second
        assert engine.position().told == ((first.row, "yes", True),)
        assert engine.correct(ANA, first.row, "no").label == "no"
        assert isinstance(engine.position().told[0].label, ClassProbabilities)

    def test_an_owner_who_corrects_settles(self, engine):
        first, _ = answered(engine, ANA, "yes")
        answered(engine, BEN, "no")
        assert engine.correct(EVA, first.row, "no").label == "no"
        assert engine.storage.events()[-1].kind is Kind.SETTLED

    def test_what_an_owner_corrected_is_decided_and_is_not_what_the_annotator_said(self, engine):
        first, _ = answered(engine, ANA, "yes")
        engine.correct(EVA, first.row, "no")
        answered(engine, BEN, "yes")
        state = state_of(engine)
        assert engine.position().told == ((first.row, "no", True),), "the owner has decided"
        assert state.overlap.disagreements(state.told) == []
        assert state.overlap.agreement(state.told, 0).n_agreed == 1, "ana and ben said the same"
        other = create_engine(MemoryStorage(), X, **OPTIONS, overlap=1.0)
        Study(other).import_csv(Study(engine).export_csv())
        assert state_of(other).overlap.agreement(state_of(other).told, 0).n_agreed == 1
        question, _ = answered(engine, BEN, "no")
        engine.correct(EVA, question.row, "yes")
        answered(engine, ANA, "yes")
        state = state_of(engine)
        assert state.overlap.agreement(state.told, 0).n_agreed == 1
        assert state.overlap.disagreements(state.told) == []

    def test_what_an_owner_made_of_cannot_tell_is_no_answer_of_the_annotator(self, engine):
        question = engine.question(ANA)
        engine.skip(ANA, question.id)
        engine.correct(EVA, question.row, "no")
        answered(engine, BEN, "yes")
        state = state_of(engine)
        assert state.overlap.agreement(state.told, 0).n_rows == 0
        assert engine.position().told == ((question.row, "no", True),)

    def test_labels_are_those_that_count(self, engine):
        first, _ = answered(engine, ANA, "yes")
        answered(engine, BEN, "no")
        engine.settle(EVA, first.row, "no")
        assert Study(engine).labels == ["no"]

    def test_taking_back_the_second_answer(self, engine):
        first, _ = answered(engine, ANA, "yes")
        answered(engine, BEN, "no")
        assert engine.undo(BEN).annotator == "ben"
        assert engine.position().told == ((first.row, "yes", True),)
        again = engine.question(BEN)
        assert again.row == first.row and again.second

    def test_taking_back_the_first_answer_leaves_the_second(self, engine):
        first, _ = answered(engine, ANA, "yes")
        answered(engine, BEN, "no")
        engine.undo(ANA)
        assert engine.position().told == ((first.row, "no", True),)
        again = engine.question(ANA)
        assert again.row == first.row and again.second
        engine.answer(ANA, again.id, "no")
        assert engine.position().told == ((first.row, "no", True),)

    def test_taking_back_both(self, engine):
        first, _ = answered(engine, ANA, "yes")
        answered(engine, BEN, "no")
        engine.undo(ANA, lease=False)
        engine.undo(BEN, lease=False)
        assert engine.position().told == () and engine.position().pending == ()
        with pytest.raises(NothingToUndo):
            engine.undo(BEN)
        assert engine.question(CEM).row == first.row

    def test_taking_back_what_somebody_is_just_answering_again(self, engine):
        answered(engine, ANA, "yes")
        question = engine.question(BEN)
        engine.undo(ANA)
        with pytest.raises(StaleQuestionError, match="taken back"):
            engine.answer(BEN, question.id, "no")
        assert engine.question(BEN).row != question.row

    def test_taking_back_takes_the_settlement_along(self, engine):
        first, _ = answered(engine, ANA, "yes")
        answered(engine, BEN, "no")
        engine.settle(EVA, first.row, "yes")
        engine.undo(BEN, lease=False)
        assert engine.position().told == ((first.row, "yes", True),)
        assert not state_of(engine).overlap.settled


@pytest.mark.parametrize("overlap", [-0.1, 1.1, "x", True, float("nan")])
def test_a_share_is_a_share(overlap):
    with pytest.raises(InvalidInputError, match="overlap must be a number from 0 to 1"):
        create_engine(MemoryStorage(), X, **OPTIONS, overlap=overlap)


class TestFiles:
    def test_an_export_brings_both_answers_and_the_decision_back(self, engine):
        for i in range(9):
            question, _ = answered(engine, ANA, "yes" if i % 2 else "no")
            if i < 7:
                second = engine.question(BEN)
                engine.answer(BEN, second.id, "yes", note="<hm>" if i == 2 else None, flag=i == 2)
            if i in (0, 2):
                engine.settle(EVA, question.row, "yes" if i else "no")
        engine.correct(BEN, engine.position().told[1].row, "no")
        text = Study(engine).export_csv()
        lines = list(csv.DictReader(io.StringIO(text)))
        assert [line["label"] for line in lines][:3] == ["no", "yes", "yes"]
        assert (lines[2]["first_label"], lines[2]["second_label"], lines[2]["settled_by"]) == ("no", "yes", "eva")
        assert (lines[2]["second_note"], lines[1]["second_corrected_from"]) == ("<hm>", "yes")
        other = create_engine(MemoryStorage(), X, **OPTIONS, overlap=1.0)
        other.clock = engine.clock
        assert Study(other).import_csv(text) == 9
        assert Study(other).export_csv() == text
        assert other.position().told == engine.position().told
        assert [e.asker.next(e.position()).row for e in (engine, other)] == [
            engine.asker.next(engine.position()).row
        ] * 2
        assert other.question(BEN).row == engine.question(BEN).row, "what awaits a second annotator still does"
        assert Study(other).import_csv(text) == 0

    def test_two_answers_of_one_person_are_refused(self, engine):
        answered(engine, ANA, "yes")
        answered(engine, BEN, "no")
        text = Study(engine).export_csv().replace("ben", "ana")
        other = create_engine(MemoryStorage(), X, **OPTIONS, overlap=1.0)
        with pytest.raises(InvalidInputError, match="line 2 of the file: 'ana' cannot be both"):
            Study(other).import_csv(text)
        with pytest.raises(InvalidInputError, match="'ben' cannot be both annotators of row 1"):
            Study(other).import_csv("row,label,annotator\n1,yes,ben\n")
            Study(other).import_csv("row,label,annotator,second_annotator,second_label\n1,yes,ana,ben,no\n")
        assert len(state_of(other).answers()) == 1


ACTS = st.lists(
    st.tuples(
        st.sampled_from(["ask", "answer", "answer", "answer", "skip", "undo", "correct", "settle", "wait", "release"]),
        st.sampled_from([ANA, BEN, CEM, EVA]),
        st.sampled_from(["yes", "no"]),
        st.integers(0, 5),
    ),
    min_size=20,
    max_size=60,
)


@settings(max_examples=25)
@given(ACTS, st.booleans())
def test_whatever_people_do(acts, half):
    """Every process and a fresh replay agree; no row has two answers of one person, or is with two people at once."""
    place = MemoryStorage()
    one = create_engine(place, X[:8], **{**OPTIONS, "strategy": "random"}, overlap=0.5 if half else 1.0)
    other = open_engine(place, X[:8])
    now = datetime(2024, 5, 1, tzinfo=UTC)
    one.clock = other.clock = lambda: now
    for at, (what, who, label, number) in enumerate(acts):
        engine = (one, other)[at % 2]
        state = StudyState(place.events())
        try:
            if what in ("ask", "answer", "skip"):
                question = engine.question(who)
                if what != "ask" and not isinstance(question, Next):
                    engine.answer(who, question.id, label) if what == "answer" else engine.skip(who, question.id)
            elif what == "undo":
                engine.undo(who, lease=bool(number % 2))
            elif what == "release":
                engine.release(who)
            elif what == "wait":
                now += timedelta(seconds=20 * number)
            elif state.told:
                row = list(state.told)[number % len(state.told)]
                (engine.correct if what == "correct" else engine.settle)(who, row, label)
        except (NotAllowedError, NothingToUndo, StaleQuestionError, InvalidInputError):
            assert place.events() == place.events()[: state.last], "what is refused leaves nothing behind"
        after = StudyState(place.events())
        here = after.position(now)
        assert one.position() == other.position() == here
        for first, second, _ in after.overlap.pairs(after.told):
            assert first.annotator != second.annotator
        held = [(q.row, q.second) for q in after.held() if q.until > now]
        assert len(held) == len(set(held))
        assert {row for row, second in held if second} <= set(here.rows)
    assert one.new_engine().next(here) == one.asker.next(here)
