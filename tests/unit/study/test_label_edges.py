"""Studies whose labels are numbers: the number is kept, its range is the class."""

import sqlite3
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from asked import asked
from machines import sqlite_url

from activefs import Session, Study
from activefs.exceptions import InvalidInputError, InvalidLabelError, NumericLabelsWarning, StaleQuestionError
from activefs.storages import Kind, MemoryStorage, Role
from activefs.study import Person, StudySettings, create_engine, open_engine

X = np.random.default_rng(0).integers(0, 3, size=(90, 5))
Y = (3.0 * X[:, 2] + np.random.default_rng(1).random(90)).round(2)
OPTIONS: dict[str, Any] = {
    "k": 2,
    "label_edges": [2.5, 6],
    "strategy": "afs",
    "random_state": 0,
    "when_certified": "continue",
}
NAMES = ("below 2.5", "2.5 to 6", "6 and above")
ANA, BEN, EVA = Person("ana"), Person("ben"), Person("eva", Role.OWNER)


def new_study(storage=None, **options):
    return Study.create(storage or MemoryStorage(), X, **{**OPTIONS, **options})


def answer_some(engine, who, count):
    for _ in range(count):
        question = engine.question(who)
        engine.answer(who, question.id, float(Y[question.row]))


class TestAsked:
    def test_asks_what_a_session_asks_and_keeps_the_numbers_in_sqlite(self):
        session = Session(X, **OPTIONS)
        with sqlite_url() as url:
            with new_study(url) as study:
                for _ in range(12):
                    row = session.ask()
                    assert study.ask() == row
                    session.tell(row, Y[row]), study.tell(row, Y[row])
            with Study.open(url, X) as study:
                assert study.labels == session.labels == [float(Y[row]) for row in study.labelled]
                assert study.classes == session.classes == NAMES
                assert study.selection() == session.selection() and study.ask() == session.ask()
            kept = sqlite3.connect(url).execute("SELECT label FROM activefs_events WHERE kind = 'labelled'").fetchall()
            assert [float(label) for (label,) in kept] == session.labels

    def test_the_next_row_is_known_before_the_number_is(self, monkeypatch):
        engine = create_engine(MemoryStorage(), X, **OPTIONS)
        answer_some(engine, ANA, 5)
        question = asked(engine, ANA)
        assert engine.asker.settle()
        monkeypatch.setattr(engine.asker, "_find", None)  # from here on, nothing can be computed any more
        engine.answer(ANA, question.id, 4.2)
        assert engine.asker.next(engine.position()).row is not None
        engine.close()

    def test_status_counts_classes(self):
        study = new_study()
        study.tell([0, 1, 2, 3], [1, 2.5, 5.99, 6])
        assert study.status().classes == ((NAMES[0], 1), (NAMES[1], 2), (NAMES[2], 1))
        assert study.status().caution == ""

    def test_report_shows_both(self):
        study = new_study()
        study.tell([0, 1], [1.25, 7])
        study.skip(2)
        page = study.report()
        assert "<td>1.25 (below 2.5)</td>" in page and "<td>7 (6 and above)</td>" in page
        assert "below 2.5: 1, 2.5 to 6: 0, 6 and above: 1" in page


class TestAnswers:
    def test_the_same_number_twice_is_one_answer_another_one_is_late(self):
        engine = create_engine(MemoryStorage(), X, **OPTIONS)
        question = asked(engine, ANA)
        first = engine.answer(ANA, question.id, "3,7", text=True)
        assert first.label == 3.7 and first.told.label == "2.5 to 6"
        assert engine.answer(ANA, question.id, 3.7) == first  # sent again because the receipt was lost
        with pytest.raises(StaleQuestionError):
            engine.answer(ANA, question.id, 3.8)  # of the same class, but not what was said
        assert [e.kind for e in engine.storage.events()] == [Kind.ASKED, Kind.LABELLED]
        engine.close()

    def test_corrected_within_a_class_and_out_of_it(self):
        engine = create_engine(MemoryStorage(), X, **OPTIONS)
        answer_some(engine, ANA, 6)
        before = engine.position()
        row = before.told[2].row
        number = 0.5 if Y[row] < 2.5 else 4.0 if Y[row] < 6 else 9.0
        kept = engine.correct(EVA, row, number)
        assert kept.label == number and kept.corrected and engine.position() == before
        engine.correct(EVA, row, number)  # the same once more
        assert sum(e.kind is Kind.CORRECTED for e in engine.storage.events()) == 1
        other = engine.correct(EVA, row, -1 if number > 2 else 100)
        assert other.told.label in (NAMES[0], NAMES[2]) and engine.position() != before
        assert engine.undo(ANA, lease=False).row == before.told[-1].row
        engine.close()

    @pytest.mark.parametrize("label", ["ill", float("inf"), float("nan"), True, "1,234", "below 2.5"], ids=repr)
    def test_what_is_no_number_is_refused_and_nothing_is_kept(self, label):
        engine = create_engine(MemoryStorage(), X, **OPTIONS)
        question = asked(engine, ANA)
        for text in (True, False):
            with pytest.raises(InvalidLabelError):
                engine.answer(ANA, question.id, label, text=text)
        with pytest.raises(InvalidInputError):
            Study(engine).tell([3, 4], [1.0, label])
        assert engine.answer(ANA, question.id, 3).label == 3  # the question is still open
        assert len(engine.position().told) == 1
        engine.close()

    def test_large_and_small_numbers_come_back_as_they_were(self):
        with sqlite_url() as url:
            with new_study(url) as study:
                study.tell([0, 1, 2, 3], [1e300, -1e-300, 2**53, 12345678901234567890])
                text = study.export_csv()
            with Study.open(url, X) as study:
                assert study.labels == [1e300, -1e-300, 2**53, 12345678901234567890.0]
                assert study.import_csv(text) == 0

    def test_two_annotators_and_a_lease_that_ended(self):
        engine = create_engine(MemoryStorage(), X, **{**OPTIONS, "lease": 60.0})
        now = datetime(2024, 5, 1, tzinfo=UTC)
        engine.clock = lambda: now
        one, two = asked(engine, ANA), asked(engine, BEN)
        assert one.row != two.row
        engine.answer(BEN, two.id, 7.5)
        now += timedelta(seconds=61)
        again = asked(engine, BEN)
        if again.row == one.row:  # ben has it now
            with pytest.raises(StaleQuestionError):
                engine.answer(ANA, one.id, 1)
        else:
            engine.answer(ANA, one.id, 1)
        engine.answer(BEN, again.id, 1)
        assert len(engine.position().told) == 2 + (again.row != one.row)
        engine.close()


