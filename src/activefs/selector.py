"""The scikit-learn estimator."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from activefs.criteria import Criterion
from activefs.exceptions import InvalidInputError, OracleError
from activefs.pool import BinningOption, BinsOption, Missing, Pool, column_values
from activefs.redundancy import Rule
from activefs.session import Session
from activefs.strategies import RECOMMENDED, Estimator, Strategy
from activefs.tables import as_frame

Oracle = Callable[[int], Any]


class ActiveFeatureSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Select the k features that tell most about a label, reading few labels.

    Parameters
    ----------
    k : int, default 10
        Number of features to select. If the table has fewer, all are kept, with a warning.
    budget : int, default 200
        Labels to be read at most.
    strategy : str or Strategy, default "assisted"
        How rows are chosen; see ``activefs.strategies.available()``.
    strategy_params : dict, optional
        Parameters of the strategy given by name.
    criterion : str or Criterion, default "mutual_information"
        Quality measure of a feature.
    estimator : {"plug-in", "assisted"}, optional
        How features are judged: by the labelled rows alone, or by all rows, with a model that completes the
        labels. By default what suits the strategy.
    model : classifier, optional
        A scikit-learn classifier with `predict_proba` to complete the labels; the default needs no tuning.
    stop_when_gap_below : float, optional
        Stop before the budget is used, once the features are expected to lack less than this against the
        best ones (assisted estimate only).
    redundancy : str or Rule, default "none"
        "none" takes the k best features; "mrmr", "jmi" and "cmim" avoid features that tell the same.
    cost : array or str, optional
        What the label of each row costs, or the column that says so; the budget is then a sum of costs.
    delta : float, default 0.05
        Confidence parameter.
    classes : sequence, optional
        The possible labels; by default they turn up as labels are read.
    missing : {"error", "value"}, default "error"
        Whether missing values are an error or a value of their own.
    binning, bins, ignore
        How columns are read; see :class:`Session`.
    random_state : int, RandomState or None, default None
        Seed of everything random.
    n_jobs : int, optional
        Threads; the result does not depend on it.

    Attributes
    ----------
    selection_ : Selection
        The chosen features, best first, with their scores and bounds.
    queried_indices_, queried_labels_ : array
        Rows whose labels were read, in order, and the labels.
    n_labels_ : int
        How many.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = ActiveFeatureSelector(k=3, budget=60, random_state=0).fit(X, y)
    >>> selector.n_labels_, selector.transform(X).shape
    (60, (569, 3))
    """

    def __init__(
        self,
        k: int = 10,
        *,
        budget: float = 200,
        strategy: str | Strategy = RECOMMENDED,
        strategy_params: dict[str, Any] | None = None,
        criterion: str | Criterion = "mutual_information",
        estimator: Estimator | None = None,
        model: Any = None,
        stop_when_gap_below: float | None = None,
        redundancy: str | Rule = "none",
        cost: ArrayLike | str | None = None,
        delta: float = 0.05,
        classes: Sequence[Any] | None = None,
        missing: Missing = "error",
        binning: BinningOption = "kmeans",
        bins: BinsOption = 10,
        ignore: Sequence[str | int] = (),
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.k = k
        self.budget = budget
        self.strategy = strategy
        self.strategy_params = strategy_params
        self.criterion = criterion
        self.estimator = estimator
        self.model = model
        self.stop_when_gap_below = stop_when_gap_below
        self.redundancy = redundancy
        self.cost = cost
        self.delta = delta
        self.classes = classes
        self.missing = missing
        self.binning = binning
        self.bins = bins
        self.ignore = ignore
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(
        self, X: Any, y: Any = None, *, oracle: Oracle | None = None, known: Mapping[int, Any] | None = None
    ) -> Self:
        """Choose rows one after the other, read their labels, and select features.

        Parameters
        ----------
        X : table
            See :class:`Session`.
        y : sequence, optional
            A label for every row, of which at most `budget` entries are read.
        oracle : callable, optional
            Instead of `y`: called with a row index, it returns the label, or None if the row cannot
            be labelled.
        known : mapping, optional
            Labels that exist already, row index to label; they count towards the budget.

        Raises
        ------
        OracleError
            If the oracle raises. The labels obtained before stay in `queried_indices_` and
            `queried_labels_`, and can be given to another call as `known`.
        """
        labels = None if y is None else _one_dimensional(y)
        source = self._label_source(labels, oracle)
        session = self._session(self._validated(X))
        if labels is not None and len(labels) != session.pool.n_rows:
            raise InvalidInputError(
                "Found input variables with inconsistent numbers of samples: "
                f"{session.pool.n_rows} rows, {len(labels)} labels"
            )
        if known:
            session.tell(list(known), list(known.values()))
        try:
            self._run(session, source)
        finally:
            self.queried_indices_ = session.labelled
            self.queried_labels_ = _as_array(session.labels)
            self.n_labels_ = session.n_labels
        self.selection_ = session.selection()
        self._support = np.zeros(self.n_features_in_, dtype=bool)
        self._support[self.selection_.features] = True
        return self

    def _session(self, table: Any) -> Session:
        cost, ignore = self.cost, self.ignore
        if isinstance(cost, str):
            ignore = [*ignore, cost]
            cost = column_values(table, cost)
        pool = Pool.from_table(table, missing=self.missing, bins=self.bins, binning=self.binning, ignore=ignore)
        if pool.n_features == 0:
            raise InvalidInputError(
                f"no column varies over the n_samples={pool.n_rows} rows: there is nothing to select from"
            )
        k = self.k
        if isinstance(k, (int, np.integer)) and k > pool.n_features:
            missed = "columns" if pool.n_features == pool.n_columns else "columns that vary"
            warnings.warn(
                f"k={k} is greater than the {pool.n_features} {missed}: all of them are kept",
                UserWarning,
                stacklevel=3,
            )
            k = pool.n_features
        return Session(
            pool,
            k,
            strategy=self.strategy,
            budget=self.budget,
            delta=self.delta,
            criterion=self.criterion,
            estimator=self.estimator,
            model=self.model,
            stop_when_gap_below=self.stop_when_gap_below,
            redundancy=self.redundancy,
            cost=cost,
            strategy_params=self.strategy_params,
            classes=self.classes,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )

    def _run(self, session: Session, source: Oracle) -> None:
        while not session.finished:
            row = session.ask()
            try:
                label = source(row)
            except Exception as error:
                raise OracleError(
                    f"the oracle raised {type(error).__name__} for row {row}: {error}. {session.n_labels} labels "
                    "were obtained before; to go on from them, call fit again with "
                    "known=dict(zip(selector.queried_indices_, selector.queried_labels_))"
                ) from error
            if label is None:
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
        return lambda row: _checked_label(reader[row], row)

    def _validated(self, X: Any) -> Any:
        """Set n_features_in_ and feature_names_in_ as scikit-learn does, and keep data frames whole."""
        frame = as_frame(X)
        if frame is not None:
            validate_data(self, X, skip_check_array=True)
            if frame.shape[0] < 1 or not frame.columns:
                check_array(X, dtype=None)
            return X
        return validate_data(
            self, X, dtype=None, accept_sparse=True, ensure_all_finite=self.missing != "value" or "allow-nan"
        )

    def _get_support_mask(self) -> NDArray[np.bool_]:
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


def _one_dimensional(y: Any) -> Any:
    """Return y as something with a length that can be read entry by entry."""
    if not hasattr(y, "__len__") or not hasattr(y, "__getitem__"):
        if not hasattr(y, "__array__"):
            raise InvalidInputError(f"y must be a sequence of labels, got {type(y).__name__}")
        y = np.asarray(y)
    shape: tuple[int, ...] = getattr(y, "shape", (len(y),))
    if len(shape) == 1:
        return y
    if isinstance(y, np.ndarray) and len(shape) == 2 and shape[1] == 1:
        return y[:, 0]
    raise InvalidInputError(f"y should be a 1d array, got an array of shape {tuple(shape)} instead.")


def _as_array(labels: list[Any]) -> NDArray[Any]:
    """Return labels as an array that holds them unchanged: of objects, if they are of several types."""
    kinds = {type(label) for label in labels}
    if len(kinds) == 1 and kinds <= {str, int, float, bool}:
        return np.asarray(labels)
    out = np.empty(len(labels), dtype=object)
    out[:] = labels
    return out


def _checked_label(label: Any, row: int) -> Any:
    if label is None:
        raise InvalidInputError(f"y[{row}] is missing")
    return label
