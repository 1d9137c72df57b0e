import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.estimator_checks import parametrize_with_checks

from activefs import ActiveFeatureSelector, Session
from activefs.exceptions import (
    ActiveFSError,
    InvalidInputError,
    InvalidLabelError,
    NumericLabelsWarning,
    OneClassWarning,
    OracleError,
)
from activefs.testing import random_problem

PROBLEM = random_problem(0, rows=150)
X, Y = PROBLEM.X, PROBLEM.y
NAMES = list("abcdef")


@pytest.mark.filterwarnings("ignore:k=10 is greater:UserWarning")
@parametrize_with_checks(
    [
        ActiveFeatureSelector(k=1, budget=12, random_state=0),  # enough labels for the model to choose the last row
        ActiveFeatureSelector(strategy="afs", random_state=0),
        ActiveFeatureSelector(k=1, budget=20, strategy="random"),
    ]
)
def test_all_of_scikit_learns_checks(estimator, check):
    """No expected failures."""
    check(estimator)


class CountingLabels:
    """A sequence of labels that counts which of its entries are read."""

    def __init__(self, labels):
        self._labels = labels
        self.reads = []

    def __len__(self):
        return len(self._labels)

    def __getitem__(self, row):
        assert isinstance(row, (int, np.integer)), f"only single entries may be read, not {row!r}"
        self.reads.append(int(row))
        return self._labels[row]

    def __iter__(self):
        raise AssertionError("all labels were read")

    def __array__(self, *args, **kwargs):
        raise AssertionError("all labels were read")


# --- reading labels ---


@pytest.mark.parametrize("budget", [1, 2, 17, 60])
def test_fit_reads_as_many_labels_as_the_budget_allows(budget):
    labels = CountingLabels(Y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OneClassWarning)
        selector = ActiveFeatureSelector(k=2, budget=budget, random_state=0).fit(X, labels)
    assert len(labels.reads) == len(set(labels.reads)) == budget == selector.n_labels_
    assert selector.queried_indices_.tolist() == labels.reads
    assert selector.queried_labels_.tolist() == Y[labels.reads].tolist()


def test_a_budget_beyond_the_table_reads_each_label_once():
    labels = CountingLabels(Y)
    ActiveFeatureSelector(k=2, budget=10_000, strategy="afs", when_certified="continue", random_state=0).fit(X, labels)
    assert sorted(labels.reads) == list(range(150))


def test_labels_of_rows_that_are_never_read_may_be_missing():
    first = ActiveFeatureSelector(k=2, budget=20, random_state=0).fit(X, Y)
    holes = Y.astype(object)
    holes[np.setdiff1d(np.arange(150), first.queried_indices_)] = None
    again = ActiveFeatureSelector(k=2, budget=20, random_state=0).fit(X, holes)
    assert again.queried_indices_.tolist() == first.queried_indices_.tolist()


@pytest.mark.parametrize("hole", [None, np.nan])
def test_all_labels_missing_is_an_error(hole):
    y = np.full(150, hole, dtype=object)
    with pytest.raises(ActiveFSError, match="all 150 labels in y are missing"):
        ActiveFeatureSelector(k=2, budget=20, random_state=0).fit(X, y)


HOLES = np.arange(150) % 3 == 0
_FLOATS = np.where(HOLES, np.nan, Y)
_NULLS = [None if hole else int(label) for hole, label in zip(HOLES, Y, strict=True)]


