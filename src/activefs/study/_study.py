"""A session that survives: persisted, shared by several annotators."""

from __future__ import annotations

import getpass
import operator
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from activefs.exceptions import InvalidInputError, NothingToAsk, OneClassWarning
from activefs.pool import BinningOption, BinsOption, Missing, Pool
from activefs.redundancy import Contested
from activefs.session import WhenCertified
from activefs.storages import Role, Storage
from activefs.strategies import RECOMMENDED
from activefs.study._csv import export_csv, import_csv
from activefs.study._engine import Engine
from activefs.study._open import create_engine, open_engine
from activefs.study._replay import Next
from activefs.study._rules import Person
from activefs.study._settings import check_text
from activefs.study._state import Answer
from activefs.study._status import Reader, Status
from activefs.types import Ints, Selection


class Study:
    """A session that is kept in a database: it survives restarts, and several people can work on it at once.

    Make one with :meth:`create`, open it again with :meth:`open`; then ask and tell as with
    :class:`activefs.Session`. Everything that happens goes into a log that is only ever added to; opening a study
    replays it, which leads to the same next question.

    Examples
    --------
    >>> import numpy as np
    >>> from activefs.storages import MemoryStorage
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, size=(200, 6))
    >>> y = X[:, 4] ^ (rng.random(200) < 0.05)
    >>> place = MemoryStorage()  # or the name of a file, or the URL of a PostgreSQL database
    >>> with Study.create(place, X, k=1, budget=40, random_state=0) as study:
    ...     for _ in range(20):
    ...         row = study.ask()
    ...         study.tell(row, int(y[row]))
    >>> with Study.open(place, X) as study:
    ...     while not study.finished:
    ...         row = study.ask()
    ...         study.tell(row, int(y[row]))
    ...     study.selection().features.tolist()
    [4]
    """

    def __init__(self, engine: Engine, annotator: str | None = None) -> None:
        self._engine = engine
        self._reader = Reader(engine)
        name = _whoami() if annotator is None else check_text(annotator, "the name of an annotator")
        # Whoever can open the database can change everything in it.
        self._me = Person(name, Role.OWNER)

    @classmethod
    def create(
        cls,
        url: str | Path | Storage,
        X: Any,
        k: int,
        *,
        budget: float | None = None,
        strategy: str = RECOMMENDED,
        strategy_params: Mapping[str, Any] | None = None,
        estimator: str | None = None,
        stop_when_gap_below: float | None = None,
        delta: float = 0.05,
        criterion: str = "mutual_information",
        redundancy: str = "none",
        cost: str | None = None,
        classes: Sequence[Any] | None = None,
        missing: Missing = "error",
        binning: BinningOption = "kmeans",
        bins: BinsOption = 10,
        ignore: Sequence[str | int] = (),
        when_certified: WhenCertified = "stop",
        random_state: Any = None,
        id_column: str | None = None,
        show: Sequence[str] | None = None,
        show_image: str | tuple[int, int] | None = None,
        show_text: str | None = None,
        lease: float = 600.0,
        title: str | None = None,
        question: str | None = None,
        annotator: str | None = None,
    ) -> Study:
        """Make a study.

        Parameters
        ----------
        url : str, Path or Storage
            A file (SQLite), or a SQLAlchemy URL such as ``postgresql://user@host/database``.
        X : table, str or Path
            The table, or a csv, tsv, parquet or mat file; a file is found again when the study is opened.
        k, budget, strategy, strategy_params, estimator, stop_when_gap_below, delta, criterion,\
 redundancy, cost, classes, missing, binning, bins, ignore, when_certified, random_state
            As in :class:`activefs.Session`; strategy ("assisted" by default), criterion and redundancy by name, cost
            as a column.
        id_column : str, optional
            Column that names the rows; it is no feature.
        show : sequence of str, optional
            Columns that annotators see. By default all (of a wide table, the first 60).
        show_image : str or (int, int), optional
            Height and width, as in ``"28x28"``, if the columns are the pixels of an image.
        show_text : str, optional
            Column that is shown as text; it is no feature.
        lease : float, default 600
            Seconds for which a question belongs to one annotator; then others may get it.
        title, question : str, optional
            Name of the study, and what annotators are asked.
        annotator : str, optional
            Your name in the log; by default that of your account.
        """
        engine = create_engine(
            url, X, random_state=random_state, k=_whole(k), budget=_plain(budget), strategy=strategy,
            strategy_params=None if strategy_params is None else dict(strategy_params), estimator=estimator,
            stop_when_gap_below=stop_when_gap_below, delta=delta,
            criterion=criterion, redundancy=redundancy, cost=cost, classes=classes, missing=missing, binning=binning,
            bins=bins, ignore=ignore, when_certified=when_certified, id_column=id_column, show=show,
            show_image=show_image, show_text=show_text, lease=lease, title=title, question=question,
        )  # fmt: skip
        return cls(engine, annotator)

    @classmethod
    def open(cls, url: str | Path | Storage, X: Any = None, *, annotator: str | None = None) -> Study:
        """Open a study; `X` is needed if the table did not come from a file, or if the file was moved."""
        return cls(open_engine(url, X), annotator)

    def __enter__(self) -> Study:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database; nothing needs to be saved."""
        self._engine.close()

    # --- the loop ---

    @overload
    def ask(self) -> int: ...
    @overload
    def ask(self, n: int) -> Ints: ...
    def ask(self, n: int | None = None) -> int | Ints:
        """Lease the next row to you, or n rows; as :meth:`activefs.Session.ask`.

        Raises
        ------
        NothingToAsk
            If there is no further question; the message says why.
        """
        wanted = 1 if n is None else _whole(n)
        if wanted < 1:
            raise InvalidInputError(f"n must be a whole number of at least 1 or None, got {n!r}")
        rows: list[int] = []
        for _ in range(wanted):
            found = self._engine.ask(self._me)
            if isinstance(found, Next):
                if rows:
                    break
                raise NothingToAsk(found.reason)
            rows.append(found.row)
        return rows[0] if n is None else np.asarray(rows, dtype=np.int64)

    def tell(self, row: int | ArrayLike, label: Any) -> None:
        """Take the label of a row, or of several; rows that were never asked for are welcome.

        When this returns, the label is safe in the database. An answer that comes after its lease is taken all the
        same, unless somebody else is working on the row.
        """
        if isinstance(row, (list, tuple, range)) or len(getattr(row, "shape", ())) == 1:
            rows: list[Any] = list(row)  # type: ignore[arg-type]
            if isinstance(label, str) or not hasattr(label, "__len__") or len(label) != len(rows):
                raise InvalidInputError(f"{len(rows)} rows need a list of as many labels, got {label!r}")
            pairs = list(zip(rows, label, strict=True))
        else:
            pairs = [(row, label)]
        for _, one in pairs:
            self._check_label(one)
        self._engine.tell(self._me, [(self._row(at), one) for at, one in pairs])

    def skip(self, row: int) -> None:
        """Set a row aside that cannot be labelled; it is not asked again."""
        self._engine.tell(self._me, [(self._row(row), None)])

    def undo(self) -> int:
        """Take the last answer (or skip) of all back, and return its row."""
        return self._engine.undo(self._me, anyone=True, lease=False).row

    def correct(self, row: int, label: Any) -> None:
        """Replace the label of a row; it keeps its place in the order of labels."""
        self._check_label(label)
        self._engine.correct(self._me, self._row(row), label)

    def take_back(self, *, row: Any = None, annotator: str | None = None) -> Answer:
        """Take back the answer of a row (by its name) or the last one of an annotator, and return it."""
        at = None if row is None else self._engine.table.row_of(row)
        who = self._me if annotator is None else Person(annotator, Role.OWNER)
        return self._engine.undo(who, at, anyone=annotator is None, lease=False)

    def name_of(self, row: int) -> Any:
        """Name a row: what its id column says, or its position."""
        return self._engine.table.name_of(self._row(row))

    # --- what has happened so far ---

    @property
    def title(self) -> str:
        """Name of the study."""
        return self._engine.settings.title

    @property
    def criterion(self) -> str:
        """The quality measure, in words."""
        return self._engine.settings.criterion.replace("_", " ")

    @property
    def pool(self) -> Pool:
        """The encoded table."""
        return self._engine.table.pool

    @property
    def classes(self) -> tuple[Any, ...]:
        """The labels known so far, or the fixed list."""
        return self._engine.classes()

    @property
    def labelled(self) -> Ints:
        """Labelled rows, in the order in which their labels count."""
        return np.asarray([told[0] for told in self._engine.position().told], dtype=np.int64)

    @property
    def labels(self) -> list[Any]:
        """Their labels."""
        return [told[1] for told in self._engine.position().told]

    @property
    def n_labels(self) -> int:
        """How many labels there are."""
        return len(self._engine.position().told)

    @property
    def pending(self) -> tuple[int, ...]:
        """Rows that are leased to somebody."""
        return self._engine.position().pending

    @property
    def skipped(self) -> tuple[int, ...]:
        """Rows that cannot be labelled."""
        return self._engine.position().skipped

    @property
    def finished(self) -> bool:
        """Whether the top k is certified, the budget is used, or no row is left."""
        return bool(self._engine.asker.at(self._engine.position(), lambda session: session.finished))

    @property
    def certified(self) -> bool:
        """Whether no other feature can belong to the best k, at confidence delta."""
        return bool(self._engine.asker.at(self._engine.position(), lambda session: session.certified))

    # --- the answer ---

    def selection(self) -> Selection:
        """Name the k features that look best on all labels so far, best first."""
        found, caution = self._engine.asker.at(
            self._engine.position(), lambda session: (session.selection(), session.caution())
        )
        if caution:
            warnings.warn(caution, OneClassWarning, stacklevel=2)
        return found

    def contested(self) -> Contested:
        """Leaders, challengers, and the contested features."""
        return self._engine.asker.at(self._engine.position(), lambda session: session.contested())

    def status(self) -> Status:
        """Say where the study stands, as `activefs study status` does."""
        return self._reader.status()

    def export_csv(self) -> str:
        """Write all labels as CSV: row, label, annotator, time, kind."""
        return export_csv(self._engine)

    def import_csv(self, content: str) -> int:
        """Take labels from CSV with the columns row and label, all or none; returns how many were new."""
        return import_csv(self._engine, content, self._me)[0]

    def _row(self, row: Any) -> int:
        try:
            at = -1 if isinstance(row, (bool, np.bool_)) else operator.index(row)
        except TypeError:
            at = -1
        last = self._engine.table.n_rows - 1
        if not 0 <= at <= last:
            raise InvalidInputError(f"row must be a whole number from 0 to {last}, got {row!r} ({type(row).__name__})")
        return at

    def _check_label(self, label: Any) -> None:
        if label is None:
            raise InvalidInputError("the label is missing (None); use skip() for a row that cannot be labelled")


def _whoami() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "local"


def _whole(value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise InvalidInputError(f"k and n must be whole numbers of at least 1, got {value!r}") from None


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
