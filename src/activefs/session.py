"""Ask and tell: the loop in which a strategy chooses rows and somebody labels them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from activefs.constraints import Optional, Whole
from activefs.engine import Engine, Position, Told, is_uncertain, load, save
from activefs.estimates import Estimates
from activefs.exceptions import (
    InvalidInputError,
    InvalidLabelError,
    NothingToAsk,
    NothingToUndo,
    NumericLabelsWarning,
    OneClassWarning,
)
from activefs.model import Assistant
from activefs.notebook import notebook_bar
from activefs.options import (
    SessionOptions,
    check_options,
    declared,
    document_options,
    of_table,
    refuse_beside_pool,
    with_options,
)
from activefs.pool import Pool, column_values, opened_with_doubts, read_pool, warn_left_out
from activefs.redundancy import Contested
from activefs.rendering import ABOUT_CHANCE, labels_used, words_for
from activefs.rows import checked_row, is_many
from activefs.seeds import root_seed
from activefs.selection import ARBITRARY, Selection
from activefs.tables import listed_left_out
from activefs.types import Array, Floats, Ints

Callback = Callable[["Session"], object]
_NAMED = 5
"""Classes that a warning names; there may be hundreds."""


@document_options()
class Session:
    """Choose rows to label, take the labels, and name the best k features at any time.

    Everything that a session answers is a function of its arguments, the seed and the labels told:
    telling the same labels again gives the same questions.

    Parameters
    ----------
    X : table, path or Pool
        One row per item, one column per feature: numpy array, pandas, polars or Arrow table, scipy
        sparse matrix; a Parquet or text file, a folder or pattern of them, or an address such as ``s3://bucket/table``;
        a polars LazyFrame, Arrow dataset, DuckDB relation, Dask DataFrame or Array. What does not fit into memory
        is encoded once and kept in the user's cache folder. Numbers are binned if a column has more than `bins` of
        them; booleans, strings and categories are used as they are; text and whole numbers of which nearly every row
        has its own are left out.
    k : int
        Number of features wanted, at most the number of columns that vary.
    **options
        Settings; they are listed in :mod:`activefs.options`.
    callback : callable, optional
        Called with the session after every label; after several that were told at once, as many times.
    assistant : Assistant, optional
        A model that was prepared for the same pool, instead of `model`: many sessions on one pool share it.

    Raises
    ------
    InvalidInputError
        If the table cannot be read, or an argument is not accepted; the message says what is.
    TypeError
        If there is no setting of that name.

    Warns
    -----
    LeftOutWarning
        If columns are left out because nearly every row has a value of its own.
    DoubtfulColumnWarning
        If a column of a file may have been meant otherwise than it was read.

    See Also
    --------
    ActiveFeatureSelector : The same for labels that a table or a function has, as an estimator of scikit-learn.
    Study : A session that is kept in a database, for one person or several.
    Pool.from_table : Read a table once, for many sessions.
    activefs.strategies.available : Names of the ways of choosing rows.

    Notes
    -----
    Guide: :doc:`/guide/choosing`, :doc:`/guide/certainty`, :doc:`/guide/tables`. How features are judged:
    :doc:`/method/assisted`; what ``strategy="afs"`` computes: :doc:`/method/algorithm`.

    Every setting can be read as an attribute: `strategy`, `criterion` and `estimator` as the objects and the name that
    are in use, all others as they were given.

    Examples
    --------
    >>> import numpy as np
    >>> from activefs import Session
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, size=(200, 6))
    >>> y = X[:, 4] ^ (rng.random(200) < 0.05)
    >>> session = Session(X, k=1, budget=40, random_state=0)
    >>> while not session.finished:
    ...     row = session.ask()
    ...     session.tell(row, y[row])
    >>> session.selection().features.tolist()
    [4]
    >>> session.reason
    'the budget of 40 labels is used'
    """

    @with_options()
    def __init__(
        self,
        X: Any,
        k: int,
        *,
        callback: Callback | None = None,
        assistant: Assistant | None = None,
        **options: Unpack[SessionOptions],
    ) -> None:
        if callback is not None and not callable(callback):
            raise InvalidInputError(f"callback must be callable, with the session as its argument; got {callback!r}")
        if assistant is not None and options.get("model") is not None:
            raise InvalidInputError("give either model or assistant, not both")
        given: dict[str, Any] = {**options, "k": k}
        checked = check_options(given)
        cost, ignore = checked["cost"], checked["ignore"]
        with notebook_bar("reading the table") as told:
            if isinstance(cost, str):
                ignore = (*ignore, cost)
            if not isinstance(X, Pool):
                X = opened_with_doubts(X, told, ignore, stacklevel=2)
            if isinstance(cost, str):
                cost = column_values(X, cost)
            if isinstance(X, Pool):
                refuse_beside_pool(given)
                pool = X
            else:
                pool = read_pool(X, **{**of_table(checked), "ignore": ignore}, progress=told)
                warn_left_out(pool.left_out, stacklevel=2)
            checked["random_state"] = root_seed(checked["random_state"])
            self._callback = callback
            self._position = Position()
            self._asked: frozenset[int] = frozenset()  # rows that were ever asked: their labels answer a question
            if told is not None:
                told("preparing the model", None)
            self._engine = Engine(checked, pool, cost=cost, assistant=assistant)

    # --- what it is ---

    @property
    def pool(self) -> Pool:
        """The encoded table: a :class:`Pool`, which other sessions may be given instead of the table."""
        return self._engine.pool

    @property
    def k(self) -> int:
        """Number of features wanted: int."""
        return self._engine.k

    @property
    def options(self) -> Mapping[str, Any]:
        """All settings by name: a mapping, with the seed that was drawn if none was given.

        Examples
        --------
        >>> from activefs import Session
        >>> session = Session([[0, 1], [1, 1], [1, 0]], k=1, strategy="random", random_state=7)
        >>> session.options["random_state"], session.options["delta"]
        (7, 0.05)
        """
        return dict(self._engine.options)

    @property
    def assistant(self) -> Assistant | None:
        """The model that completes the table: an Assistant, or None if neither strategy nor estimate needs one."""
        return self._engine.assistant

    def __getattr__(self, name: str) -> Any:
        # Settings can be read as attributes: the parts as objects, all others as they were given.
        engine = self.__dict__.get("_engine")
        if engine is not None and name in engine.options:
            part = {"strategy": engine.strategy, "criterion": engine.criterion, "estimator": engine.estimator}
            return part.get(name, engine.options[name])
        if engine is not None and name == "rule":
            return engine.rule
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name in declared(SessionOptions):
            raise AttributeError(
                f"{name} is a setting of the session, which stays as it is: make another Session, and tell it the "
                "labels that are known"
            )
        super().__setattr__(name, value)

    # --- what has happened so far ---

    @property
    def classes(self) -> tuple[Any, ...]:
        """The labels known so far, the fixed list, or with `label_edges` the names of the ranges: a tuple."""
        values: tuple[Any, ...] = self._engine.labelled(self._position).classes.values
        return values

    @property
    def labelled(self) -> Ints:
        """Labelled rows, in the order in which they were told: array of int, shape (n_labels,)."""
        return np.asarray(self._position.rows, dtype=np.int64)

    @property
    def labels(self) -> list[Any]:
        """Their labels, in the same order: a list; with `label_edges`, the numbers as they were told.

        Those that are not settled are mappings from classes to their probabilities.
        """
        return [told.label for told in self._position.told]

    @property
    def n_labels(self) -> int:
        """How many labels were told: int; rows that were asked, skipped or taken back do not count."""
        return len(self._position.told)

    @property
    def pending(self) -> tuple[int, ...]:
        """Rows asked and not yet answered: a tuple of int, in the order in which they were asked."""
        return self._position.pending

    @property
    def skipped(self) -> tuple[int, ...]:
        """Rows that cannot be labelled: a tuple of int."""
        return self._position.skipped

    @property
    def estimates(self) -> Estimates:
        """Counts, values and bounds of all features, by the labels alone: :class:`activefs.estimates.Estimates`."""
        return self._engine.labelled(self._position).estimates

    @property
    def reason(self) -> str | None:
        """Why the session is finished, in a sentence: str; None if it is not."""
        return self._engine.why_finished(self._position)

    @property
    def finished(self) -> bool:
        """Whether nothing is left to ask: bool; `reason` says why.

        It is False while rows are pending, unless the budget is used, or the features are sure enough, without their
        labels.
        """
        return self.reason is not None

    @property
    def certified(self) -> bool:
        """Whether the chosen features are guaranteed to be the best k, with probability 1 - delta: bool."""
        return self._engine.certified(self._position)

    @property
    def settled(self) -> bool:
        """Whether the rule of the paper would stop: its bounds leave nothing contested, which is no guarantee: bool.

        Never by the assisted estimate.
        """
        return self._engine.settled(self._position)

    # --- the loop ---

    @overload
    def ask(self) -> int: ...
    @overload
    def ask(self, n: int) -> Ints: ...
    def ask(self, n: int | None = None) -> int | Ints:
        """Choose the next row to label, or n rows to be labelled side by side.

        Rows asked are pending until they are told, skipped or released; further questions take their coming
        labels into account.

        Parameters
        ----------
        n : int, optional
            How many rows, 1 or more; by default one, which is returned as a number.

        Returns
        -------
        int or array of int, shape (n,)
            The row, as its position in the table from 0. With `n`, an array, shorter if fewer rows or labels are left.

        Raises
        ------
        NothingToAsk
            If there is no further question; the message says why: the budget is used, or spoken for by rows that are
            pending; the features are certified or settled; no row is left.

        Examples
        --------
        >>> from activefs import Session
        >>> X = [[a, b] for a in range(2) for b in range(2)] * 5
        >>> session = Session(X, k=1, strategy="random", budget=4, random_state=0)
        >>> first = session.ask()
        >>> three = session.ask(3)
        >>> session.pending == (first, *three.tolist())
        True

        All four labels of the budget are spoken for now:

        >>> session.ask()
        Traceback (most recent call last):
        activefs.exceptions.NothingToAsk: the budget of 4 labels is spoken for: 4 rows await a label
        """
        n = Optional(Whole(1)).check("n", n)
        rows: list[int] = []
        for _ in range(1 if n is None else n):
            found = self._engine.next(self._position)
            if found.row is None:
                if rows:
                    break
                raise NothingToAsk(found.reason)
            self._position = self._position.asking(found.row, found.chance)
            self._asked |= {found.row}
            rows.append(found.row)
        return rows[0] if n is None else np.asarray(rows, dtype=np.int64)

    @overload
    def tell(self, row: int, label: Any) -> None: ...
    @overload
    def tell(self, row: ArrayLike, label: Sequence[Any] | Array) -> None: ...
    def tell(self, row: Any, label: Any) -> None:
        """Take the label of a row, or the labels of several rows (all or none).

        Rows that were never asked for are welcome: labels that exist already. Telling the same
        label again changes nothing.

        A label that is not settled, because two people see it differently, say, is told as class probabilities: a
        mapping such as ``{"ill": 0.7, "healthy": 0.3}``, with `label_edges` over the names of the ranges. The row
        counts with them in every estimate, and as a row without a label in everything that is guaranteed, until
        :meth:`correct` settles it.

        Parameters
        ----------
        row : int, or sequence or array of int
            Position of the row in the table, from 0; or several of them.
        label : str, int, float, bool or mapping; or a sequence of these
            Its class, with `label_edges` a number, or the probabilities of classes, which add up to 1. For several rows
            as many labels, in the order of the rows.

        Raises
        ------
        InvalidInputError
            If the row does not exist; the session is unchanged.
        InvalidLabelError
            If the label is outside the classes or no probabilities of them, is missing (:meth:`skip` is for rows that
            cannot be labelled), or the row already has another label; the session is unchanged.

        Warns
        -----
        NumericLabelsWarning
            If labels look like measurements rather than classes.

        Examples
        --------
        >>> from activefs import Session
        >>> X = [[a, b] for a in range(2) for b in range(2)] * 5
        >>> session = Session(X, k=1, strategy="random", classes=["healthy", "ill"], random_state=0)
        >>> row = session.ask()
        >>> session.tell(row, "ill")
        >>> session.pending, session.n_labels
        ((), 1)

        Labels that exist already, and one that two doctors see differently:

        >>> session = Session(X, k=1, strategy="random", classes=["healthy", "ill"], random_state=0)
        >>> session.tell([0, 3, 5], ["ill", "healthy", "ill"])
        >>> session.tell(7, {"ill": 0.7, "healthy": 0.3})
        >>> session.labelled.tolist(), session.labels[:3]
        ([0, 3, 5, 7], ['ill', 'healthy', 'ill'])
        """
        new = self._news(list(row), label) if is_many(row) else self._news([row], [label])
        if not new:
            return
        told = [Told(at, value, at in self._asked) for at, value in new.items()]
        # Asked before they are told, where the classes are known: what they amount to is computed when it is needed.
        caution = self._engine.labelled(self._position).classes.caution(self.n_labels, new.values())
        self._position = self._position.telling(told)
        if caution:
            warnings.warn(caution, NumericLabelsWarning, stacklevel=2)
        if self._callback is not None:
            for _ in told:
                self._callback(self)

    def skip(self, row: int) -> None:
        """Set a row aside that cannot be labelled; it is not asked again, and costs nothing of the budget.

        Parameters
        ----------
        row : int
            Position of the row in the table, from 0. It need not have been asked.

        Raises
        ------
        InvalidInputError
            If the row does not exist, or has a label.

        Examples
        --------
        >>> from activefs import Session
        >>> session = Session([[0, 1], [1, 1], [1, 0]], k=1, strategy="random", random_state=0)
        >>> session.skip(session.ask())
        >>> len(session.skipped), session.pending
        (1, ())
        """
        at = self._checked_row(row)
        if at in self._position.rows:
            raise InvalidInputError(f"row {at} has a label; take it back with undo() before skipping the row")
        if at not in self._position.skipped:
            self._position = self._position.passed_over(at)

    def unskip(self, row: int) -> None:
        """Take back that a row cannot be labelled: it may be asked again.

        Parameters
        ----------
        row : int
            Position of the row in the table, from 0.

        Raises
        ------
        InvalidInputError
            If the row does not exist, or is not skipped.

        Examples
        --------
        >>> from activefs import Session
        >>> session = Session([[0, 1], [1, 1], [1, 0]], k=1, strategy="random", random_state=0)
        >>> session.skip(2)
        >>> session.unskip(2)
        >>> session.skipped
        ()
        """
        at = self._checked_row(row)
        if at not in self._position.skipped:
            raise InvalidInputError(f"row {at} is not skipped")
        self._position = self._position.released(at)

    def release(self, row: int) -> None:
        """Take back the question about a row: it is not pending any more, and may be asked again.

        Parameters
        ----------
        row : int
            Position of the row in the table, from 0.

        Raises
        ------
        InvalidInputError
            If the row does not exist, or is not pending.

        Examples
        --------
        >>> from activefs import Session
        >>> session = Session([[0, 1], [1, 1], [1, 0]], k=1, strategy="random", random_state=0)
        >>> rows = session.ask(2)
        >>> session.release(rows[0])
        >>> session.pending == (rows[1],)
        True
        """
        at = self._checked_row(row)
        if at not in self._position.pending:
            raise InvalidInputError(f"row {at} is not pending")
        self._position = self._position.released(at)

    def undo(self) -> int:
        """Take the last label back and return its row, which may be asked again.

        Returns
        -------
        int
            The row, as its position in the table.

        Raises
        ------
        NothingToUndo
            If there is no label.

        Examples
        --------
        >>> from activefs import Session
        >>> session = Session([[0, 1], [1, 1], [1, 0]], k=1, strategy="random", random_state=0)
        >>> session.tell([0, 2], ["ill", "healthy"])
        >>> session.undo(), session.labels
        (2, ['ill'])
        """
        if not self._position.told:
            raise NothingToUndo("there is no label to take back")
        last = self._position.told[-1]
        self._position = self._position.taken_back()
        return last.row

    def correct(self, row: int, label: Any) -> None:
        """Replace the label of a row; it keeps its place in the order of labels. Class probabilities are labels, too.

        Parameters
        ----------
        row : int
            Position of a labelled row in the table, from 0.
        label : str, int, float, bool or mapping
            Its label from now on; as :meth:`tell` takes it.

        Raises
        ------
        InvalidInputError
            If the row has no label.
        InvalidLabelError
            If the label is outside the classes.

        Examples
        --------
        >>> from activefs import Session
        >>> session = Session([[0, 1], [1, 1], [1, 0]], k=1, strategy="random", random_state=0)
        >>> session.tell([0, 2], ["ill", "healthy"])
        >>> session.correct(0, "healthy")
        >>> session.labels
        ['healthy', 'healthy']
        """
        at = self._checked_row(row)
        if at not in self._position.rows:
            raise InvalidInputError(f"row {at} has no label that could be corrected; tell() takes a first one")
        classes = self._engine.labelled(self._position).classes
        value = classes.check(label)
        classes.check_growth([value], self.n_labels)
        self._position = self._position.corrected(at, value)

    # --- the answer ---

    def selection(self) -> Selection:
        """Name the k features that look best on all labels so far, best first.

        Returns
        -------
        Selection
            The features, with scores, bounds, and how sure the choice is. It stays as it is when further labels arrive.

        Warns
        -----
        OneClassWarning
            If there is no label yet, or all are of one class: the ranking is arbitrary.
        UserWarning
            If there is no label yet of one of the `classes` that were given.

        Examples
        --------
        >>> from activefs import Session
        >>> X = [[a, b, c] for a in range(2) for b in range(2) for c in range(2)] * 5
        >>> y = [b for a, b, c in X]  # the second column is the label
        >>> session = Session(X, k=1, strategy="afs", random_state=0)
        >>> session.tell(range(40), y)
        >>> print(session.selection())
        1 feature, certified, from 40 labels
          1. x1 (column 1): 0.6931 [0.6931, 0.6931] nats
        Guaranteed to be the best 1, with probability 95% or more.
        """
        self._warn_if_arbitrary()
        return self._engine.selection(self._position)

    def contested(self) -> Contested:
        """Say who leads, who could take the places of the leaders, and between which features the labels must decide.

        Returns
        -------
        Contested
            `leaders`, `challengers` and `features`: arrays of int, numbers of the pool's features.
            ``session.pool.columns`` says which columns of the table these are, ``session.pool.names`` how they are
            called.

        Examples
        --------
        >>> from activefs import Session
        >>> X = [[a, b, c] for a in range(2) for b in range(2) for c in range(2)] * 5
        >>> y = [b for a, b, c in X]
        >>> session = Session(X, k=1, strategy="afs", random_state=0)
        >>> session.tell(range(8), y[:8])
        >>> found = session.contested()
        >>> found.leaders.tolist(), found.features.size  # the leader and one challenger
        ([1], 2)
        """
        return self._engine.contested(self._position)

    def leaders(self) -> Ints:
        """Name the k features that look best.

        Returns
        -------
        array of int, shape (k,)
            Numbers of the pool's features, best first. ``session.pool.columns[leaders]`` are columns of the table.

        Examples
        --------
        >>> from activefs import Session
        >>> X = [["a", 0, 0], ["a", 0, 1], ["a", 1, 0], ["a", 1, 1]] * 5  # the first column does not vary
        >>> session = Session(X, k=1, strategy="random", random_state=0)
        >>> session.tell(range(20), [row[2] for row in X])
        >>> session.leaders().tolist(), session.pool.columns[session.leaders()].tolist()
        ([1], [2])
        """
        return self._engine.leaders(self._position)

    def values(self) -> Floats:
        """Estimate the conditional impurity of every feature of the pool: what it leaves unknown of the label.

        Returns
        -------
        array of float, shape (n_features,)
            In the order of the pool's features; smaller is better. In nats, with mutual information: H(Y | X_j); with
            ``criterion="gini"``, the expected Gini impurity.

        Examples
        --------
        >>> from activefs import Session
        >>> X = [[a, b] for a in range(2) for b in range(2)] * 5
        >>> session = Session(X, k=1, strategy="random", random_state=0)
        >>> session.tell(range(20), [b for a, b in X])
        >>> session.values().round(3).tolist()  # the second column says it all
        [0.693, 0.0]
        """
        return self._engine.values(self._position)

    def bounds(self) -> tuple[Floats, Floats]:
        """Bound the values of all features: what the estimate says of :meth:`values`, within what is guaranteed.

        By the assisted estimate, 1 - delta intervals that are believed; by the plug-in estimate, the intervals of the
        paper.

        Returns
        -------
        lower, upper : array of float, shape (n_features,)
            In the unit of :meth:`values`.

        Examples
        --------
        >>> from activefs import Session
        >>> X = [[a, b] for a in range(2) for b in range(2)] * 50
        >>> session = Session(X, k=1, strategy="afs", random_state=0)
        >>> session.tell(range(40), [b for a, b in X[:40]])
        >>> lower, upper = session.bounds()
        >>> bool(upper[1] < lower[0])  # the second column is better, by the intervals of the paper
        True
        """
        return self._engine.bounds(self._position)

    def guaranteed_bounds(self) -> tuple[Floats, Floats]:
        """Bound what :meth:`values` would be if all labels were known.

        They hold for all features, and at all moments of the session at once, with probability 1 - delta, whatever the
        model says; see :class:`activefs.estimates.GuaranteedBounds`.

        Returns
        -------
        lower, upper : array of float, shape (n_features,)
            In the unit of :meth:`values`. They are wide while few rows were drawn at random, and narrower if `classes`
            were given, since an unknown label may otherwise be of a class that nobody has told yet.

        Examples
        --------
        >>> from activefs import Session
        >>> X = [[a, b] for a in range(2) for b in range(2)] * 5
        >>> session = Session(X, k=1, strategy="random", random_state=0)
        >>> session.tell(range(20), [b for a, b in X])
        >>> lower, upper = session.guaranteed_bounds()
        >>> lower.round(3).tolist() == upper.round(3).tolist() == [0.693, 0.0]  # all labels are known
        True
        """
        return self._engine.guaranteed_bounds(self._position)

    # --- keeping it ---

    def save(self, path: str | Path) -> None:
        """Write settings and labels to a JSON file; the table is not in it.

        Parameters
        ----------
        path : str or Path
            The file. It is written whole: whoever reads it meanwhile sees the old one or the new one.

        Raises
        ------
        InvalidInputError
            If a setting cannot be written as text, such as a strategy of your own.

        See Also
        --------
        Session.load : Go on with it.
        Study : Keeps every label at once, with who gave it and when.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from activefs import Session
        >>> X = [[0, 1], [1, 1], [1, 0]]
        >>> session = Session(X, k=1, strategy="random", random_state=0)
        >>> session.tell(1, "ill")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     session.save(Path(folder) / "session.json")
        ...     again = Session.load(Path(folder) / "session.json", X)
        >>> again.labels, again.ask() == session.ask()
        (['ill'], True)
        """
        save(Path(path), self._engine, self._position, self._asked)

    @classmethod
    def load(cls, path: str | Path, X: Any, *, callback: Callback | None = None) -> Session:
        """Go on with a session that was saved.

        Parameters
        ----------
        path : str or Path
            A file that :meth:`save` wrote.
        X : table, path or Pool
            The same table.
        callback : callable, optional
            Called with the session after every label; callbacks are not saved.

        Returns
        -------
        Session
            With the same settings, labels, pending and skipped rows: it asks the same questions next.

        Raises
        ------
        InvalidInputError
            If the file is not one that :meth:`save` wrote, or the table is another one.

        See Also
        --------
        Session.save : Has an example.
        """
        saved = load(Path(path))
        if isinstance(X, Pool):
            saved.options.update({**dict.fromkeys(of_table(saved.options)), "cost": saved.cost})
        options = {name: value for name, value in saved.options.items() if value is not None}
        session = cls(X, callback=callback, **options)
        if not saved.is_of(session._engine):
            raise InvalidInputError(
                f"the table is not the one that the session in {path} was made with: load it with the same table"
            )
        session._position, session._asked = saved.position, saved.asked
        return session

    def __getstate__(self) -> dict[str, Any]:
        engine = self._engine
        kept = {"options": engine.options, "pool": engine.pool, "cost": engine.budget.cost}
        kept["assistant"] = engine.assistant
        return {**kept, "position": self._position, "asked": self._asked, "callback": self._callback}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._callback, self._position, self._asked = state["callback"], state["position"], state["asked"]
        # Settings that came after the pickle was made have their defaults.
        options = check_options(state["options"])
        self._engine = Engine(options, state["pool"], cost=state["cost"], assistant=state["assistant"])

    def __repr__(self) -> str:
        pool = self.pool
        waiting = f", {len(self.pending)} pending" if self.pending else ""
        aside = f", {len(self.skipped)} skipped" if self.skipped else ""
        return (
            f"<Session: {self.k} of {pool.n_features:,} features, {pool.n_rows:,} rows, strategy "
            f"{self._engine.strategy!r}: {self._used()}{waiting}{aside}>"
        )

    def _repr_html_(self) -> str:
        from activefs.rendering import render

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            selection = self.selection() if self.n_labels else None
        words = words_for(self._engine.criterion.name)
        return render(
            "session.html",
            session=self,
            used=self._used(),
            selection=selection,
            words=words,
            about_chance=ABOUT_CHANCE,
            about_arbitrary=ARBITRARY,
            left_out=listed_left_out(self.pool.left_out),
        )

    # --- inside ---

    def _used(self) -> str:
        budget = self._engine.budget
        cost = None if budget.cost is None else budget.of(self._position.rows)
        return labels_used(self.n_labels, cost, budget.budget)

    def _news(self, rows: list[Any], labels: Any) -> dict[int, Any]:
        """Rows and labels that were not known before; an error, and no change, if one of them cannot be."""
        if isinstance(labels, str) or is_uncertain(labels) or not hasattr(labels, "__len__"):
            raise InvalidInputError(f"several rows need a list of labels, got {labels!r}")
        if len(rows) != len(labels):
            raise InvalidInputError(f"{len(rows)} rows but {len(labels)} labels")
        new: dict[int, Any] = {}
        here = self._engine.labelled(self._position)
        for row, value in zip(rows, here.classes.checked(labels), strict=True):
            at = self._checked_row(row)
            if (before := new.get(at, here.label_of(at))) is not None:
                if before != value:
                    raise InvalidLabelError(
                        f"row {at} already has the label {before!r}, now it is told {value!r}; "
                        "change it with correct(), or take the old label back with undo() first"
                    )
                continue
            new[at] = value
        here.classes.check_growth(new.values(), self.n_labels)
        return new

    def _checked_row(self, row: Any) -> int:
        return checked_row(row, self.pool.n_rows)

    def _warn_if_arbitrary(self) -> None:
        if caution := self._engine.caution(self._position):
            warnings.warn(caution, OneClassWarning, stacklevel=3)
            return
        classes = self._engine.labelled(self._position).classes
        used = {name for told in self._position.told for name in classes.names(told.label)}
        if classes.fixed and len(used) < classes.count:
            never = [repr(c) for c in classes.values if c not in used]
            more = f" and {len(never) - _NAMED:,} others" if len(never) > _NAMED else ""
            warnings.warn(
                f"no label of class {', '.join(never[:_NAMED])}{more} so far: the choice says nothing about it",
                UserWarning,
                stacklevel=3,
            )
