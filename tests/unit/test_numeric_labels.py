"""Labels that are numbers: noticed where classes are expected, and made classes of with `label_edges`."""

import math
import pickle
import warnings
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from activefs import Session
from activefs.engine import ClassList, RangeList
from activefs.exceptions import InvalidInputError, InvalidLabelError, NumericLabelsWarning, OneClassWarning
from activefs.measurements import all_different, is_real, is_whole, number_from_label

X = np.random.default_rng(0).integers(0, 3, size=(120, 6))
Y = 3.0 * X[:, 2] + np.random.default_rng(1).random(120)
EDGES = [2.5, 6]
NAMES = ("below 2.5", "2.5 to 6", "6 and above")


def class_by_hand(number):
    return NAMES[0] if number < 2.5 else NAMES[1] if number < 6 else NAMES[2]


class TestReading:
    @pytest.mark.parametrize(
        ("said", "number"),
        [
            ("12", 12), (" 12 ", 12), ("+3", 3), ("-3", -3), ("\u22123", -3), ("05", 5), ("3.70", 3.7), ("3,7", 3.7),
            (".5", 0.5), ("5.", 5.0), (",5", 0.5), ("0,125", 0.125), ("1234,567", 1234.567), ("1e3", 1000.0),
            ("2,5e-1", 0.25), ("12345678901234567890", 12345678901234567890.0),
            (7, 7), (7.5, 7.5), (np.float32(0.5), 0.5), (np.int8(3), 3), (Decimal("2.5"), 2.5), (Fraction(1, 4), 0.25),
            ("", None), ("ill", None), ("nan", None), ("inf", None), ("1_000", None), ("0x1F", None), ("1e999", None),
            ("1.234,5", None), ("1,234.5", None), ("1,2,3", None), ("-", None), ("\u0663", None), ("1 000", None),
            (True, None), (np.True_, None), (math.inf, None), (-math.inf, None), (10**400, None), (None, None),
            (Decimal("NaN"), None), (Decimal("Infinity"), None), ((1,), None),
        ],
        ids=repr,
    )  # fmt: skip
    def test_by_hand(self, said, number):
        found = number_from_label(said)
        assert found == number and type(found) is type(number)

    @pytest.mark.parametrize("said", ["1,234", "-12,500", "999,000"])
    def test_what_may_mean_two_numbers_is_refused(self, said):
        with pytest.raises(InvalidLabelError, match=f"write {said.replace(',', '.')} or {said.replace(',', '')}$"):
            number_from_label(said)
        assert not is_real(said) and not is_whole(said)

    @given(st.floats(allow_nan=False, allow_infinity=False))
    @example(1e300)
    @example(-0.0)
    def test_what_is_written_is_read(self, number):
        assert number_from_label(str(number)) == number_from_label(number) == number

    @given(st.one_of(st.integers(-(2**53), 2**53), st.floats(-1e9, 1e9).filter(lambda x: x != int(x))))
    def test_whole_or_not(self, number):
        assert (is_whole(number), is_real(number)) == ((True, False) if isinstance(number, int) else (False, True))


class TestRealLabelsWhereClassesAreExpected:
    @pytest.mark.parametrize("label", [3.7, "3.7", "3,7", np.float32(3.7), Decimal("3.7"), Fraction(7, 2)])
    def test_refused_at_the_first_label_and_nothing_is_kept(self, label):
        session = Session(X, 2, random_state=0)
        row = session.ask()
        with pytest.raises(InvalidLabelError, match=r"with a fraction, .* classes=\[...\], .* label_edges=\[...\]$"):
            session.tell(row, label)
        with pytest.raises(InvalidLabelError, match="fraction"):
            session.tell([row, 5], ["ill", label])
        assert session.n_labels == 0 and session.classes == () and session.pending == (row,)
        session.tell(row, "ill")
        with pytest.raises(InvalidLabelError, match="fraction"):
            session.correct(row, label)
        assert session.labels == ["ill"]

    @pytest.mark.parametrize("label", [math.inf, -math.inf, np.float32("inf"), Decimal("Infinity"), Decimal("1e999")])
    def test_infinite_ones_are_called_so(self, label):
        session = Session(X, 2)
        with pytest.raises(InvalidLabelError, match=r"is not finite: correct it, or skip the row"):
            session.tell(0, label)
        assert session.n_labels == 0
        session.tell(0, "inf")  # a word

    @pytest.mark.parametrize("label", [1j, 2 + 0j, np.complex64(3)])
    def test_complex_ones_are_called_so(self, label):
        for options in ({}, {"label_edges": EDGES}, {"classes": [1, 2]}):
            with pytest.raises(InvalidLabelError, match=r"is a complex number: tell its real part"):
                Session(X, 2, **options).tell(0, label)
        with pytest.raises(InvalidLabelError, match="complex"):
            Session(X, 2, classes=[1, label])

    @pytest.mark.parametrize("label", ["", "  ", np.str_("")])
    def test_empty_text_is_a_missing_label(self, label):
        with pytest.raises(InvalidLabelError, match=r"missing.*skip\(\)"):
            Session(X, 2).tell(0, label)
        with pytest.raises(InvalidLabelError, match="missing"):
            Session(X, 2, classes=["a", label])

    def test_whole_ones_are_classes(self):
        session = Session(X, 2)
        session.tell([0, 1, 2, 3], [1.0, 2.0, "1.0", Decimal(2)])
        assert session.classes == (1.0, 2.0)

    def test_those_that_were_named_are_classes(self):
        session = Session(X, 2, classes=[0.5, 1.5])
        session.tell([0, 1], [0.5, "1.5"])
        assert session.labels == [0.5, 1.5]

    def test_those_that_were_told_before_stay(self):
        """An older study may hold them: it opens, and goes on."""
        classes = ClassList()
        assert classes.code(0.5) == 0 and classes.code("ill") == 1
        assert classes.check(0.5) == 0.5 and classes.check_text("0.5") == 0.5
        with pytest.raises(InvalidLabelError, match="fraction"):
            classes.check(0.75)


