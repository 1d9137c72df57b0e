"""Labels that are not settled: what may be told, what is refused, and how it is kept."""

import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from activefs import ActiveFeatureSelector, Session
from activefs.engine import ClassList, ClassProbabilities, Position, RangeList, Told
from activefs.exceptions import InvalidInputError, InvalidLabelError

X = np.random.default_rng(0).integers(0, 3, size=(40, 4))
HALF = {"ill": 0.5, "healthy": 0.5}


class TestValue:
    def test_order_and_writing_mean_nothing(self):
        one = ClassProbabilities({"ill": 0.7, " healthy": 0.3})
        other = ClassProbabilities([("healthy", np.float64(0.3)), ("ill", Fraction(7, 10)), ("dead", Decimal(0))])
        assert one == other and hash(one) == hash(other) and repr(one) == repr(other)
        assert one == {"healthy": 0.3, "ill": 0.7} and list(one) == ["ill", "healthy"]
        assert one != ClassProbabilities({"ill": 0.3, "healthy": 0.7})

    def test_equally_likely_classes_are_ordered_by_name(self):
        assert list(ClassProbabilities({"b": 0.5, "a": 0.5})) == list(ClassProbabilities({"a": 0.5, "b": 0.5}))

    def test_rounding_is_divided_away(self):
        found = ClassProbabilities({"a": 0.3333333, "b": 0.3333333, "c": 0.3333333})
        assert sum(found.values()) == pytest.approx(1.0, abs=1e-15)

    @given(st.lists(st.floats(1e-9, 1.0), min_size=2, max_size=400))
    def test_reading_what_was_written_changes_no_digit(self, weights):
        found = ClassProbabilities({i: w / sum(weights) for i, w in enumerate(weights)})
        assert dict(ClassProbabilities(dict(found))) == dict(found)
        assert dict(pickle.loads(pickle.dumps(found))) == dict(found)

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({}, "must add up to 1, and there are none"),
            ({"a": 0.5}, "these add up to 0.5"),
            ({"a": 0.5, "b": 0.6}, "these add up to 1.1"),
            ({"a": -0.1, "b": 1.1}, "the probability of the class 'a' must be a number from 0 to 1, got -0.1"),
            ({"a": float("nan"), "b": 1.0}, "got nan"),
            ({"a": float("inf"), "b": 0.0}, "got inf"),
            ({"a": "0.5", "b": "0.5"}, "got '0.5'"),
            ({"a": True}, "got True"),
            ({"a": None, "b": 1.0}, "got None"),
            ({"a": Decimal("sNaN"), "b": 1.0}, "the probability of the class 'a'"),
            ({"a": 10**400, "b": 1.0}, "the probability of the class 'a'"),
            ({None: 0.5, "b": 0.5}, "the label is missing"),
            ({"a": 0.5, " a": 0.5}, "the class 'a' has two probabilities"),
            ({1: 0.5, "1": 0.5}, "the class '1' has two probabilities"),
            ({ClassProbabilities({"a": 1.0}): 1.0}, "class probabilities are of classes"),
        ],
        ids=repr,
    )
    def test_what_is_none_is_refused(self, given, said):
        with pytest.raises(InvalidLabelError, match=said):
            ClassProbabilities(given)
        session = Session(X, k=1, random_state=0)
        session.tell(0, "a")
        with pytest.raises(InvalidLabelError, match=said):
            session.tell(1, given)
        assert session.labels == ["a"] and session.classes == ("a",)

    def test_pairs_of_equal_classes_are_refused(self):
        with pytest.raises(InvalidLabelError, match="two probabilities"):
            ClassProbabilities([("a", 0.5), ("a", 0.5)])

    def test_an_error_stays_a_sentence(self):
        with pytest.raises(InvalidLabelError) as error:
            ClassProbabilities({f"class {i}": 0.5 for i in range(1000)})
        assert len(str(error.value)) < 300