def labels_with_holes():
    order = np.random.default_rng(0).permutation(150)
    return {
        "list of None": _NULLS,
        "array of objects": np.array(_NULLS, dtype=object),
        "empty text": ["" if label is None else str(label) for label in _NULLS],
        "spaces": np.array(["  " if label is None else str(label) for label in _NULLS]),
        "NaN": _FLOATS,
        "column of NaN": _FLOATS[:, None],
        "masked": np.ma.array(Y, mask=HOLES),
        "masked column": np.ma.array(Y, mask=HOLES)[:, None],
        "series": pd.Series(_FLOATS, index=order),
        "pd.NA": pd.Series(_NULLS, dtype="Int64"),
        "NaT": pd.Series([pd.NaT if hole else pd.Timestamp(2020, 1, 1 + y) for hole, y in zip(HOLES, Y, strict=True)]),
        "categorical": pd.Series([None if label is None else "ab"[label] for label in _NULLS], dtype="category"),
        "index": pd.Index(_FLOATS),
        "pandas frame": pd.DataFrame({"y": _FLOATS}, index=order),
        "polars": pl.Series(_NULLS),
        "polars frame": pl.DataFrame({"y": _NULLS}),
        "arrow": pa.array(_NULLS),
        "chunked": pa.chunked_array([_NULLS[:40], _NULLS[40:]]),
        "arrow table": pa.table({"y": _NULLS}),
    }


@pytest.mark.parametrize("kind", labels_with_holes())
def test_rows_without_a_label_are_passed_over_and_cost_nothing(kind):
    def oracle(row):
        return None if HOLES[row] else int(Y[row])

    expected = ActiveFeatureSelector(k=2, budget=30, random_state=0).fit(X, oracle=oracle)
    found = ActiveFeatureSelector(k=2, budget=30, random_state=0).fit(X, labels_with_holes()[kind])
    assert found.n_labels_ == 30 and not HOLES[found.queried_indices_].any()
    assert found.queried_indices_.tolist() == expected.queried_indices_.tolist()
    assert found.get_support().tolist() == expected.get_support().tolist()


def test_fewer_labels_than_the_budget_and_one_class_only():
    some = np.where(np.arange(150) < 9, Y.astype(float), np.nan)
    assert ActiveFeatureSelector(k=2, budget=30, random_state=0).fit(X, some).n_labels_ == 9
    with pytest.warns(OneClassWarning, match=r"all labels so far are of one class \(1.0\)"):
        ActiveFeatureSelector(k=2, budget=30, random_state=0).fit(X, np.where(Y == 1, 1.0, np.nan))


def test_missing_labels_among_the_known_are_not_known_yet():
    known = {3: np.nan, 7: Y[7], 8: None, 9: pd.NA}
    going_on: dict[str, Any] = {"strategy": "random", "random_state": 0, "when_certified": "continue"}
    found = ActiveFeatureSelector(k=2, budget=148, **going_on).fit(X, Y, known=known)
    assert found.queried_indices_[0] == 7 and found.n_labels_ == 148
    assert len({3, 8, 9} & set(found.queried_indices_.tolist())) >= 1  # they may be asked like all others
    nothing = ActiveFeatureSelector(k=2, budget=9, strategy="random", random_state=0)
    assert nothing.fit(X, Y, known={3: None}).n_labels_ == 9


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_frames_of_two_columns_are_no_labels(kind):
    y = {"a": Y, "b": Y}
    frame = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}[kind](y)
    with pytest.raises(InvalidInputError, match=r"1d array, got an array of shape \(150, 2\)"):
        ActiveFeatureSelector(k=2, budget=10).fit(X, frame)


def test_a_numeric_target_is_noticed_at_the_first_label():
    labels = CountingLabels(Y + 0.25)
    selector = ActiveFeatureSelector(k=2, budget=30, random_state=0)
    with pytest.raises(InvalidLabelError, match=r"fraction.*classes=\[...\].*label_edges=\[...\]"):
        selector.fit(X, labels)
    assert len(labels.reads) == 1 and selector.n_labels_ == 0
    named = ActiveFeatureSelector(k=2, budget=30, classes=[0.25, 1.25], random_state=0).fit(X, labels)
    by_edges = ActiveFeatureSelector(k=2, budget=30, label_edges=[1], random_state=0).fit(X, labels)
    plain = ActiveFeatureSelector(k=2, budget=30, classes=[0, 1], random_state=0).fit(X, Y)
    for found in (named, by_edges):
        assert found.queried_indices_.tolist() == plain.queried_indices_.tolist()
        assert found.queried_labels_.tolist() == (plain.queried_labels_ + 0.25).tolist()
        assert found.selection_ == plain.selection_


