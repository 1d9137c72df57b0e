import copy
import warnings
from typing import Any

import numpy as np
import pytest

from activefs import Session
from activefs.exceptions import (
    ActiveFSError,
    InvalidInputError,
    InvalidLabelError,
    NothingToAsk,
    NothingToUndo,
    OneClassWarning,
)
from activefs.testing import random_problem

PROBLEM = random_problem(0)
X, Y = PROBLEM.X, PROBLEM.y


def started(labels=12, **params):
    """A session in the middle of its work: labels, a pending row, a skipped row."""
    session = Session(X, 2, **{"strategy": "afs", "random_state": 0, "budget": 40, **params})
    for _ in range(labels):
        row = session.ask()
        session.tell(row, Y[row])
    session.skip(session.ask())
    session.ask()
    return session


def snapshot(session):
    """All that can be seen of a session, and the questions that it would ask next."""
    twin = copy.deepcopy(session)
    try:
        following = twin.ask(3).tolist()
    except NothingToAsk as reason:
        following = str(reason)
    estimates = session.estimates
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OneClassWarning)
        selection = str(session.selection())
    return {
        "labelled": session.labelled.tolist(),
        "labels": session.labels,
        "n_labels": session.n_labels,
        "pending": session.pending,
        "skipped": session.skipped,
        "classes": session.classes,
        "finished": session.finished,
        "certified": session.certified,
        "counts": estimates.counts.tolist(),
        "value": estimates.value.tolist(),
        "bounds": [estimates.lower.tolist(), estimates.upper.tolist()],
        "selection": selection,
        "following": following,
    }


def test_a_snapshot_sees_what_changes():
    session = started()
    before = snapshot(session)
    assert snapshot(session) == before
    session.tell(session.pending[0], 0)
    assert snapshot(session) != before


# --- bad input leaves the session as it was ---

