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
        them; booleans, strings and categories are used as they are; columns in which nearly every row has a value of
        its own are left out.
    k : int
        Number of features wanted, at most the number of columns that vary.
    **options
        Settings; they are listed in :mod:`activefs.options`.
    callback : callable, optional
        Called with the session after every label; after several that were told at once, as many times.
    assistant : Assistant, optional
        A model that was prepared for the same pool, instead of `model`: many sessions on one pool share it.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, size=(200, 6))
    >>> y = X[:, 4] ^ (rng.random(200) < 0.05)
    >>> session = Session(X, k=1, budget=40, random_state=0)
    >>> while not session.finished:
    ...     row = session.ask()
    ...     session.tell(row, y[row])
    >>> session.selection().features.tolist()
    [4]
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
        """The encoded table."""
        return self._engine.pool

    @property
    def k(self) -> int:
        """Number of features wanted."""
        return self._engine.k

    @property
    def options(self) -> Mapping[str, Any]:
        """All settings, with the seed that was drawn if none was given."""
        return dict(self._engine.options)

    @property
    def assistant(self) -> Assistant | None:
        """The model that completes the table, if this session needs one."""
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
        """The labels known so far, the fixed list, or with `label_edges` the names of the ranges."""
        values: tuple[Any, ...] = self._engine.labelled(self._position).classes.values
        return values

    @property
    def labelled(self) -> Ints:
        """Labelled rows, in the order in which they were told."""
        return np.asarray(self._position.rows, dtype=np.int64)

    @property
    def labels(self) -> list[Any]:
        """Their labels; with `label_edges`, the numbers as they were told.

        Those that are not settled are mappings from classes to their probabilities.
        """
        return [told.label for told in self._position.told]

    @property
    def n_labels(self) -> int:
        """How many labels were told."""
        return len(self._position.told)

    @property
    def pending(self) -> tuple[int, ...]:
        """Rows asked and not yet answered."""
        return self._position.pending

    @property
    def skipped(self) -> tuple[int, ...]:
        """Rows that cannot be labelled."""
        return self._position.skipped

    @property
    def estimates(self) -> Estimates:
        """Counts, values and bounds of all features, from the labels alone."""
        return self._engine.labelled(self._position).estimates

    @property
    def reason(self) -> str | None:
        """Why the session is finished; None if it is not."""
        return self._engine.why_finished(self._position)

    @property
    def finished(self) -> bool:
        """Whether nothing is left to ask: `reason` says why."""
        return self.reason is not None

    @property
    def certified(self) -> bool:
        """Whether the chosen features are guaranteed to be the best k, with probability 1 - delta."""
        return self._engine.certified(self._position)

    @property
    def settled(self) -> bool:
        """Whether the rule of the paper would stop: its bounds leave nothing contested, which is no guarantee.

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
        labels into account. With `n`, an array comes back, shorter if fewer rows or labels are left.

        Raises
        ------
        NothingToAsk
            If there is no further question; the message says why.
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

        Raises
        ------
        InvalidInputError
            If the row does not exist; the session is unchanged.
        InvalidLabelError
            If the label is outside the classes or no probabilities of them, or the row already has another label.
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
        """Set a row aside that cannot be labelled; it is not asked again."""
        at = self._checked_row(row)
        if at in self._position.rows:
            raise InvalidInputError(f"row {at} has a label; take it back with undo() before skipping the row")
        if at not in self._position.skipped:
            self._position = self._position.passed_over(at)

    def unskip(self, row: int) -> None:
        """Take back that a row cannot be labelled: it may be asked again."""
        at = self._checked_row(row)
        if at not in self._position.skipped:
            raise InvalidInputError(f"row {at} is not skipped")
        self._position = self._position.released(at)

    def release(self, row: int) -> None:
        """Take back the question about a row: it is not pending any more, and may be asked again."""
        at = self._checked_row(row)
        if at not in self._position.pending:
            raise InvalidInputError(f"row {at} is not pending")
        self._position = self._position.released(at)

    def undo(self) -> int:
        """Take the last label back and return its row.

        Raises
        ------
        NothingToUndo
            If there is no label.
        """
        if not self._position.told:
            raise NothingToUndo("there is no label to take back")
        last = self._position.told[-1]
        self._position = self._position.taken_back()
        return last.row

    def correct(self, row: int, label: Any) -> None:
        """Replace the label of a row; it keeps its place in the order of labels. Class probabilities are labels, too.

        Raises
        ------
        InvalidInputError
            If the row has no label.
        InvalidLabelError
            If the label is outside the classes.
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
        """Name the k features that look best on all labels so far, best first."""
        self._warn_if_arbitrary()
        return self._engine.selection(self._position)

    def contested(self) -> Contested:
        """Leaders, challengers, and the contested features (as numbers of the pool's features)."""
        return self._engine.contested(self._position)

    def leaders(self) -> Ints:
        """The k features that look best (as numbers of the pool's features), best first."""
        return self._engine.leaders(self._position)

    def values(self) -> Floats:
        """Estimated conditional impurity of every feature of the pool; smaller is better."""
        return self._engine.values(self._position)

    def bounds(self) -> tuple[Floats, Floats]:
        """Lower and upper bounds of :meth:`values`."""
        return self._engine.bounds(self._position)

    def guaranteed_bounds(self) -> tuple[Floats, Floats]:
        """Bounds of what :meth:`values` would be if all labels were known.

        They hold for all features, and at all moments of the session at once, with probability 1 - delta, whatever the
        model says; see :class:`activefs.estimates.GuaranteedBounds`.
        """
        return self._engine.guaranteed_bounds(self._position)

    # --- keeping it ---

    def save(self, path: str | Path) -> None:
        """Write settings and labels to a JSON file; the table is not in it.

        Raises
        ------
        InvalidInputError
            If a setting cannot be written as text, such as a strategy of your own.
        """
        save(Path(path), self._engine, self._position, self._asked)

    @classmethod
    def load(cls, path: str | Path, X: Any, *, callback: Callback | None = None) -> Session:
        """Go on with a session that was saved; `X` is the same table.

        Raises
        ------
        InvalidInputError
            If the file is not one that :meth:`save` wrote, or the table is another one.
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
