"""Labels of every kind, classes fixed or found, two classes as a special case of many."""

import warnings

import numpy as np
import pytest

from activefs import Pool, Session
from activefs.criteria import available, create
from activefs.estimates._plug_in import Estimates
from activefs.exceptions import InvalidInputError, InvalidLabelError, NumericLabelsWarning
from activefs.intervals import ClopperPearson

X = np.random.default_rng(0).integers(0, 3, size=(150, 7))


class General(Estimates):
    """Estimates that use the code for many classes although there are two."""

    def _statistics(self, counts, draws=None):
        low, high = ClopperPearson().bounds(counts, counts.sum(axis=1)[:, None], self.delta)
        n = counts.sum(axis=1)
        out = np.empty((len(counts), 4))
        out[:, 0] = np.where(
            n > 0, self.criterion.value(counts / np.maximum(n, 1)[:, None]), self.criterion.value([0.5, 0.5])
        )
        out[:, 1], out[:, 2] = self.criterion.bounds(low, high)
        out[:, 3] = self.criterion.spread_upper(low, high)
        return out


@pytest.mark.parametrize("criterion", available())
def test_two_classes_through_the_code_for_many_are_the_same(criterion):
    rng = np.random.default_rng(1)
    pool = Pool.from_table(X)
    y = rng.integers(0, 2, 150)
    binary = Estimates(pool, 2, criterion=create(criterion))
    general = General(pool, 2, criterion=create(criterion))
    for size in (3, 20, 100):
        rows = rng.permutation(150)[:size]
        for estimates in (binary, general):
            estimates._labels.clear()
            estimates._reset()
            estimates.add_many(rows, y[rows])
        for name in ("value", "lower", "upper"):
            assert getattr(binary, name) == pytest.approx(getattr(general, name), abs=1e-12)
        cells = np.arange(pool.offsets[-1])
        assert binary.spread_upper(cells) == pytest.approx(general.spread_upper(cells), abs=1e-12)


@pytest.mark.parametrize("fixed", [False, True], ids=["found", "fixed"])
@pytest.mark.parametrize(
    "kinds",
    [[("ill", "healthy", "unknown"), (0, 1, 2)], [("a", "b"), (3, 7), (True, False), (5.0, -1.0)]],
    ids=["three", "two"],
)
def test_labels_of_every_kind_give_the_same_questions(kinds, fixed):
    runs = []
    for labels in kinds:
        session = Session(X, k=2, budget=25, classes=labels if fixed else None, random_state=0)
        while not session.finished:
            row = session.ask()
            session.tell(row, labels[X[row, 1] % len(labels)])
        assert set(session.labels) == set(labels)
        assert session.selection().features[0] == 1
        runs.append(session.labelled.tolist())
    assert all(run == runs[0] for run in runs)


def test_numpy_labels_are_plain_labels():
    session = Session(X, k=2)
    session.tell(0, np.str_("a"))
    session.tell(1, "a")
    session.tell(2, np.array("b"))
    assert session.classes == ("a", "b")
    assert session.labels == ["a", "a", "b"]


def test_a_third_class_that_turns_up_changes_everything_at_once():
    late = Session(X, k=2, random_state=0)
    fixed = Session(X, k=2, random_state=0, classes=["a", "b", "c"])
    for row, label in enumerate("abab" * 5 + "c" * 4):
        late.tell(row, label)
        fixed.tell(row, label)
    assert list(late.classes) == ["a", "b", "c"]
    for name in ("value", "lower", "upper"):
        assert getattr(late.estimates, name) == pytest.approx(getattr(fixed.estimates, name), abs=1e-12)
    for _ in range(4):
        late.undo()
    assert late.classes == ("a", "b")
    two = Session(X, k=2)
    two.tell(list(range(20)), list("abab" * 5))
    assert late.estimates.upper == pytest.approx(two.estimates.upper, abs=1e-12)