ROWS = {
    "beyond the last": 90,
    "negative": -1,
    "float": 3.0,
    "numpy float": np.float64(3),
    "half": 2.5,
    "text": "3",
    "none": None,
    "bool": True,
    "numpy bool": np.True_,
    "far beyond": 2**70,
    "nan": float("nan"),
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
@pytest.mark.parametrize("method", ["tell", "skip", "tell many"])
def test_bad_row(method, row):
    session = started()
    before = snapshot(session)
    with pytest.raises(InvalidInputError, match="row") as error:
        if method == "tell":
            session.tell(row, 1)
        elif method == "skip":
            session.skip(row)
        else:
            session.tell([int(session.pending[0]), row], [1, 1])
    assert isinstance(error.value, ActiveFSError)
    assert snapshot(session) == before


def test_bad_row_message_names_what_was_received_and_what_is_allowed():
    with pytest.raises(InvalidInputError, match=r"0 to 89.*90"):
        started().tell(90, 1)


def _pandas_missing():
    import pandas as pd

    return [pd.NA, pd.NaT]


@pytest.mark.parametrize(
    "label",
    [None, float("nan"), np.nan, np.float32("nan"), [1, 2], {"a": 2}, np.array([0, 1]), *_pandas_missing()],
    ids=repr,
)
def test_label_that_is_none(label):
    session = started()
    before = snapshot(session)
    with pytest.raises(InvalidLabelError):
        session.tell(session.pending[0], label)
    with pytest.raises(InvalidLabelError):
        session.tell([session.pending[0], 89], [1, label])
    assert snapshot(session) == before


@pytest.mark.parametrize("label", [2, "yes", 0.5, -1, "00"], ids=repr)
def test_label_outside_the_classes(label):
    session = started(classes=[0, 1])
    before = snapshot(session)
    with pytest.raises(InvalidLabelError, match="classes") as error:
        session.tell(session.pending[0], label)
    assert repr(label) in str(error.value)
    assert snapshot(session) == before


def test_row_told_again_with_another_label():
    session = started()
    row = int(session.labelled[3])
    before = snapshot(session)
    with pytest.raises(InvalidLabelError, match="already"):
        session.tell(row, 1 - int(Y[row]))
    session.tell(row, int(Y[row]))  # the same label again is welcome and changes nothing
    assert snapshot(session) == before


def test_many_labels_are_taken_all_or_none():
    session = started(classes=[0, 1])
    before = snapshot(session)
    free = [i for i in range(90) if i not in session.labelled and i not in session.pending][:3]
    taken = int(session.labelled[0])
    for rows, labels in [
        (free, [0, 1, 5]),  # the last label is none of the classes
        ([*free[:2], 99], [0, 1, 1]),  # the last row does not exist
        ([*free, taken], [0, 1, 1, 1 - int(Y[taken])]),  # the last row has another label
        ([free[0], free[1], free[0]], [0, 1, 1]),  # one row twice, with two labels
        (free, [0, 1]),  # fewer labels than rows
    ]:
        with pytest.raises(InvalidInputError):
            session.tell(rows, labels)
        assert snapshot(session) == before
    session.tell([free[0], free[1], free[0]], [0, 1, 0])  # one row twice, with one label
    assert session.n_labels == before["n_labels"] + 2


@pytest.mark.parametrize("labels", [1, None, iter([0, 1])], ids=["a number", "None", "an iterator"])
def test_many_rows_without_as_many_labels(labels):
    session = started()
    before = snapshot(session)
    with pytest.raises(ActiveFSError):
        session.tell([80, 81], labels)
    assert snapshot(session) == before


@pytest.mark.parametrize("rows", [[80, [81, 82]], [[80, 81]], np.array([[80], [81]]), {80, 81}], ids=repr)
def test_rows_that_are_no_list_of_rows(rows):
    session = started()
    before = snapshot(session)
    with pytest.raises(ActiveFSError):
        session.tell(rows, [0, 1])
    assert snapshot(session) == before


@pytest.mark.parametrize("kind", ["array", "list", "tuple", "range", "series", "text labels"])
def test_many_labels_in_any_container(kind):
    import pandas as pd

    expected = Session(X, 2, random_state=0)
    for row in range(5):
        expected.tell(row, int(Y[row]))
    session = Session(X, 2, random_state=0)
    rows: Any = np.arange(5)
    labels: Any = Y[:5]
    if kind == "series":
        rows, labels = pd.Series(rows, index=list("abcde")), pd.Series(labels, index=[9, 8, 7, 6, 5])
    elif kind == "text labels":
        labels = labels.astype(str)
    elif kind != "array":
        rows, labels = (list(rows), list(labels)) if kind != "tuple" else (tuple(rows), tuple(labels))
    session.tell(range(5) if kind == "range" else rows, labels)
    assert session.labelled.tolist() == list(range(5))
    assert session.estimates.value.tolist() == pytest.approx(expected.estimates.value.tolist())
    assert session.ask() == expected.ask()


def test_skipping_a_labelled_row():
    session = started()
    before = snapshot(session)
    with pytest.raises(InvalidInputError, match="undo"):
        session.skip(int(session.labelled[0]))
    assert snapshot(session) == before


@pytest.mark.parametrize("n", [0, -1, 2.0, "3", True])
def test_bad_number_of_questions(n):
    session = started()
    before = snapshot(session)
    with pytest.raises(InvalidInputError, match="n must"):
        session.ask(n)
    assert snapshot(session) == before


def test_undo_with_nothing_to_undo():
    session = Session(X, 2, random_state=0)
    session.ask()
    before = snapshot(session)
    with pytest.raises(NothingToUndo):
        session.undo()
    assert snapshot(session) == before
    session.tell(3, "yes")
    session.undo()
    with pytest.raises(NothingToUndo):
        session.undo()


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"k": 0}, "^k must"),
        ({"k": -2}, "^k must"),
        ({"k": 1.0}, "^k must"),
        ({"k": True}, "^k must"),
        ({"k": "2"}, "^k must"),
        ({"k": None}, "^k must"),
        ({"k": 7}, "7.*6"),
        ({"budget": 0}, "budget"),
        ({"budget": -5}, "budget"),
        ({"budget": 1.5}, "budget"),
        ({"budget": "many"}, "budget"),
        ({"budget": float("nan")}, "budget"),
        ({"budget": float("inf")}, "budget"),
        ({"budget": True}, "budget"),
        ({"delta": 0}, "delta"),
        ({"delta": 1}, "delta"),
        ({"delta": -0.1}, "delta"),
        ({"delta": "0.05"}, "delta"),
        ({"delta": None}, "delta"),
        ({"delta": float("nan")}, "delta"),
        ({"strategy": "best"}, "best"),
        ({"strategy_params": {"psy": "l1"}}, "psy"),
        ({"strategy_params": {"psi": "l7"}}, "psi"),
        ({"criterion": "fisher"}, "fisher"),
        ({"classes": [1]}, "classes"),
        ({"classes": []}, "classes"),
        ({"classes": [1, 1]}, "classes"),
        ({"classes": "ab"}, "classes"),
        ({"classes": 2}, "classes"),
        ({"classes": [0, None]}, "label"),
        ({"missing": "ignore"}, "missing"),
        ({"when_certified": "panic"}, "when_certified"),
        ({"random_state": -1}, "random_state"),
        ({"random_state": "seed"}, "random_state"),
        ({"random_state": 1.5}, "random_state"),
    ],
    ids=str,
)
def test_bad_arguments(params, match):
    with pytest.raises(InvalidInputError, match=match):
        Session(X, **{"k": 2, **params})


