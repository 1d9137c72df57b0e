"""Labels and names of rows are the same on whatever way they come."""

import unicodedata

import numpy as np
import pytest
from asked import asked
from hypothesis import given
from hypothesis import strategies as st

from activefs import Session, Study
from activefs.codec import label_from_text, normal, plain_label, text_of
from activefs.engine import ClassList
from activefs.exceptions import InvalidInputError, InvalidLabelError
from activefs.options import declared
from activefs.storages import MemoryStorage, Role
from activefs.study import Person, create_engine

X = np.random.default_rng(0).integers(0, 3, size=(40, 4))
COMPOSED, DECOMPOSED = (
    unicodedata.normalize("NFC", "gr\u00f6\u00dfer"),
    unicodedata.normalize("NFD", "gr\u00f6\u00dfer"),
)


@given(st.text())
def test_normal_is_a_projection(text):
    assert normal(normal(text)) == normal(text) == normal(f" {text}\t") == normal(unicodedata.normalize("NFD", text))


@given(st.one_of(st.integers(-(2**53), 2**53), st.text().filter(str.strip), st.booleans(), st.floats(allow_nan=False)))
def test_what_is_written_is_read_as_the_same_class(label):
    classes = ClassList()
    code = classes.code(label)
    assert classes.code(classes.check_text(text_of(plain_label(label)))) == code


@given(st.integers(-(2**53), 2**53))
def test_integers_stay_integers(number):
    assert label_from_text(f" {number} ") == number and type(label_from_text(str(number))) is int


@pytest.mark.parametrize("text", ["01", "1.0", "+1", "1e3", "٣", "", "ill", "--1", "- 1"])
def test_other_text_stays_text(text):
    assert label_from_text(text) == text


def test_minus_zero_is_zero():
    assert label_from_text("-0") == 0 and type(label_from_text("-0")) is int


class TestClasses:
    def test_spaces_and_accents_make_no_new_class(self):
        session = Session(X, 2, strategy="random", random_state=0)
        session.tell([0, 1, 2, 3], [COMPOSED, DECOMPOSED, f" {COMPOSED} ", "klein"])
        assert session.classes == (COMPOSED, "klein") and session.labels == [COMPOSED] * 3 + ["klein"]

    def test_numbers_and_their_text_meet(self):
        for classes in ([0, 1], ["0", "1"]):
            session = Session(X, 2, strategy="random", classes=classes, random_state=0)
            session.tell([0, 1, 2], [1, "1", np.int64(0)])
            assert session.labels == [classes[1], classes[1], classes[0]]

    def test_classes_of_a_command_line_that_are_all_numbers_are_numbers(self):
        read = declared()["classes"].accepts.from_text
        assert read("0, 1") == [0, 1] and read("1,b") == ["1", "b"]
        session = Session(X, 2, strategy="random", classes=read("0,1"), random_state=0)
        session.tell([0, 1], [1, "0"])
        assert session.labels == [1, 0]

    def test_twice_the_same_is_refused(self):
        for classes in ([1, "1"], ["a", "a "], [COMPOSED, DECOMPOSED]):
            with pytest.raises(InvalidInputError, match="twice"):
                Session(X, 2, classes=classes)

    @pytest.mark.parametrize("label", [None, float("nan"), np.nan, [1], {}], ids=repr)
    def test_missing_and_impossible_labels(self, label):
        with pytest.raises(InvalidLabelError):
            plain_label(label)


class TestStudies:
    def test_one_class_by_python_form_file_and_database(self):
        storage = MemoryStorage()
        engine = create_engine(storage, X, k=2, strategy="random", random_state=0)
        me = Person("ana", Role.OWNER)
        study = Study(engine, "ana")
        study.tell(0, 1)
        question = asked(engine, me)
        assert engine.answer(me, question.id, " 1", text=True).label == 1
        assert study.import_csv("row,label\n20,1\n21,0\n") == 2
        assert study.labels == [1, 1, 1, 0] and all(type(label) is int for label in study.labels)
        again = Study.create(MemoryStorage(), X, 2, strategy="random")
        again.import_csv(study.export_csv())
        assert again.labels == study.labels and all(type(label) is int for label in again.labels)
        assert Study.open(storage, X).classes == (1, 0)

    def test_rows_are_found_whatever_their_accents(self, tmp_path):
        path = tmp_path / "t.csv"
        names = [f"{COMPOSED}{i}" for i in range(12)]
        path.write_text("id,a,b\n" + "".join(f"{n},{i % 2},{i % 3}\n" for i, n in enumerate(names)), encoding="utf-8")
        study = Study.create(MemoryStorage(), path, 1, id_column="id", strategy="random")
        assert study.import_csv(f"id,label\n {DECOMPOSED}3 ,x\n{COMPOSED}4,y\n") == 2
        assert study.labelled.tolist() == [3, 4]

    def test_ids_that_nobody_can_tell_apart_are_refused(self, tmp_path):
        path = tmp_path / "t.csv"
        path.write_text(f"id,a\n{COMPOSED},1\n{DECOMPOSED},2\nx,1\n", encoding="utf-8")
        with pytest.raises(InvalidInputError, match="unique"):
            Study.create(MemoryStorage(), path, 1, id_column="id")