ORDER = np.random.default_rng(0).permutation(150)


@pytest.mark.parametrize("kind", ["array", "list", "text", "floats with holes", "series", "polars", "arrow", "column"])
def test_whole_numbers_that_are_all_different_are_said_before_a_label_is_used(kind):
    y = {
        "array": ORDER,
        "list": ORDER.tolist(),
        "text": [str(i) for i in ORDER],
        "floats with holes": np.where(ORDER < 50, np.nan, ORDER),
        "series": pd.Series(ORDER),
        "polars": pl.Series(ORDER),
        "arrow": pa.array(ORDER),
        "column": [[int(i)] for i in ORDER],
    }[kind]
    rows = 100 if kind == "floats with holes" else 150
    session = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", NumericLabelsWarning)
        ActiveFeatureSelector(k=2, budget=60, strategy="random", random_state=0).fit(
            X, y, callback=lambda s: session.append(len(caught))
        )
    (said,) = (str(w.message) for w in caught if w.category is NumericLabelsWarning)  # and not once more by the session
    assert said.startswith(f"y has {rows} different whole numbers in {rows} rows; if") and session[0] >= 1
    assert "label_edges=[...]" in said and caught[0].filename == __file__


@pytest.mark.parametrize(
    ("y", "options"),
    [
        (ORDER % 75, {}),
        (ORDER, {"label_edges": [50, 100]}),
        (ORDER, {"classes": range(150)}),
        (np.array([f"name {i}" for i in ORDER]), {}),
    ],
    ids=["two rows each", "edges", "named", "words"],
)
def test_classes_are_no_measurement_however_many(y, options):
    with warnings.catch_warnings():
        warnings.simplefilter("error", NumericLabelsWarning)
        ActiveFeatureSelector(k=2, budget=40, strategy="random", random_state=1, **options).fit(X, y)


def test_more_whole_numbers_than_classes_can_be():
    table, y = np.tile(X, (10, 1)), np.arange(1500) // 4
    with pytest.warns(NumericLabelsWarning, match="y has 375 different whole numbers in 1,500 rows"):
        ActiveFeatureSelector(k=2, budget=10, strategy="random", random_state=0).fit(table, y)


@pytest.mark.parametrize(
    ("entry", "said"), [(0.5, "with a fraction"), (np.inf, "is not finite"), (2j, "is a complex number")]
)
def test_one_label_that_cannot_be_a_class_is_refused_at_once(entry, said):
    y = np.concatenate([Y[:-1], [entry]])
    for labels in (y, y.tolist(), pd.Series(y)):
        asked: list[Session] = []
        with pytest.raises(InvalidLabelError, match=said):
            ActiveFeatureSelector(k=2, budget=3, random_state=0).fit(X, labels, callback=asked.append)
        assert asked == []


def test_oracle_is_asked_like_y_is_read():
    asked = []

    def oracle(row):
        assert isinstance(row, int)
        asked.append(row)
        return Y[row]

    by_oracle = ActiveFeatureSelector(k=2, budget=25, random_state=0).fit(X, oracle=oracle)
    by_labels = ActiveFeatureSelector(k=2, budget=25, random_state=0).fit(X, Y)
    assert asked == by_labels.queried_indices_.tolist() == by_oracle.queried_indices_.tolist()
    assert by_oracle.selection_ == by_labels.selection_
    session = Session(X, 2, budget=25, strategy="assisted", random_state=0)
    while not session.finished:
        row = session.ask()
        session.tell(row, Y[row])
    assert session.labelled.tolist() == asked


