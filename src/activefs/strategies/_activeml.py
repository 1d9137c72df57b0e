"""ACTIVEML: any pool strategy of scikit-activeml, asked for rows in the same loop."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from activefs.exceptions import InvalidInputError, MissingExtraError
from activefs.pool import Pool
from activefs.strategies._base import State, Strategy
from activefs.tables import Encoding
from activefs.types import Floats

# What a strategy's `query` may call its model, and the model it gets unless the caller names one.
_MODELS: dict[str, Any] = {
    "clf": LogisticRegression(max_iter=200),
    "discriminator": LogisticRegression(max_iter=200),
    "ensemble": RandomForestClassifier(n_estimators=20),
}
_MOST_BYTES = 8 * 10**9
_GIVEN = {"self", "X", "y", "candidates", "batch_size", "return_utilities"}


class ActiveML(Strategy):
    """Let a pool strategy of scikit-activeml choose the row.

    Such strategies choose rows that help a classifier; here they stand beside those that choose rows
    to find features. They see all features as numbers: ordered values (numbers, bins) as their rank
    scaled to [0, 1], strings as one column per value. Needs the extra ``activefs[activeml]``.

    Parameters
    ----------
    query : str or object, default "UncertaintySampling"
        Name of a class of ``skactiveml.pool``, or an instance of such a class.
    query_params : mapping, optional
        Arguments of the class, if it is given by name.
    model : scikit-learn classifier, optional
        What the strategy trains, if it trains something; by default a logistic regression, or a
        random forest of 20 trees for strategies that want a committee.
    unseen : float, default 0.5
        Class probability assumed for a value that was never labelled.

    Raises
    ------
    MissingExtraError
        If scikit-activeml is not installed.
    InvalidInputError
        If it has no such strategy, or one that needs more than a classifier or a committee.

    See Also
    --------
    Uncertainty : Uncertain rows, by the model that judges features.

    Notes
    -----
    Rows asked and not yet answered are not asked again, but the strategy does not know of them.
    The choice does not depend on k. Its rows are chosen, not drawn: judge features by ``estimator="assisted"``. Guide:
    :doc:`/guide/strategies`. Source: scikit-activeml [1]_.

    References
    ----------
    .. [1] https://scikit-activeml.github.io/

    Examples
    --------
    Its strategy that covers the pool takes the row that differs most from the labelled one:

    >>> from activefs import Session
    >>> from activefs.strategies import ActiveML
    >>> X = [[0, 0, 0], [0, 0, 1], [1, 1, 1]]
    >>> session = Session(X, k=1, strategy=ActiveML(query="CoreSet"), random_state=0)
    >>> session.tell(0, "ill")
    >>> session.ask()
    2
    """

    name: ClassVar[str] = "activeml"
    needs_k: ClassVar[bool] = False
    reads_values: ClassVar[bool] = True

    def __init__(
        self,
        *,
        query: Any = "UncertaintySampling",
        query_params: Mapping[str, Any] | None = None,
        model: Any = None,
        unseen: float = 0.5,
    ) -> None:
        super().__init__(unseen=unseen)
        self.query = query
        self.query_params = query_params
        self.model = model
        self._query = _query_strategy(query, query_params)
        self._model_name = _model_name(self._query)
        if model is not None and not hasattr(model, "fit"):
            raise InvalidInputError(f"model must be a scikit-learn classifier, got {model!r}")
        self._inputs: tuple[Pool, Floats] | None = None

    def ask(self, state: State, rng: np.random.Generator) -> int:
        """Choose the available row that the strategy of scikit-activeml prefers.

        Parameters
        ----------
        state : State
            The table, the labels so far, and the rows that may be asked.
        rng : numpy.random.Generator
            Draws, and breaks ties.

        Returns
        -------
        int
            The row.
        """
        if self._inputs is None or self._inputs[0] is not state.pool:
            self._inputs = (state.pool, as_numbers(state.pool))
        y = np.full(state.pool.n_rows, np.nan)
        y[state.labelled] = state.labels
        query = _seeded(self._query, rng)
        arguments: dict[str, Any] = {"X": self._inputs[1], "y": y, "candidates": np.flatnonzero(state.available)}
        if self._model_name is not None:
            arguments[self._model_name] = self._classifier(state.estimates.n_classes, rng)
        with warnings.catch_warnings():
            # With few labels the models complain about each other's guesses; the row is what counts.
            warnings.simplefilter("ignore")
            chosen = query.query(**arguments)
        return int(np.asarray(chosen).ravel()[0])

    def _classifier(self, n_classes: int, rng: np.random.Generator) -> Any:
        from skactiveml.base import SkactivemlClassifier
        from skactiveml.classifier import SklearnClassifier

        model = self.model if self.model is not None else _MODELS[str(self._model_name)]
        if isinstance(model, SkactivemlClassifier):
            wrapped = clone(model).set_params(classes=list(range(n_classes)), missing_label=np.nan)
        else:
            wrapped = SklearnClassifier(clone(model), classes=list(range(n_classes)), missing_label=np.nan)
        return _seeded(wrapped, rng)


def as_numbers(pool: Pool) -> Floats:
    """Rows by columns: ordered values as ranks in [0, 1], all others as one column of 0 and 1 per value.

    Examples
    --------
    >>> as_numbers(Pool.from_table([[1, "a"], [2, "b"], [4, "c"]]))
    array([[0. , 1. , 0. , 0. ],
           [0.5, 0. , 1. , 0. ],
           [1. , 0. , 0. , 1. ]])
    """
    size = 8 * pool.n_rows * sum(1 if _is_a_rank(e) else e.n_values for e in pool.encodings)
    if size > _MOST_BYTES:
        raise InvalidInputError(
            f"the strategy 'activeml' needs all rows in memory as numbers, {size / 1e9:.1f} GB of them: take a sample "
            "of the rows, or a strategy of activefs"
        )
    columns: list[Floats] = []
    for codes, encoding in zip(pool.codes, pool.encodings, strict=True):
        if _is_a_rank(encoding):
            columns.append(codes / (encoding.n_values - 1.0))
        else:
            columns.extend((codes == v).astype(np.float64) for v in range(encoding.n_values))
    return np.column_stack(columns)


def _is_a_rank(encoding: Encoding) -> bool:
    """Whether the values of a feature are in an order, and none is missing."""
    ordered = encoding.ordered
    if ordered is None:
        ordered = not encoding.values or not isinstance(encoding.values[0], str)
    return ordered and not encoding.missing


def _query_strategy(query: Any, params: Mapping[str, Any] | None) -> Any:
    try:
        import skactiveml.pool
        from skactiveml.base import SingleAnnotatorPoolQueryStrategy
    except ImportError as error:
        raise MissingExtraError(
            f"strategy 'activeml' needs scikit-activeml, which is not installed ({error}): "
            "pip install 'activefs[activeml]'"
        ) from error
    if isinstance(query, SingleAnnotatorPoolQueryStrategy):
        if params:
            raise InvalidInputError("query_params go with a strategy's name; this one is an object already")
        return query
    known = {
        name: c
        for name in skactiveml.pool.__all__
        if isinstance(c := getattr(skactiveml.pool, name), type) and issubclass(c, SingleAnnotatorPoolQueryStrategy)
    }
    if not isinstance(query, str) or query not in known:
        raise InvalidInputError(f"no pool strategy {query!r} in scikit-activeml; there are: {', '.join(sorted(known))}")
    try:
        return known[query](**dict(params or {}))
    except TypeError as error:
        raise InvalidInputError(f"query_params do not fit {query}: {error}") from error


def _model_name(query: Any) -> str | None:
    """Which argument of `query` takes the model; strategies that need anything else cannot be used."""
    parameters = inspect.signature(query.query).parameters.values()
    needed = [p.name for p in parameters if p.default is inspect.Parameter.empty and p.name not in _GIVEN]
    if any(name not in _MODELS for name in needed) or len(needed) > 1:
        raise InvalidInputError(
            f"{type(query).__name__} of scikit-activeml needs {', '.join(needed)}: only strategies for "
            "classification that need at most one classifier or committee can be used"
        )
    return needed[0] if needed else None


def _seeded(estimator: Any, rng: np.random.Generator) -> Any:
    """Copy with all random states drawn from our generator, so that one seed decides everything."""
    copy = clone(estimator)
    names = sorted(n for n in copy.get_params() if n == "random_state" or n.endswith("__random_state"))
    return copy.set_params(**{name: int(rng.integers(2**31 - 1)) for name in names})