@pytest.mark.parametrize("n_jobs", [0, "two", 1.5])
def test_bad_number_of_threads(n_jobs):
    with pytest.raises(ActiveFSError, match="n_jobs"):
        Session(X, 2, n_jobs=n_jobs)


# --- the loop ---


def test_the_budget_counts_all_labels_and_ends_the_session():
    session = Session(X, 2, budget=5, random_state=0)
    session.tell([0, 1], Y[:2])
    for _ in range(3):
        assert not session.finished
        row = session.ask()
        session.tell(row, Y[row])
    assert session.finished
    with pytest.raises(NothingToAsk, match="budget"):
        session.ask()
    with pytest.raises(NothingToAsk, match="budget"):
        session.ask(4)
    session.undo()
    assert not session.finished


def test_pending_rows_are_spoken_for():
    session = Session(X, 2, budget=4, random_state=0)
    rows = session.ask(10)
    assert rows.dtype.kind == "i" and len(rows) == 4
    assert session.pending == tuple(rows.tolist())
    assert not session.finished
    with pytest.raises(NothingToAsk, match="await"):
        session.ask()
    session.skip(int(rows[0]))
    assert session.ask() not in rows
    assert len(session.pending) == 4


def test_no_row_left():
    small = random_problem(3, (2, 3, 2), rows=6)
    session = Session(small.X, 1, random_state=0, when_certified="continue")
    rows = session.ask(9)
    assert sorted(rows.tolist()) == list(range(6))
    with pytest.raises(NothingToAsk, match="await"):
        session.ask()
    session.skip(int(rows[0]))
    session.tell(rows[1:], small.y[rows[1:]])
    assert session.finished
    with pytest.raises(NothingToAsk, match=r"no row is left.*skipped"):
        session.ask()


def test_settled_ends_a_session_of_the_paper_and_says_so():
    rng = np.random.default_rng(0)
    table = rng.integers(0, 2, size=(400, 4))
    session = Session(table, 1, strategy="afs", random_state=0)
    while not session.finished:
        row = session.ask()
        session.tell(row, table[row, 2])
    assert session.settled and session.selection().settled and not session.selection().certified
    assert session.selection().features.tolist() == [2]
    with pytest.raises(NothingToAsk, match="settled by the rule of the paper"):
        session.ask()
    assert session.n_labels < 200
    going_on = Session(table, 1, strategy="afs", random_state=0, when_certified="continue")
    going_on.tell(session.labelled, session.labels)
    assert going_on.settled and not going_on.finished
    assert going_on.ask() not in session.labelled


def test_settled_means_that_the_bounds_do_not_overlap():
    table = np.random.default_rng(1).integers(0, 2, size=(300, 4))
    session = Session(table, 1, strategy="afs", random_state=0)
    seen = {True: 0, False: 0}
    for row in range(300):
        session.tell(row, int(table[row, 1]))
        best = int(np.argmin(session.estimates.value))
        gap = np.delete(session.estimates.lower, best).min() - session.estimates.upper[best]
        tied = np.diff(np.sort(session.estimates.value))[0] < 1e-9
        if not tied and abs(gap) > 1e-9:
            assert session.settled == (gap > 0)
            seen[gap > 0] += 1
    assert min(seen.values()) > 20