def test_an_oracle_that_raises_in_the_middle():
    calls: list[int] = []

    def oracle(row):
        if len(calls) == 9:
            raise ConnectionError("the lab is closed")
        calls.append(row)
        return Y[row]

    selector = ActiveFeatureSelector(k=2, budget=30, random_state=0)
    with pytest.raises(OracleError, match="the lab is closed") as error:
        selector.fit(X, oracle=oracle)
    assert isinstance(error.value.__cause__, ConnectionError)
    assert "known" in str(error.value)
    assert selector.queried_indices_.tolist() == calls
    assert selector.queried_labels_.tolist() == Y[calls].tolist()
    assert selector.n_labels_ == 9
    with pytest.raises(NotFittedError):
        selector.transform(X)

    known = dict(zip(selector.queried_indices_, selector.queried_labels_, strict=True))
    later = []

    def again(row):
        later.append(row)
        return Y[row]

    selector.fit(X, oracle=again, known=known)
    assert len(later) == 21 and not set(later) & set(calls)
    assert selector.n_labels_ == 30
    assert selector.queried_indices_.tolist()[:9] == calls
    assert selector.transform(X).shape == (150, 2)


def test_an_oracle_that_raises_at_once_and_one_that_is_interrupted():
    selector = ActiveFeatureSelector(k=2, budget=30, random_state=0)

    def broken(row):
        raise KeyError(row)

    with pytest.raises(OracleError):
        selector.fit(X, oracle=broken)
    assert selector.n_labels_ == 0 and selector.queried_indices_.size == 0

    count = []

    def interrupted(row):
        count.append(row)
        if len(count) > 4:
            raise KeyboardInterrupt
        return Y[row]

    with pytest.raises(KeyboardInterrupt):
        selector.fit(X, oracle=interrupted)
    assert selector.n_labels_ == 4


def test_an_oracle_that_cannot_label_some_rows():
    cannot = []

    def oracle(row):
        if row % 3 == 0:
            cannot.append(row)
            return None
        return Y[row]

    selector = ActiveFeatureSelector(k=2, budget=30, random_state=0).fit(X, oracle=oracle)
    assert selector.n_labels_ == 30
    assert cannot and not set(cannot) & set(selector.queried_indices_.tolist())
    assert len(cannot) == len(set(cannot))


def test_an_oracle_that_can_label_no_row():
    with pytest.warns(OneClassWarning):
        selector = ActiveFeatureSelector(k=2, budget=30, random_state=0).fit(X, oracle=lambda row: None)
    assert selector.n_labels_ == 0
    assert selector.get_support().sum() == 2


def test_an_oracle_with_a_label_outside_the_classes_keeps_what_it_had():
    answers = iter([0, 1, 0, 7])
    selector = ActiveFeatureSelector(k=2, budget=30, classes=[0, 1], random_state=0)
    with pytest.raises(InvalidLabelError, match="7"):
        selector.fit(X, oracle=lambda row: next(answers))
    assert selector.n_labels_ == 3


def test_known_labels_count_towards_the_budget():
    labels = CountingLabels(Y)
    selector = ActiveFeatureSelector(k=2, budget=10, random_state=0).fit(X, labels, known={3: Y[3], 7: Y[7]})
    assert len(labels.reads) == 8 and not {3, 7} & set(labels.reads)
    assert selector.queried_indices_.tolist()[:2] == [3, 7]


@pytest.mark.parametrize("row", [2.7, 3.0, "4", 150, -1, None, True], ids=repr)
def test_known_labels_of_rows_that_do_not_exist(row):
    labels = CountingLabels(Y)
    with pytest.raises(InvalidInputError, match="row"):
        ActiveFeatureSelector(k=2, budget=10, random_state=0).fit(X, labels, known={row: 1})
    assert labels.reads == []


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({}, "y"),
        ({"y": Y, "oracle": lambda row: 1}, "not both"),
        ({"oracle": 3}, "callable"),
        ({"y": Y[:-1]}, "150 rows, 149"),
        ({"y": 5}, "y"),
        ({"y": np.stack([Y, Y], axis=1)}, "1d"),
    ],
    ids=["neither", "both", "not callable", "too few", "a number", "two columns"],
)
def test_bad_labels(arguments, match):
    with pytest.raises(InvalidInputError, match=match):
        ActiveFeatureSelector(k=2, budget=10).fit(X, **arguments)