class TestWholeNumbersThatAreAllDifferent:
    def told(self, labels):
        session = Session(X, 2, random_state=0)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for row, label in enumerate(labels):
                session.tell(row, label)
        return [str(w.message) for w in caught if issubclass(w.category, NumericLabelsWarning)]

    @pytest.mark.parametrize("label", [int, float, str])
    def test_are_said_once(self, label):
        (said,) = self.told(label(2 * i) for i in range(40))
        assert said.startswith("all 20 labels are different whole numbers") and "label_edges=[...]" in said

    @pytest.mark.parametrize(
        ("labels", "when"),
        [
            ([1200, 950, 3100, 1800, 2250, 7], 5),  # no codes of 300 classes
            ([1, 2, 3, 4, 301], 5),
            ([1, 2, 3, 4, 300, 5, 6], None),
            ([0, 1, 2, 3, 4, 5, 900], 7),
            ([4, -20, 7, 31, 9], 5),  # temperatures
            ([-10, 10, 3, -3, 0, 5, 7, 1, -9], None),  # a scale
            ([1000, *range(1001, 1012)], None),  # a dozen codes
            (range(19), None),
            (range(20), 20),
            ([0, 39, *range(1, 39)], 20),
            ([0, 99, *range(1, 60)], 32),
            ([0, 299, *range(1, 60)], 56),
            ([*range(20), 120, *range(20, 30)], 20),  # and not again when 120 makes the range wider
        ],
    )
    def test_by_hand(self, labels, when):
        said = self.told(labels)
        assert len(said) == (when is not None) and all(text.startswith(f"all {when} labels") for text in said)

    @pytest.mark.parametrize("classes", [2, 10, 26, 60, 150, 300])
    def test_codes_of_classes_that_are_equally_likely_are_hardly_ever_taken_for_a_measurement(self, classes):
        rng = np.random.default_rng(classes)
        noticed = 0
        for _ in range(2000):
            labels = (1 + rng.integers(classes, size=70)).tolist()
            different = next((i for i in range(70) if labels[i] in labels[:i]), 70)
            noticed += all_different(labels[:different], different) != ""  # what was said once stays said
        assert noticed / 2000 < 0.01

    @pytest.mark.parametrize(
        "labels",
        [[*range(19), 0, 21, 22], [f"name {i}" for i in range(40)], ["a", *range(40)]],
        ids=["one came twice", "text", "text among them"],
    )
    def test_otherwise_nothing_is_said(self, labels):
        assert self.told(labels) == []

    def test_other_ways_to_write_a_number_are_no_other_number(self):
        assert self.told([*(str(i) for i in range(18)), *(f"0{i}" for i in range(18))]) == []

    def test_many_at_once_and_fixed_classes(self):
        with pytest.warns(NumericLabelsWarning, match="all 30 labels"):
            Session(X, 2).tell(list(range(30)), list(range(30)))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            Session(X, 2, classes=list(range(30))).tell(list(range(30)), list(range(30)))