@pytest.mark.parametrize(
    ("label", "said"),
    [
        (None, "the label is missing"),
        (float("nan"), "the label is missing"),
        (np.nan, "the label is missing"),
        (["a"], "a label must be a string"),
        ({"a"}, "a label must be a string"),
        ({"a": 2}, "must be a number from 0 to 1"),
    ],
)
def test_labels_that_are_none_are_refused(label, said):
    session = Session(X, k=2)
    with pytest.raises(InvalidLabelError, match=said):
        session.tell(0, label)
    assert session.n_labels == 0


@pytest.mark.parametrize(
    ("classes", "said"),
    [
        (["a"], "at least two labels"),
        (["a", "a"], "a label twice"),
        ([], "at least two labels"),
        ("ab", "must be a list of labels"),
        (["a", None], "the label is missing"),
        (3, "must be a list of labels"),
    ],
)
def test_bad_lists_of_classes_are_refused(classes, said):
    with pytest.raises(InvalidInputError, match=said):
        Session(X, k=2, classes=classes)


def test_more_classes_than_labels():
    with pytest.raises(InvalidInputError, match="5 classes cannot be told apart with a budget of 4 labels"):
        Session(X, k=2, classes=list("abcde"), budget=4)
    many = Session(X, k=2, classes=range(21), budget=4)  # of many classes, some are never seen
    assert many.ask(4).size == 4


@pytest.mark.parametrize("label", [str, "name {}".format, float], ids=["number as text", "text", "number"])
def test_three_hundred_classes_one_after_the_other_and_no_more_if_none_comes_twice(label):
    table = np.random.default_rng(0).integers(0, 3, size=(700, 5))
    session = Session(table, k=2, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NumericLabelsWarning)
        for i in range(300):
            session.tell(i, label(i))
    with pytest.raises(InvalidLabelError, match=r"301 different labels among 301, .* label_edges=\[...\]"):
        session.tell(300, label(300))
    with pytest.raises(InvalidLabelError, match="different labels among"):
        session.correct(0, label(300))
    assert session.n_labels == len(session.classes) == 300
    session.tell(list(range(300, 601)), [label(i) for i in range(300)] + [label(299)])  # they do come twice
    session.tell(601, label(601))
    assert len(session.classes) == 301


def test_three_hundred_classes_that_were_named():
    table = np.random.default_rng(0).integers(0, 5, size=(400, 8))
    y = [f"class {i}" for i in range(300)]
    for estimator in ("plug-in", "assisted"):
        session = Session(table, k=2, classes=y, strategy="afs", estimator=estimator, budget=300, random_state=0)
        session.tell(list(range(40)), y[:40])
        session.tell(session.ask(), "class 299")
        with pytest.warns(UserWarning) as caught:
            assert session.selection().features.size == 2
        (said,) = caught
        assert "no label of class 'class 40', 'class 41', 'class 42', 'class 43', 'class 44' and 254" in str(
            said.message
        )
    with pytest.raises(InvalidLabelError, match=r"'class 19' and 280 more$"):
        session.tell(399, "class 300")


def test_the_largest_spread_of_hundreds_of_classes_is_the_same_box_by_box():
    counts = np.random.default_rng(0).multinomial(60, np.full(300, 1 / 300), size=30)
    low, high = ClopperPearson().bounds(counts, np.full(counts.shape, 60), 0.05 / 300)
    for name in available():
        criterion = create(name)
        one_by_one = [criterion.spread_upper(low[[i]], high[[i]])[0] for i in range(30)]
        assert criterion.spread_upper(low, high).tolist() == one_by_one


def test_a_class_never_seen_is_said_and_no_error():
    session = Session(X, k=2, classes=["a", "b", "c"], random_state=0)
    session.tell([0, 1, 2], ["a", "b", "a"])
    with pytest.warns(UserWarning, match="no label of class 'c' so far"):
        session.selection()
    session.tell(3, "c")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        session.selection()


def test_many_classes_find_the_feature_that_knows_them():
    rng = np.random.default_rng(1)
    table = rng.integers(0, 6, size=(300, 12))
    session = Session(table, k=1, budget=50, random_state=0)
    while not session.finished:
        row = session.ask()
        session.tell(row, f"class {table[row, 5]}")
    assert session.selection().features.tolist() == [5]
    assert len(session.classes) == 6