class TestClasses:
    def test_known_classes_are_found_by_any_writing(self):
        classes = ClassList([1, "é"])
        assert classes.check({"1": 0.75, " e\u0301 ": 0.25}) == {1: 0.75, "é": 0.25}
        assert classes.weights({"é": 0.75, 1: 0.25}) == {1: 0.75, 0: 0.25}

    def test_one_class_is_a_plain_label(self):
        assert ClassList(["a", "b"]).check({"b": 1.0, "a": 0}) == "b"

    def test_a_class_outside_the_list_is_refused_even_if_it_cannot_be(self):
        with pytest.raises(InvalidLabelError, match="'c' is none of the classes"):
            ClassList(["a", "b"]).check({"a": 0.5, "b": 0.5, "c": 0})

    def test_measurements_are_refused(self):
        with pytest.raises(InvalidLabelError, match="number with a fraction"):
            ClassList().check({3.7: 0.5, "b": 0.5})

    def test_names_of_ranges(self):
        classes = RangeList([5, 7.5])
        assert classes.check({"below 5": 0.5, "5 to 7.5": 0.5}) == {"5 to 7.5": 0.5, "below 5": 0.5}
        with pytest.raises(InvalidLabelError, match=r"must be of the ranges by their names .* got 6.2"):
            classes.check({6.2: 0.5, "below 5": 0.5})
        with pytest.raises(InvalidLabelError, match="tell the number itself"):
            classes.check({"below 5": 1.0})

    def test_too_many_classes_are_noticed(self):
        session = Session(np.arange(800).reshape(-1, 2) % 7, k=1, random_state=0)
        labels = [{f"n{2 * i}": 0.5, f"n{2 * i + 1}": 0.5} for i in range(200)]
        with pytest.raises(InvalidLabelError, match="400 different labels among 200"):
            session.tell(range(200), labels)


class TestPosition:
    def test_keys_and_equality(self):
        one, other = (
            Position().telling([Told(3, ClassProbabilities(p))]) for p in (HALF, dict(reversed(HALF.items())))
        )
        assert one == other and one.key_of_answer() == other.key_of_answer()
        third = one.corrected(3, ClassProbabilities({"ill": 0.6, "healthy": 0.4}))
        assert third != one and third.key_of_answer() != one.key_of_answer()
        assert third.corrected(3, "ill").told == (Told(3, "ill"),)