CONTAINERS = [
    "list",
    "tuple",
    "list of lists",
    "series",
    "shuffled series",
    "named series",
    "polars",
    "arrow",
    "column",
    "nullable",
]


@pytest.mark.parametrize("kind", [*CONTAINERS, "categorical", "text", "bool"])
def test_labels_in_any_container(kind):
    expected = ActiveFeatureSelector(k=2, budget=12, random_state=0).fit(X, Y)
    order = np.random.default_rng(0).permutation(150)
    y = {
        "list": Y.tolist(),
        "tuple": tuple(Y.tolist()),
        "list of lists": Y[:, None].tolist(),
        "series": pd.Series(Y),
        "shuffled series": pd.Series(Y, index=order),  # read by position, not by its index
        "named series": pd.Series(Y, index=[f"row {i}" for i in order]),
        "polars": pl.Series(Y),
        "arrow": pa.chunked_array([Y[:40], Y[40:]]),
        "column": Y[:, None],
        "nullable": pd.Series(Y, dtype="Int64"),
        "categorical": pd.Series(np.array(["ill", "healthy"])[Y], dtype="category"),
        "text": np.array(["ill", "healthy"])[Y],
        "bool": Y.astype(bool),
    }[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn's note that a column vector was passed
        found = ActiveFeatureSelector(k=2, budget=12, random_state=0).fit(X, y)
    assert found.queried_indices_.tolist() == expected.queried_indices_.tolist()
    assert found.get_support().tolist() == expected.get_support().tolist()
    if kind not in ("text", "categorical"):
        assert found.queried_labels_.tolist() == expected.queried_labels_.tolist()
        assert found.queried_labels_.dtype != object


@pytest.mark.parametrize("names", [[0, "one"], [1.0, "x"]], ids=str)
def test_labels_are_kept_as_they_are(names):
    """What was read can be handed back as `known`."""
    y = [names[c] for c in Y]
    selector = ActiveFeatureSelector(k=2, budget=25, strategy="afs", random_state=0).fit(X, y)
    assert len(selector.queried_labels_) == 25
    known = dict(zip(selector.queried_indices_, selector.queried_labels_, strict=True))
    assert {row: names[Y[row]] for row in known} == known
    again = ActiveFeatureSelector(k=2, budget=30, strategy="afs", random_state=0).fit(X, y, known=known)
    assert again.n_labels_ == 30


# --- tables ---


def tables():
    frame = pd.DataFrame(X, columns=NAMES)
    return {
        "pandas": frame,
        "shuffled pandas": frame.set_axis(np.random.default_rng(0).permutation(150)),
        "polars": pl.DataFrame(X, schema=NAMES, orient="row"),
        "arrow": pa.Table.from_pandas(frame, preserve_index=False),
        "csr": sparse.csr_array(X),
        "csc matrix": sparse.csc_matrix(X),
        "coo": sparse.coo_array(X),
        "list": X.tolist(),
        "fortran": np.asfortranarray(X),
        "uint8": X.astype(np.uint8),
        "view": np.repeat(X, 2, axis=0)[::2],
    }


@pytest.mark.parametrize("kind", tables())
def test_any_table_gives_the_same_choice(kind):
    table = tables()[kind]
    expected = ActiveFeatureSelector(k=2, budget=12, random_state=0).fit(X, Y)
    found = ActiveFeatureSelector(k=2, budget=12, random_state=0).fit(table, Y)
    assert found.queried_indices_.tolist() == expected.queried_indices_.tolist()
    assert found.get_support().tolist() == expected.get_support().tolist()
    assert found.n_features_in_ == 6
    named = kind in ("pandas", "shuffled pandas", "polars", "arrow")
    assert found.selection_.names == tuple((NAMES[j] if named else f"x{j}") for j in found.selection_.features)
    if named:
        assert found.feature_names_in_.tolist() == NAMES
        assert found.get_feature_names_out().tolist() == [NAMES[j] for j in np.flatnonzero(found.get_support())]
    else:
        assert not hasattr(found, "feature_names_in_")


@pytest.mark.parametrize("kind", [k for k in tables() if k not in ("list", "arrow")])
def test_transform_keeps_the_columns_chosen(kind):
    table = tables()[kind]
    selector = ActiveFeatureSelector(k=3, budget=25, strategy="afs", random_state=0).fit(table, Y)
    out = selector.transform(table)
    expected = X[:, selector.get_support()]
    if sparse.issparse(table):
        assert sparse.issparse(out)
        out = out.toarray()
    np.testing.assert_array_equal(np.asarray(out), expected)
    fitted = selector.fit_transform(table, Y)
    np.testing.assert_array_equal(fitted.toarray() if sparse.issparse(fitted) else np.asarray(fitted), expected)


def test_set_output_pandas_and_polars():
    frame = pd.DataFrame(X, columns=NAMES)
    selector = ActiveFeatureSelector(k=2, budget=25, strategy="afs", random_state=0)
    out = selector.set_output(transform="pandas").fit(frame, Y).transform(frame)
    assert isinstance(out, pd.DataFrame)
    assert out.columns.tolist() == selector.get_feature_names_out().tolist()
    assert out.index.equals(frame.index)
    polars = pl.DataFrame(X, schema=NAMES, orient="row")
    out = selector.set_output(transform="polars").fit(polars, Y).transform(polars)
    assert isinstance(out, pl.DataFrame)
    assert out.columns == selector.get_feature_names_out().tolist()
    assert out.rows() == polars.select(out.columns).rows()


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_pipeline_with_frames_of_text(container):
    text = pd.DataFrame(X, columns=NAMES).map(lambda v: f"value {v}")
    text["g"] = np.random.default_rng(0).normal(size=150)  # a column of real numbers beside it
    frame = text if container == "pandas" else pl.from_pandas(text)
    pipeline = Pipeline(
        [
            ("select", ActiveFeatureSelector(k=2, budget=40, random_state=0)),
            ("encode", OneHotEncoder(handle_unknown="ignore", sparse_output=False)),
            ("model", LogisticRegression()),
        ]
    )
    y = (X[:, 0] > 0) & (X[:, 1] > 0)
    pipeline[:1].set_output(transform=container)
    pipeline.fit(frame, y)
    chosen = pipeline["select"].transform(frame)
    assert isinstance(chosen, pd.DataFrame if container == "pandas" else pl.DataFrame)
    assert set(chosen.columns) == {"a", "b"}  # the two that drive the label
    assert pipeline.score(frame, y) == 1.0


def test_clone_and_grid_search():
    selector = ActiveFeatureSelector(
        k=3, budget=20, strategy="afs", strategy_params={"psi": "l2"}, delta=0.1, random_state=0
    )
    twin = clone(selector)
    assert twin.get_params() == selector.get_params() and twin is not selector
    selector.set_params(k=4, strategy="single", strategy_params=None)
    assert selector.k == 4 and twin.k == 3
    search = GridSearchCV(
        make_pipeline(ActiveFeatureSelector(budget=40, random_state=0), LogisticRegression()),
        {"activefeatureselector__k": [1, 2], "activefeatureselector__strategy": ["afs", "random"]},
        cv=3,
        error_score="raise",
    ).fit(X, Y)
    assert search.best_estimator_[0].get_support().sum() in (1, 2)


def test_fitting_twice_forgets_the_first_time():
    once = ActiveFeatureSelector(k=2, budget=12, random_state=0).fit(X, Y)
    twice = ActiveFeatureSelector(k=2, budget=12, random_state=0).fit(X[:, ::-1], 1 - Y).fit(X, Y)
    assert twice.queried_indices_.tolist() == once.queried_indices_.tolist()
    assert twice.selection_ == once.selection_


def test_fit_does_not_change_its_arguments():
    table, labels, params = X.copy(), Y.copy(), {"psi": "l2"}
    known = {1: Y[1]}
    ActiveFeatureSelector(2, budget=25, strategy="afs", strategy_params=params, random_state=0).fit(
        table, labels, known=known
    )
    np.testing.assert_array_equal(table, X)
    np.testing.assert_array_equal(labels, Y)
    assert params == {"psi": "l2"} and known == {1: Y[1]}


def test_inverse_transform_and_names():
    selector = ActiveFeatureSelector(k=2, budget=25, random_state=0).fit(X, Y)
    assert selector.get_feature_names_out().tolist() == [f"x{j}" for j in np.flatnonzero(selector.get_support())]
    assert selector.get_feature_names_out(NAMES).tolist() == [NAMES[j] for j in np.flatnonzero(selector.get_support())]
    assert selector.get_support(indices=True).tolist() == sorted(selector.selection_.features.tolist())
    back = selector.inverse_transform(selector.transform(X))
    np.testing.assert_array_equal(back, np.where(selector.get_support(), X, 0))


# --- bad input ---


def test_k_beyond_the_columns_warns_and_keeps_all():
    with pytest.warns(UserWarning, match=r"k=10 .*6"):
        selector = ActiveFeatureSelector(k=10, budget=20, random_state=0).fit(X, Y)
    assert selector.get_support().all()
    assert selector.transform(X).shape == X.shape


def test_k_equal_to_the_number_of_columns_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        selector = ActiveFeatureSelector(k=6, budget=20, random_state=0).fit(X, Y)
    assert selector.get_support().all()


def test_constant_columns_are_not_selected():
    table = np.insert(X, 2, 5, axis=1)
    with pytest.warns(UserWarning, match=r"k=7 .*6"):
        selector = ActiveFeatureSelector(k=7, budget=20, random_state=0).fit(table, Y)
    assert selector.get_support().tolist() == [True, True, False, True, True, True, True]


def test_labels_of_one_class_warn():
    with pytest.warns(OneClassWarning, match="arbitrary"):
        selector = ActiveFeatureSelector(k=2, budget=20, random_state=0).fit(X, np.zeros(150))
    assert selector.get_support().sum() == 2


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"k": 0}, "^k must"),
        ({"k": -1}, "^k must"),
        ({"k": 2.0}, "^k must"),
        ({"k": "all"}, "^k must"),
        ({"budget": 0}, "budget"),
        ({"budget": -3}, "budget"),
        ({"budget": 2.5}, "budget"),
        ({"delta": 0.0}, "delta"),
        ({"strategy": "nothing"}, "nothing"),
        ({"strategy_params": {"psi": "l9"}}, "psi"),
        ({"criterion": "nothing"}, "nothing"),
        ({"classes": [0]}, "classes"),
        ({"missing": "maybe"}, "missing"),
        ({"random_state": -4}, "random_state"),
    ],
    ids=str,
)
def test_bad_parameters(params, match):
    labels = CountingLabels(Y)
    with pytest.raises(InvalidInputError, match=match):
        ActiveFeatureSelector(**{"k": 2, "budget": 20, **params}).fit(X, labels)
    assert labels.reads == []