def test_warm_start_equals_the_same_labels_in_any_order():
    rows = [5, 17, 33, 60, 61]
    one = Session(X, 2, random_state=1)
    one.tell(rows, Y[rows])
    two = Session(X, 2, random_state=1)
    for row in rows:
        two.tell(row, Y[row])
    assert one.ask() == two.ask()
    assert one.estimates.value == pytest.approx(two.estimates.value, rel=1e-12)


def test_labels_of_any_type():
    rows = list(range(20))
    asked = []
    for names in ([0, 1], ["no", "yes"], [False, True], [0.0, 1.0], [-1, 1], np.array(["n", "y"])):
        session = Session(X, 2, random_state=0)
        for row in rows:
            session.tell(row, names[Y[row]])
        assert session.labels == [names[Y[row]] for row in rows]
        assert set(session.classes) == set(names)
        assert not any(isinstance(c, np.generic) for c in session.classes)
        asked.append(session.ask())
    assert len(set(asked)) == 1


def test_classes_turn_up_or_are_named_before():
    session = Session(X, 2, random_state=0)
    assert list(session.classes) == []
    session.tell([0, 1, 2], ["b", "a", "c"])
    assert list(session.classes) == ["b", "a", "c"]
    assert session.estimates.counts.shape[1] == 3
    assert session.undo() == 2
    assert session.classes == ("b", "a")
    assert session.estimates.counts.shape[1] == 2
    named = Session(X, 2, classes=["a", "b", "c"], random_state=0)
    assert named.classes == ("a", "b", "c")
    assert named.estimates.counts.shape[1] == 3


def test_a_third_class_and_back():
    """Taking back the only label of a third class leaves a session of two classes."""
    session = Session(X, 2, random_state=0)
    session.tell(list(range(10)), Y[:10])
    before = snapshot(session)
    session.tell(50, "something else")
    assert session.undo() == 50
    after = snapshot(session)
    assert after["value"] == pytest.approx(before["value"], rel=1e-12)
    assert after["following"] == before["following"]
    assert after["counts"] == before["counts"]


def test_undo_returns_rows_in_reverse_order():
    session = Session(X, 2, random_state=0)
    session.tell([4, 2, 9], [0, 1, 0])
    assert [session.undo() for _ in range(3)] == [9, 2, 4]
    assert session.n_labels == 0
    fresh = Session(X, 2, random_state=0)
    assert session.ask() == fresh.ask()


def test_undo_makes_the_row_free_again():
    small = random_problem(3, (2, 3, 2), rows=6)
    session = Session(small.X, 1, random_state=0, when_certified="continue")
    session.tell(list(range(6)), small.y)
    assert session.finished
    assert session.undo() == 5
    assert session.ask() == 5


def test_a_slip_of_the_finger_is_forgotten():
    """A wrong label, taken back and told right, leaves no trace: not in the safeguard's count either."""
    sessions = [
        Session(X, 2, strategy="afs", strategy_params={"safeguard": 4, "tolerance": 1.0}, random_state=0)
        for _ in range(2)
    ]
    asked = []
    for slip, session in zip((False, True), sessions, strict=True):
        rows = []
        for t in range(12):
            row = session.ask()
            if slip and t == 3:
                session.tell(row, 1 - int(Y[row]))
                session.undo()
            session.tell(row, int(Y[row]))
            rows.append(row)
        asked.append(rows)
    assert asked[0] == asked[1]


def test_pending_rows_may_be_told_in_any_order():
    one, two = (Session(X, 2, random_state=0) for _ in range(2))
    rows = one.ask(5).tolist()
    assert two.ask(5).tolist() == rows
    for row in rows:
        one.tell(row, Y[row])
    for row in reversed(rows):
        two.tell(row, Y[row])
    assert one.pending == two.pending == ()
    assert one.estimates.value == pytest.approx(two.estimates.value, rel=1e-12)


