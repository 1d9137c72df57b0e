"""The scikit-learn estimator."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any, Self, Unpack

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from activefs import criteria, redundancy, strategies
from activefs.codec import unwrapped
from activefs.constraints import IGNORE
from activefs.engine import ClassList
from activefs.exceptions import InvalidInputError, NumericLabelsWarning, OracleError
from activefs.measurements import mostly_different
from activefs.notebook import Told, notebook_bar
from activefs.options import SessionOptions, check_options, declared, document_options, of_table, with_options
from activefs.pool import (
    Cluster,
    column_values,
    fetched,
    heading,
    is_collection,
    opened_table,
    opened_with_doubts,
    read_pool,
    some_columns,
    warn_left_out,
)
from activefs.rendering import labels_used
from activefs.session import Callback, Session
from activefs.streams import StreamSource
from activefs.tables import as_array, as_frame, check_different_labels, kept_if_named
from activefs.types import Array, Bools

Oracle = Callable[[int], Any]
# A budget is what a selector in a pipeline must have: nobody is there to stop it.
_DEFAULTS = {"budget": 200}
_PARTS: dict[str, Any] = {
    "strategy": strategies.REGISTRY,
    "criterion": criteria.REGISTRY,
    "redundancy": redundancy.REGISTRY,
}


@document_options(defaults=_DEFAULTS)
class ActiveFeatureSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Select the k features that tell most about a label, reading few labels.

    Parameters
    ----------
    k : int, default 10
        Number of features to select. If the table has fewer, all are kept, with a warning.
    **options
        Settings of the session; they are listed in :mod:`activefs.options`.

    Attributes
    ----------
    selection_ : Selection
        The chosen features, best first, with their scores and bounds.
    queried_indices_ : array of int, shape (n_labels,)
        Rows whose labels were read, in the order in which they were, those of `known` included.
    queried_labels_ : array, shape (n_labels,)
        Their labels; of objects, if they are of several types.
    n_labels_ : int
        How many labels were read.
    n_features_in_ : int
        Columns of the table that :meth:`fit` was given.
    feature_names_in_ : array of str, shape (n_features,)
        Their names; only there if all of them are text.

    See Also
    --------
    Session : Ask and tell yourself, row by row.
    Study : For people who label, over days.

    Notes
    -----
    Guide: :doc:`/guide/choosing`, :doc:`/guide/tables`, :doc:`/guide/strategies`.

    It is a transformer of scikit-learn: it can be cloned, searched in a grid and put into a pipeline. Parameters of
    parts are reached as ``strategy__psi``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from activefs import ActiveFeatureSelector
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = ActiveFeatureSelector(k=3, budget=60, random_state=0).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['mean concave points', 'worst perimeter', 'worst concave points']
    >>> selector.n_labels_, selector.transform(X).shape
    (60, (569, 3))
    """

    @with_options(defaults=_DEFAULTS)
    def __init__(self, k: int = 10, **options: Unpack[SessionOptions]) -> None:
        known = declared(SessionOptions)
        if unknown := sorted(set(options) - set(known)):
            raise TypeError(f"there is no option {', '.join(map(repr, unknown))}; there are: k, {', '.join(known)}")
        self.k = k
        for name, option in known.items():
            setattr(self, name, options.get(name, _DEFAULTS.get(name, option.default)))

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        oracle: Oracle | None = None,
        known: Mapping[int, Any] | None = None,
        callback: Callback | None = None,
    ) -> Self:
        """Choose rows one after the other, read their labels, and select features.

        Parameters
        ----------
        X : table
            See :class:`Session`: it may be a path, a LazyFrame and the like, too, and need not fit into memory.
        y : sequence, array, series or table of one column, optional
            A label for every row, of which at most `budget` are used. Where an entry is missing (None, NaN, a null,
            empty text) the row cannot be labelled: another one is asked, and the budget stays as it is. That most
            labels are different numbers is said before the first one is used, unless `y` is a sequence of your own:
            of that, only the labels that are used are read.
        oracle : callable, optional
            Instead of `y`: called with a row index, it returns the label, or None if the row cannot
            be labelled.
        known : mapping, optional
            Labels that exist already, row index to label; they count towards the budget. Rows whose label is
            missing here are not known yet: they may be asked like all others.
        callback : callable, optional
            Called with the :class:`Session` after every label, to show progress, say.

        Returns
        -------
        ActiveFeatureSelector
            Itself, fitted.

        Raises
        ------
        InvalidInputError
            If the table, the labels or a setting is not accepted.
        OracleError
            If the oracle raises. The labels obtained before stay in `queried_indices_` and
            `queried_labels_`, and can be given to another call as `known`.

        Warns
        -----
        UserWarning
            If the table has fewer than k columns that can be features: all of them are kept.
        OneClassWarning
            If all labels that were read are of one class.
        NumericLabelsWarning
            If most labels are different numbers, rather measurements than classes.

        Examples
        --------
        Labels may come from a function, which is called for the rows that are chosen:

        >>> from activefs import ActiveFeatureSelector
        >>> X = [[a, b, c] for a in range(2) for b in range(2) for c in range(2)] * 10
        >>> asked = []
        >>> def examine(row):
        ...     asked.append(row)
        ...     return "ill" if X[row][1] else "healthy"
        >>> selector = ActiveFeatureSelector(k=1, budget=15, strategy="afs", random_state=0).fit(X, oracle=examine)
        >>> selector.selection_.features.tolist(), asked == selector.queried_indices_.tolist()
        ([1], True)
        """
        labels = None if y is None else _one_dimensional(y)
        source = self._label_source(labels, oracle)
        with notebook_bar("reading the table") as told:
            table = opened_with_doubts(X, told, IGNORE.check("ignore", self.ignore), stacklevel=2)
            session = self._session(self._validated(table), callback, told)
        if labels is not None and len(labels) != session.pool.n_rows:
            raise InvalidInputError(
                "Found input variables with inconsistent numbers of samples: "
                f"{session.pool.n_rows} rows, {len(labels)} labels"
            )
        free = self.classes is None and self.label_edges is None
        numeric = _about_all(labels) if free and labels is not None else ""
        if numeric:
            warnings.warn(numeric, NumericLabelsWarning, stacklevel=2)
        there = {row: label for row, label in (known or {}).items() if unwrapped(label) is not None}
        try:
            with _said_already() if numeric else nullcontext():
                if there:
                    session.tell(list(there), list(there.values()))
                self._run(session, source)
        finally:
            self.queried_indices_ = session.labelled
            self.queried_labels_ = _as_labels(session.labels)
            self.n_labels_ = session.n_labels
        if labels is not None and session.skipped and not session.n_labels:
            raise InvalidInputError(
                f"all {len(session.skipped):,} labels in y are missing: there is nothing to judge features by; fill in "
                "labels of two classes at least"
            )
        with notebook_bar("judging the features"):
            self.selection_ = session.selection()
        self._support = np.zeros(self.n_features_in_, dtype=bool)
        self._support[self.selection_.features] = True
        return self

    def transform(self, X: Any) -> Any:
        """Keep the selected columns of a table, as other selectors of scikit-learn do.

        Parameters
        ----------
        X : table
            In memory, or a path or the like of a table that fits into it; or a Dask collection.

        Returns
        -------
        array, shape (n_rows, k)
            Or a data frame, if `set_output` says so. Of a Dask collection, the collection of the selected columns.
            Columns are in the order of the table; `selection_` has them best first.

        Raises
        ------
        InvalidInputError
            If the table does not fit into memory: then load the selected columns only (`get_feature_names_out`) with
            the library that you work with them in.

        Examples
        --------
        >>> from activefs import ActiveFeatureSelector
        >>> X = [[a, b, c] for a in range(2) for b in range(2) for c in range(2)] * 10
        >>> y = [b for a, b, c in X]
        >>> selector = ActiveFeatureSelector(k=1, budget=15, strategy="afs", random_state=0).fit(X, y)
        >>> selector.transform(X)[:4].ravel().tolist()
        [0, 0, 1, 1]
        """
        check_is_fitted(self)
        if is_collection(X):  # it may not fit anywhere, and need not
            validate_data(self, heading(X), skip_check_array=True, reset=False)
            return some_columns(X, np.flatnonzero(self._support).tolist())
        X = opened_table(X)
        if isinstance(X, StreamSource):
            raise InvalidInputError(
                f"{X.description} does not fit into memory, where scikit-learn wants it: load the selected columns "
                "only, which get_feature_names_out() names"
            )
        return super().transform(X)

    def set_params(self, **params: Any) -> Self:
        """Set parameters, those of parts included (``strategy__psi="l2"``), also of a part that is given by name.

        Parameters
        ----------
        **params
            Parameters of the constructor by name, or those of `strategy`, `criterion` and `redundancy`, with the name
            of the part and two underscores before.

        Returns
        -------
        ActiveFeatureSelector
            Itself.

        Raises
        ------
        InvalidInputError
            If a part has no such parameter, or refuses the value.
        ValueError
            If the selector has no such parameter.

        Examples
        --------
        >>> from activefs import ActiveFeatureSelector
        >>> selector = ActiveFeatureSelector(k=5, strategy="afs").set_params(strategy__psi="l2")
        >>> selector.strategy
        AFS(psi='l2')
        """
        for name, registry in _PARTS.items():
            part = params.get(name, getattr(self, name))
            if isinstance(part, str) and any(key.startswith(f"{name}__") for key in params):
                params[name] = registry.create(part)
        super().set_params(**params)
        return self

    def _session(self, table: Any, callback: Callback | None, told: Told | None) -> Session:
        options = {name: getattr(self, name) for name in declared(SessionOptions)}
        # A part may keep what it computes; the one that was given stays as it is.
        options |= {name: clone(options[name], safe=False) for name in _PARTS if not isinstance(options[name], str)}
        checked = check_options({**options, "k": self.k})
        cost, ignore = checked["cost"], checked["ignore"]
        if isinstance(cost, str):
            ignore = (*ignore, cost)
            cost = column_values(table, cost)
        reading = {name: options.pop(name) for name in of_table(options)}
        pool = read_pool(table, **{**reading, "ignore": ignore}, progress=told)
        warn_left_out(pool.left_out, stacklevel=3)
        if pool.n_features == 0:
            raise InvalidInputError(
                f"no column varies over the n_samples={pool.n_rows} rows: there is nothing to select from"
                if not kept_if_named(pool.left_out)
                else f"no column is left to select from{kept_if_named(pool.left_out)}"
            )
        k = checked["k"]
        if k > pool.n_features:
            missed = "columns" if pool.n_features == pool.n_columns else "columns that can be features"
            warnings.warn(
                f"k={k} is greater than the {pool.n_features} {missed}: all of them are kept",
                UserWarning,
                stacklevel=3,
            )
            k = pool.n_features
        return Session(pool, k, **{**options, "cost": cost}, callback=callback)

    def _run(self, session: Session, source: Oracle) -> None:
        with notebook_bar("labelling") as told:
            while not session.finished:
                if told is not None:
                    told(*_how_far(session))
                row = session.ask()
                try:
                    label = source(row)
                except Exception as error:
                    raise OracleError(
                        f"the oracle raised {type(error).__name__} for row {row}: {error}. {session.n_labels} labels "
                        "were obtained before; to go on from them, call fit again with "
                        "known=dict(zip(selector.queried_indices_, selector.queried_labels_))"
                    ) from error
                if unwrapped(label) is None:
                    session.skip(row)
                else:
                    session.tell(row, label)

    def _label_source(self, y: Any, oracle: Oracle | None) -> Oracle:
        """A function that reads one label at a time."""
        if oracle is not None:
            if y is not None:
                raise InvalidInputError("give either y or oracle, not both")
            if not callable(oracle):
                raise InvalidInputError(f"oracle must be callable: row index -> label; got {oracle!r}")
            return oracle
        if y is None:
            raise InvalidInputError(
                "This ActiveFeatureSelector estimator requires y to be passed, but the target y is None; "
                "or give an oracle"
            )
        reader = getattr(y, "iloc", y)  # a pandas series is read by position, not by its index
        return lambda row: reader[row]

    def _validated(self, X: Any) -> Any:
        """Set n_features_in_ and feature_names_in_ as scikit-learn does, and keep data frames whole."""
        if isinstance(X, StreamSource):
            self.n_features_in_ = len(X.names)
            self.feature_names_in_ = np.array(X.names, dtype=object)
            return X
        if is_collection(X):
            validate_data(self, heading(X), skip_check_array=True)
            return X
        frame = as_frame(X)
        if frame is not None:
            X = frame.to_native()
            validate_data(self, X, skip_check_array=True)
            if frame.shape[0] < 1 or not frame.columns:
                check_array(X, dtype=None)
            return X
        if isinstance(X, (list, tuple)) and len(X) and isinstance(X[0], (list, tuple, np.ndarray)):
            X = as_array(X)  # numpy would make text of numbers that stand beside text
        if isinstance(X, np.ndarray) and X.dtype.names is not None:
            raise InvalidInputError("X is a structured array, which scikit-learn cannot use: pass pandas.DataFrame(X)")
        if isinstance(X, np.ma.MaskedArray) and X.ndim == 2:
            validate_data(self, X.data, dtype=None, ensure_all_finite=False)  # what is masked may be anything
            return X
        return validate_data(
            self, X, dtype=None, accept_sparse=True, ensure_all_finite=self.missing != "value" or "allow-nan"
        )

    def _get_support_mask(self) -> Bools:
        check_is_fitted(self)
        return self._support

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "selection_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing == "value"
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def _how_far(session: Session) -> tuple[str, float | None]:
    """Say how many labels there are, and which share of those that may come; with prices, nobody knows that."""
    if session.cost is not None:
        return labels_used(session.n_labels, None, None), None
    most = min(session.budget or session.pool.n_rows, session.pool.n_rows)
    return labels_used(session.n_labels, None, most), session.n_labels / most