class TestSession:
    def test_tell_correct_undo(self):
        session = Session(X, k=1, strategy="afs", random_state=0)
        session.tell([0, 1], ["ill", HALF])
        assert session.labels == ["ill", HALF] and session.classes == ("ill", "healthy")
        session.tell(1, dict(HALF))  # again, which changes nothing
        with pytest.raises(InvalidLabelError, match=r"already has the label ClassProbabilities"):
            session.tell(1, "ill")
        with pytest.raises(InvalidLabelError, match=r"'healthy': 0\.5"):
            session.tell(0, HALF)
        session.correct(0, {"ill": 0.75, "healthy": 0.25})
        session.correct(1, "ill")
        assert session.labels == [{"ill": 0.75, "healthy": 0.25}, "ill"]
        session.undo()
        assert session.labels == [{"ill": 0.75, "healthy": 0.25}]

    @pytest.mark.parametrize("options", [{}, {"classes": ["ill", "healthy", "dead"]}, {"strategy": "afs"}])
    def test_certain_probabilities_are_the_plain_label(self, options):
        plain, certain = (Session(X, k=2, random_state=0, **options) for _ in "ab")
        for _ in range(25):
            row = plain.ask()
            assert certain.ask() == row
            label, other = ("ill", "healthy") if X[row, 1] else ("healthy", "ill")
            plain.tell(row, label)
            certain.tell(row, {other: 0, label: 1})
        assert certain.labels == plain.labels and certain.classes == plain.classes
        assert np.array_equal(certain.values(), plain.values()) and np.array_equal(certain.bounds(), plain.bounds())
        assert np.array_equal(certain.guaranteed_bounds(), plain.guaranteed_bounds())

    @pytest.mark.parametrize("strategy", ["afs", "assisted"])
    def test_what_was_settled_or_taken_back_leaves_no_trace(self, strategy):
        plain, other = (Session(X, k=2, strategy=strategy, random_state=0) for _ in "ab")
        for session in (plain, other):
            session.tell(range(20), ["ill" if X[row, 1] else "healthy" for row in range(20)])
        other.tell(20, {"dead": 0.5, "ill": 0.5})
        other.values(), other.guaranteed_bounds()
        other.undo()
        other.correct(3, HALF)
        other.values(), other.bounds()
        other.correct(3, "ill" if X[3, 1] else "healthy")
        assert np.array_equal(other.values(), plain.values()) and np.array_equal(other.bounds(), plain.bounds())
        assert other.classes == plain.classes and other.ask() == plain.ask()

    def test_several_rows_need_a_list(self):
        session = Session(X, k=1, random_state=0)
        with pytest.raises(InvalidInputError, match="several rows need a list of labels"):
            session.tell([0, 1], HALF)  # type: ignore[call-overload]  # as it should be

    def test_classes_come_and_go(self):
        session = Session(X, k=1, random_state=0)
        session.tell([0, 1], ["a", {"b": 0.5, "c": 0.5}])
        assert list(session.classes) == ["a", "b", "c"]
        session.correct(1, "c")
        assert list(session.classes) == ["a", "c"]
        session.undo()
        assert session.classes == ("a",)

    def test_a_class_that_may_be_counts_as_seen(self, recwarn):
        session = Session(X, k=1, classes=["ill", "healthy"], random_state=0)
        session.tell(0, HALF)
        session.selection()
        assert not [w for w in recwarn if "class" in str(w.message)]

    def test_a_budget_counts_rows(self):
        session = Session(X, k=1, budget=2, strategy="random", random_state=0)
        session.tell([0, 1], [HALF, HALF])
        assert session.reason == "the budget of 2 labels is used"

    @pytest.mark.parametrize("options", [{}, {"classes": ["ill", "healthy"]}, {"label_edges": [5]}])
    def test_saved_and_loaded(self, tmp_path, options):
        half = HALF if "label_edges" not in options else {"below 5": 0.7, "5 and above": 0.3}
        plain = "ill" if "label_edges" not in options else 4.5
        session = Session(X, k=1, strategy="random", random_state=0, **options)
        for i in range(20):
            session.tell(session.ask(), half if i % 3 else plain)
        session.save(tmp_path / "session.json")
        again = Session.load(tmp_path / "session.json", X)
        assert again.labels == session.labels and again.ask() == session.ask()
        assert np.array_equal(again.values(), session.values())
        copy = pickle.loads(pickle.dumps(session))
        assert copy.labels == session.labels and np.array_equal(copy.values(), session.values())

    @pytest.mark.parametrize(
        "label", [[], [["ill", 0.5]], [["ill", 0.5, 1]], [[["ill"], 1.0]], ["ill"], [["ill", None]]]
    )
    def test_a_broken_file_is_refused(self, tmp_path, label):
        import json

        session = Session(X, k=1, random_state=0)
        session.tell(0, HALF)
        session.save(tmp_path / "session.json")
        content = json.loads((tmp_path / "session.json").read_text())
        content["told"][0][1] = label
        (tmp_path / "session.json").write_text(json.dumps(content))
        with pytest.raises(InvalidInputError, match="no file of a session"):
            Session.load(tmp_path / "session.json", X)

    def test_an_oracle_may_be_unsure(self):
        def oracle(row):
            return HALF if X[row, 0] == 1 else ("ill" if X[row, 0] else "healthy")

        selector = ActiveFeatureSelector(k=1, strategy="random", budget=30, random_state=0).fit(X, oracle=oracle)
        assert selector.selection_.features.tolist() == [0]
        assert len(selector.queried_labels_) == 30 and HALF in list(selector.queried_labels_)