def test_a_skipped_row_that_gets_its_label_after_all():
    session = Session(X, 2, random_state=0)
    row = session.ask()
    session.skip(row)
    assert list(session.skipped) == [row] and session.pending == ()
    session.tell(row, 1)
    assert session.skipped == () and session.labelled.tolist() == [row]


def test_what_a_session_shows_cannot_be_changed_through_it():
    session = started()
    before = snapshot(session)
    session.labelled[:] = 0
    session.labels.clear()
    assert snapshot(session) == before


# --- the answer ---


def test_selection_is_sorted_best_first_and_bounded():
    session = Session(X, 4, strategy="afs", random_state=0, budget=60)
    session.tell(list(range(60)), Y[:60])
    chosen = session.selection()
    assert len(chosen) == 4 == len(set(chosen.features.tolist()))
    assert np.all(np.diff(chosen.scores) <= 1e-12)
    assert np.all(chosen.lower <= chosen.scores + 1e-12) and np.all(chosen.scores <= chosen.upper + 1e-12)
    assert chosen.names == tuple(f"x{j}" for j in chosen.features)
    assert chosen.n_labels == 60
    best = np.argsort(session.estimates.value, kind="stable")[:4]
    assert chosen.features.tolist() == best.tolist()


def test_scores_of_the_selection_are_mutual_information():
    """All rows labelled: I(X; Y) from the table itself."""
    session = Session(X, 6, random_state=0)
    session.tell(list(range(90)), Y)
    chosen = session.selection()
    for feature, score in zip(chosen.features, chosen.scores, strict=True):
        joint = np.array([[np.mean((X[:, feature] == v) & (c == Y)) for c in (0, 1)] for v in range(7)])
        product = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
        expected = (joint[joint > 0] * np.log(joint[joint > 0] / product[joint > 0])).sum()
        assert score == pytest.approx(expected, rel=1e-9)


def test_selection_counts_columns_of_the_table_constant_ones_included():
    table = np.insert(X, 1, 7, axis=1)
    session = Session(table, 2, random_state=0)
    session.tell(list(range(80)), X[:80, 1] > 0)
    best = session.selection()
    assert best.features[0] == 2 and best.names[0] == "x2"
    with pytest.raises(InvalidInputError, match="6 of the 7"):
        Session(table, 7)


@pytest.mark.parametrize("labels", [[], [1], [1, 1, 1, 1]])
def test_one_class_is_a_warning_and_no_error(labels):
    session = Session(X, 2, random_state=0)
    session.tell(list(range(len(labels))), labels)
    with pytest.warns(OneClassWarning, match="arbitrary"):
        chosen = session.selection()
    assert len(chosen) == 2
    assert not chosen.certified


def test_two_classes_do_not_warn():
    session = Session(X, 2, random_state=0)
    session.tell([0, 1], [0, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        session.selection()


def test_asking_for_the_selection_changes_nothing():
    session = started()
    before = snapshot(session)
    for _ in range(3):
        session.selection()
        session.contested()
        assert session.finished is False
    assert snapshot(session) == before


@pytest.mark.parametrize("seed", [None, 3, np.int64(3), np.random.default_rng(0), np.random.RandomState(0)])
def test_seeds_of_any_kind(seed):
    assert 0 <= Session(X, 2, random_state=seed).ask() < 90


def test_other_seed_other_run():
    asked = {tuple(Session(X, 2, random_state=s).ask(5).tolist()) for s in range(6)}
    assert len(asked) > 1


def test_no_seed_gives_new_numbers_every_time():
    asked = {tuple(Session(X, 2, strategy="random").ask(5).tolist()) for _ in range(4)}
    assert len(asked) > 1


def test_gini_as_criterion():
    session = Session(X, 2, criterion="gini", random_state=0)
    session.tell(list(range(90)), Y)
    chosen = session.selection()
    assert chosen.criterion == "gini"
    impurity = []
    for j in range(6):
        shares = [(X[:, j] == v) for v in np.unique(X[:, j])]
        impurity.append(sum(s.mean() * (1 - Y[s].mean() ** 2 - (1 - Y[s].mean()) ** 2) for s in shares))
    assert chosen.features.tolist() == np.argsort(impurity)[:2].tolist()