class TestFiles:
    def filled(self):
        engine = create_engine(MemoryStorage(), X, **OPTIONS)
        answer_some(engine, ANA, 7)
        engine.skip(BEN, asked(engine, BEN).id)
        answer_some(engine, BEN, 3)
        Study(engine, "eva").tell([50, 51], [2.5, 17])
        engine.correct(EVA, engine.position().told[1].row, 3.125)
        return engine

    def test_round_trip_gives_the_same_study(self):
        engine = self.filled()
        one, two = Study(engine, "eva"), new_study()
        text = one.export_csv()
        assert ",3.125,ana," in text and "51,17,eva," in text
        assert two.import_csv(text) == len(text.splitlines()) - 1
        assert two.export_csv() == text and two.labels == one.labels and two.engine.position() == engine.position()
        assert two.ask() == one.ask() and one.import_csv(text) == 0

    def test_other_spellings_and_contradictions(self):
        study = new_study()
        assert study.import_csv('row,label\n1,"3,7"\n2,4.0\n3,\n') == 3
        assert study.labels == [3.7, 4.0] and study.skipped == (3,)
        assert study.import_csv("row,label\n1,3.70\n2,4\n") == 0
        for content, said in (
            ("1,3.8", "3.7 in the study and 3.8"),
            ("5,ill", "line 2.*finite number"),
            ("5,nan", "nan"),
        ):
            with pytest.raises(InvalidLabelError if "study" in said else InvalidInputError, match=said):
                study.import_csv(f"row,label\n{content}\n")
        assert study.n_labels == 2


class TestSettings:
    def test_are_kept(self):
        storage = MemoryStorage()
        new_study(storage, label_edges=np.array([1.0, 2.0]))
        engine = open_engine(storage, X)
        assert engine.settings.label_edges == (1.0, 2.0) and engine.classes() == ("below 1", "1 to 2", "2 and above")
        assert engine.settings.question == "Which number belongs to this row?"

    def test_older_studies_have_none(self):
        content = StudySettings.checked({"k": 2, "random_state": 0}).to_json()
        del content["label_edges"]
        assert StudySettings.from_json(content).label_edges is None

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"classes": ["a", "b"]}, "either classes or label_edges"),
            ({"label_edges": [2, 1]}, "ascending"),
            ({"budget": 2}, "3 classes"),
        ],
    )
    def test_that_do_not_fit_leave_nothing_behind(self, tmp_path, options, said):
        with pytest.raises(InvalidInputError, match=said):
            new_study(tmp_path / "s.db", **options)
        assert not list(tmp_path.glob("s.db"))


class TestWhereClassesAreExpected:
    def test_fractions_are_refused_and_the_study_goes_on(self):
        study = Study.create(MemoryStorage(), X, 2, random_state=0)
        row = study.ask()
        advice = r"make a new study that names the classes \(classes=\[...\]\) or .* \(label_edges=\[...\]\)$"
        with pytest.raises(InvalidLabelError, match=advice):
            study.tell(row, 3.7)
        with pytest.raises(InvalidInputError, match=r"line 3 of the file: .*fraction"):
            study.import_csv("row,label\n4,ill\n5,3.7\n")
        study.tell(row, "ill")
        with pytest.raises(InvalidLabelError, match="fraction"):
            study.correct(row, 3.7)
        assert study.labels == ["ill"]

    def test_numbers_that_are_all_different_are_said_once_and_in_the_status(self):
        study = Study.create(MemoryStorage(), X, 2, random_state=0)
        study.tell(list(range(19)), list(range(19)))
        assert study.status().caution == ""
        with pytest.warns(NumericLabelsWarning, match="all 20 labels"):
            study.tell(19, 19)
        study.tell(20, 20)
        assert study.status().caution.startswith("all 21 labels are different whole numbers")
        assert "all 21 labels are different" in study.report()
        study.tell(21, 20)
        assert study.status().caution == ""