def _one_dimensional(y: Any) -> Any:
    """Return y as something with a length that can be read entry by entry: of one column, its entries."""
    if scipy.sparse.issparse(y):
        raise InvalidInputError("y is sparse: pass the labels as an array or list")
    if is_collection(y):  # one value per row, which a process can hold
        y = fetched(y, "y", Cluster.present())
    if isinstance(y, np.matrix):
        y = np.asarray(y)
    if not hasattr(y, "__len__") or not hasattr(y, "__getitem__"):
        if not hasattr(y, "__array__"):
            raise InvalidInputError(f"y must be a sequence of labels, got {type(y).__name__}")
        y = np.asarray(y)
    if (frame := as_frame(y)) is not None and frame.shape[1] == 1:
        return frame[frame.columns[0]].to_native()
    if isinstance(y, (list, tuple)) and y and all(isinstance(row, list) and len(row) == 1 for row in y):
        return [row[0] for row in y]
    shape: tuple[int, ...] = y.shape if hasattr(y, "shape") else (len(y),)
    if len(shape) == 1:
        return y
    if isinstance(y, np.ndarray) and len(shape) == 2 and shape[1] == 1:
        return y[:, 0]
    raise InvalidInputError(f"y should be a 1d array, got an array of shape {tuple(shape)} instead.")