@pytest.mark.parametrize(
    ("table", "match"),
    [
        (np.empty((0, 3)), "0 sample"),
        (np.empty((5, 0)), "0 feature"),
        (np.array([1, 2, 3]), "2D"),
        ([[1, 2], [3]], "ragged|inhomogeneous|length"),
        (np.array([[1.0, np.nan], [2.0, 1.0]]), "NaN|missing"),
        (np.array([[1.0, np.inf], [2.0, 1.0]]), "inf"),
        (pd.DataFrame({"a": [1, None, 2]}), "'a'"),
        (pd.DataFrame([[1, 2], [2, 3]], columns=["a", "a"]), "duplicate.*'a'"),
        (pd.DataFrame({"a": [1, "x", 2.5]}), "'a'"),
        (pd.DataFrame({"a": [1, 1]}), "var"),
    ],
    ids=["no rows", "no columns", "1-d", "ragged", "nan", "inf", "null", "duplicate names", "mixed", "constant"],
)
def test_bad_tables(table, match):
    labels = CountingLabels([0, 1] * 3)
    labels._labels = labels._labels[: max(len(table), 1)]
    with pytest.raises(ValueError, match=match) as error:
        ActiveFeatureSelector(k=1, budget=2, random_state=0).fit(table, labels)
    assert labels.reads == []
    if isinstance(table, pd.DataFrame):  # arrays are checked by scikit-learn, with its own errors
        assert isinstance(error.value, ActiveFSError)