class TestRanges:
    @given(
        st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6, unique=True).map(sorted),
        st.floats(-2e6, 2e6) | st.none(),
        st.data(),
    )
    def test_a_number_is_in_the_range_that_says_so(self, edges, number, data):
        number = data.draw(st.sampled_from(edges)) if number is None else number  # exactly on an edge, too
        classes = RangeList(edges)
        assert len(classes.values) == len(set(classes.values)) == len(edges) + 1 == classes.count
        code = classes.code(number)
        assert code == sum(edge <= number for edge in edges)  # an edge belongs to the range above it
        assert classes.class_of(number) == classes.values[code] and classes.code(classes.values[code]) == code
        assert classes.check(number) == number and classes.check_text(str(number)) == number

    def test_names(self):
        assert RangeList([5]).values == ("below 5", "5 and above")
        assert RangeList([-1.5, 0.0, 1000000]).values == (
            "below -1.5",
            "-1.5 to 0",
            "0 to 1000000",
            "1000000 and above",
        )

    @pytest.mark.parametrize("label", ["ill", "below 2.5", True, math.inf, "1,234", "inf", (1,)], ids=repr)
    def test_what_is_no_number_is_refused_and_nothing_is_kept(self, label):
        session = Session(X, 2, label_edges=EDGES)
        with pytest.raises(InvalidLabelError, match="number"):
            session.tell([0, 1], [3, label])
        assert session.n_labels == 0

    @pytest.mark.parametrize("label", [None, math.nan, np.ma.masked])
    def test_what_is_missing_is_skipped_by_whoever_knows(self, label):
        with pytest.raises(InvalidLabelError, match=r"missing.*skip\(\)"):
            Session(X, 2, label_edges=EDGES).tell(0, label)

    def test_not_beside_classes(self):
        with pytest.raises(InvalidInputError, match="either classes or label_edges"):
            Session(X, 2, label_edges=EDGES, classes=["a", "b"])

    def test_as_many_labels_as_classes(self):
        with pytest.raises(InvalidInputError, match="3 classes cannot be told apart with a budget of 2 labels"):
            Session(X, 2, label_edges=EDGES, budget=2)


class TestSessionOfNumbers:
    @pytest.mark.parametrize("strategy", ["assisted", "afs"])
    def test_it_is_the_session_of_their_classes(self, strategy):
        numbers = Session(X, 2, label_edges=EDGES, strategy=strategy, budget=30, random_state=0)
        named = Session(X, 2, classes=NAMES, strategy=strategy, budget=30, random_state=0)
        while not numbers.finished:
            row = numbers.ask()
            assert row == named.ask()
            numbers.tell(row, Y[row])
            named.tell(row, class_by_hand(Y[row]))
        assert numbers.labels == [Y[row] for row in numbers.labelled] and numbers.classes == NAMES
        assert numbers.selection() == named.selection()

    def test_the_number_is_what_is_told_again_corrected_and_taken_back(self):
        session = Session(X, 2, label_edges=EDGES, random_state=0)
        session.tell([0, 1], [1, 7.5])
        session.tell(0, 1.0)  # the same number
        session.tell(0, "1")
        with pytest.raises(InvalidLabelError, match=r"already has the label 1, now it is told 2"):
            session.tell(0, 2)  # the same class, another number
        assert session.estimates.counts.sum(axis=0).tolist() == [6, 0, 6]  # one value of each feature
        session.correct(0, 2)
        assert session.labels == [2, 7.5] and session.estimates.counts.sum(axis=0).tolist() == [6, 0, 6]
        session.correct(0, 2.5)
        assert session.labels == [2.5, 7.5] and session.estimates.counts.sum(axis=0).tolist() == [0, 6, 6]
        assert session.undo() == 1 and session.labels == [2.5]

    def test_what_was_never_seen_is_said(self):
        session = Session(X, 2, label_edges=EDGES, random_state=0)
        session.tell([0, 1], [1, 1.5])
        with pytest.warns(OneClassWarning, match="one class \\('below 2.5'\\)"):
            session.selection()
        session.tell(2, 9)
        with pytest.warns(UserWarning, match="no label of class '2.5 to 6' so far"):
            session.selection()

    def test_saved_loaded_and_pickled(self, tmp_path):
        edges: Any = np.array(EDGES)
        session = Session(X, 2, label_edges=edges, random_state=0)
        session.tell([4, 9], [1.25, 7])
        session.save(tmp_path / "s.json")
        for again in (Session.load(tmp_path / "s.json", X), pickle.loads(pickle.dumps(session))):
            assert again.labels == [1.25, 7] and again.classes == NAMES and again.ask() == session.ask()
            session.release(session.pending[0])