def _about_all(y: Any) -> str:
    """Refuse labels that cannot be classes, and say that most are different numbers, before the first one is used.

    A sequence of one's own may read each label where it is dear, a laboratory say: it is not looked at.
    """
    ways = (getattr(y, name, None) for name in ("to_pylist", "to_list", "tolist"))
    all_of_them = next((way for way in ways if way is not None), None)
    if all_of_them is None and not isinstance(y, (list, tuple)):
        return ""
    try:
        found = Counter(y if all_of_them is None else all_of_them())
    except TypeError:  # one of them is no label; that is said where it is read
        return ""
    there = {label: rows for label, rows in found.items() if unwrapped(label) is not None}
    classes = ClassList()
    for label in there:
        if not isinstance(label, int):  # which is always a class, and there may be a million of them
            classes.check(label)
    if not any(isinstance(label, (int, float)) for label in there):  # of numbers it is said, and they are taken
        check_different_labels(there, sum(there.values()), "y")
    return mostly_different(there, sum(there.values()), "y")


def _said_already() -> warnings.catch_warnings[None]:
    return warnings.catch_warnings(action="ignore", category=NumericLabelsWarning)


def _as_labels(labels: list[Any]) -> Array:
    """Return labels as an array that holds them unchanged: of objects, if they are of several types."""
    kinds = {type(label) for label in labels}
    if len(kinds) == 1 and kinds <= {str, int, float, bool}:
        return np.asarray(labels)
    return np.fromiter(labels, dtype=object, count=len(labels))  # one entry each, also of class probabilities