def test_missing_values_as_a_value():
    table = X.astype(float)
    table[Y == 1, 3] = np.nan  # only the rows of one class lack the value
    with pytest.raises(ValueError, match=r"NaN|missing"):
        ActiveFeatureSelector(k=1, budget=60, random_state=0).fit(table, Y)
    selector = ActiveFeatureSelector(k=1, budget=60, missing="value", random_state=0).fit(table, Y)
    assert selector.get_support(indices=True).tolist() == [3]
    assert np.isnan(selector.transform(table)).sum() == (Y == 1).sum()


def test_transform_before_fit_and_of_another_table():
    with pytest.raises(NotFittedError):
        ActiveFeatureSelector().transform(X)
    selector = ActiveFeatureSelector(k=2, budget=20, random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match="features"):
        selector.transform(X[:, :3])


def test_lists_of_rows_are_read_as_they_are():
    rng = np.random.default_rng(0)
    rows = [
        [int(age), sex, None] for age, sex in zip(rng.integers(18, 80, 200), rng.choice(["f", "m"], 200), strict=True)
    ]
    rows = [[age, sex, age * 0.25] for age, sex, _ in rows]
    y = [int(age > 50) for age, *_ in rows]
    chosen = ActiveFeatureSelector(k=3, budget=60, strategy="random", random_state=0).fit(rows, y).selection_
    assert [len(values) for values in sorted(chosen.values, key=len)] == [2, 10, 10], "ages are binned beside text"
    large = [[2**63 + age, age % 2] for age, *_ in rows]
    found = ActiveFeatureSelector(k=1, budget=60, strategy="random", random_state=0).fit(large, y).selection_
    assert found.features.tolist() == [0]
    masked = list(np.ma.array([[age, age % 2] for age, *_ in rows], mask=[[i < 30, False] for i in range(200)]))
    with pytest.raises(InvalidInputError, match=r"column 'x0' \(30 missing\)"):
        ActiveFeatureSelector(k=1, budget=60, random_state=0).fit(masked, y)


def test_a_structured_array_is_no_table_for_scikit_learn():
    X = np.array([(1, 2), (2, 1)] * 20, dtype=[("a", int), ("b", int)])
    with pytest.raises(InvalidInputError, match=r"structured array.*pandas\.DataFrame"):
        ActiveFeatureSelector(k=1, budget=4).fit(X, [0, 1] * 20)


def test_labels_that_are_names_of_rows_are_refused_before_one_is_used():
    X = np.random.default_rng(0).integers(0, 3, size=(400, 4))
    with pytest.raises(InvalidInputError, match="'y' has 400 different values in 400 rows"):
        ActiveFeatureSelector(k=2, budget=20).fit(X, [f"P{i}" for i in range(400)])
    shared = np.array([f"town {i % 150}" for i in range(400)])  # many classes, but rows share them
    assert ActiveFeatureSelector(k=2, budget=20, strategy="random", estimator="plug-in").fit(X, shared).n_labels_ == 20
