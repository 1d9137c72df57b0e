"""A session that survives: persisted, shared by several annotators."""

from __future__ import annotations

import getpass
import warnings
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, overload

from activefs.constraints import Optional, Whole
from activefs.engine import Next, Position
from activefs.exceptions import InvalidInputError, NothingToAsk, NumericLabelsWarning, OneClassWarning
from activefs.files import replacing
from activefs.notebook import notebook_bar
from activefs.options import document_options, with_options
from activefs.rows import checked_row, is_many
from activefs.storages import Role, Storage
from activefs.study._csv import export_csv, import_csv
from activefs.study._engine import StudyEngine
from activefs.study._open import create_engine, open_engine
from activefs.study._records import Answer
from activefs.study._rules import Person
from activefs.study._settings import StudyOptions, check_text
from activefs.study._status import Status, known_status
from activefs.study.exports import export, format_of
from activefs.tables import Dialect

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from activefs.engine import Engine
    from activefs.outlook import Forecast
    from activefs.pool import Pool
    from activefs.redundancy import Contested
    from activefs.selection import Selection
    from activefs.study._reader import Reader
    from activefs.types import Floats, Ints

T = TypeVar("T")


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

    def __init__(self, engine: StudyEngine, annotator: str | None = None) -> None:
        self._engine = engine
        self._made_reader: Reader | None = None
        # Whoever can open the database can change everything in it.
        self._me = Person(_name_in_log(annotator), Role.OWNER)

    @classmethod
    @document_options(StudyOptions)
    @with_options(StudyOptions)
    def create(
        cls,
        url: str | Path | Storage,
        X: Any,
        k: int,
        *,
        annotator: str | None = None,
        **options: Unpack[StudyOptions],
    ) -> Study:
        """Make a study.

        Parameters
        ----------
        url : str, Path or Storage
            A file (SQLite), or a SQLAlchemy URL such as ``postgresql://user@host/database``.
        X : table, str or Path
            The table, or a file: csv, tsv or txt, jsonl or ndjson (also compressed), parquet, feather, arrow, xlsx or
            mat; a folder or pattern of parquet or text files, or an address of one (s3://, gs://). It is found again
            when the study is opened, and read in the same way. What does not fit into memory is never in it.
        k : int
            Number of features wanted.
        **options
            Settings; they are listed in :mod:`activefs.options`.
        annotator : str, optional
            Your name in the log; by default that of your account.
        """
        name = _name_in_log(annotator)  # checked before anything is made
        with notebook_bar("reading the table") as told:
            return cls(create_engine(url, X, k=k, progress=told, **options), name)

    @classmethod
    def open(cls, url: str | Path | Storage, X: Any = None, *, annotator: str | None = None) -> Study:
        """Open a study; `X` is needed if the table did not come from a file, or if the file was moved."""
        with notebook_bar("reading the table") as told:
            return cls(open_engine(url, X, progress=told), annotator)

    @property
    def _reader(self) -> Reader:
        from activefs.study._reader import Reader  # it computes, and most commands need not

        if self._made_reader is None:
            self._made_reader = Reader(self._engine)
        return self._made_reader

    def __enter__(self) -> Study:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def engine(self) -> StudyEngine:
        """What does the work, for whoever acts in the name of several people."""
        return self._engine

    @property
    def person(self) -> Person:
        """Who acts here."""
        return self._me

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
        n = Optional(Whole(1)).check("n", n)
        rows: list[int] = []
        for _ in range(1 if n is None else n):
            found = self._engine.ask(self._me)
            if isinstance(found, Next):
                if rows:
                    break
                raise NothingToAsk(found.reason)
            rows.append(found.row)
        return rows[0] if n is None else _array(rows)

    def tell(self, row: int | ArrayLike, label: Any) -> None:
        """Take the label of a row, or of several; rows that were never asked for are welcome.

        When this returns, the label is safe in the database. An answer that comes after its lease is taken all the
        same, unless somebody else is working on the row.
        """
        if is_many(row):
            rows: list[Any] = list(row)  # type: ignore[arg-type]
            if isinstance(label, str) or not hasattr(label, "__len__") or len(label) != len(rows):
                raise InvalidInputError(f"{len(rows)} rows need a list of as many labels, got {label!r}")
            pairs = list(zip(rows, label, strict=True))
        else:
            pairs = [(row, label)]
        for _, one in pairs:
            self._check_label(one)
        said_before = self._engine.caution()
        self._engine.tell(self._me, [(self._row(at), one) for at, one in pairs])
        if not said_before and (caution := self._engine.caution()):
            warnings.warn(caution, NumericLabelsWarning, stacklevel=2)

    def skip(self, row: int) -> None:
        """Set a row aside that cannot be labelled; it is not asked again."""
        self._engine.tell(self._me, [(self._row(row), None)])

    def unskip(self, row: int) -> None:
        """Take back that a row cannot be labelled: it may be asked again."""
        self._engine.unskip(self._me, self._row(row))

    def release(self, row: int) -> None:
        """Take back the question about a row, whoever holds it: it may be asked again."""
        self._engine.release(self._me, self._row(row))

    def undo(self) -> int:
        """Take the last answer (or skip) of all back, and return its row."""
        return self._engine.undo(self._me, anyone=True, lease=False).row

    def correct(self, row: int, label: Any) -> None:
        """Replace the label of a row; it keeps its place in the order of labels."""
        self._check_label(label)
        self._engine.correct(self._me, self._row(row), label)

    def take_back(self, *, row: Any = None, annotator: str | None = None) -> Answer:
        """Take back the answer of a row (by its name) or the last one of an annotator, and return it."""
        at = None if row is None else self._engine.names.row(row)
        who = self._me if annotator is None else Person(annotator, Role.OWNER)
        return self._engine.undo(who, at, anyone=annotator is None, lease=False)

    def name_of(self, row: int) -> Any:
        """Name a row: what its id column says, or its position."""
        return self._engine.names.of(self._row(row))

    # --- what has happened so far ---

    @property
    def title(self) -> str:
        """Name of the study."""
        return self._engine.settings.title

    @property
    def criterion(self) -> str:
        """The quality measure, in words."""
        return str(self._engine.settings.criterion).replace("_", " ")

    @property
    def pool(self) -> Pool:
        """The encoded table."""
        return self._engine.table.pool

    @property
    def classes(self) -> tuple[Any, ...]:
        """The labels known so far, the fixed list, or with `label_edges` the names of the ranges."""
        return self._engine.classes()

    @property
    def labelled(self) -> Ints:
        """Labelled rows, in the order in which their labels count."""
        return _array(self._engine.position().rows)

    @property
    def labels(self) -> list[Any]:
        """Their labels; with `label_edges`, the numbers as they were told."""
        with self._engine.reading() as state:
            return [state.overlap.counted(answer).label for answer in state.told.values()]

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
    def reason(self) -> str | None:
        """Why the study is finished; None if it is not."""
        return self._look(lambda engine, here: engine.why_finished(here))

    @property
    def finished(self) -> bool:
        """Whether nothing is left to ask."""
        return self.reason is not None

    @property
    def certified(self) -> bool:
        """Whether the chosen features are guaranteed to be the best k, with probability 1 - delta."""
        return self._look(lambda engine, here: engine.certified(here))

    @property
    def settled(self) -> bool:
        """Whether the rule of the paper would stop, which is no guarantee; never by the assisted estimate."""
        return self._look(lambda engine, here: engine.settled(here))

    # --- the answer ---

    def selection(self) -> Selection:
        """Name the k features that look best on all labels so far, best first."""
        found, caution = self._look(lambda engine, here: (engine.selection(here), engine.caution(here)))
        if caution:
            warnings.warn(caution, OneClassWarning, stacklevel=2)
        return found

    def contested(self) -> Contested:
        """Leaders, challengers, and the contested features."""
        return self._look(lambda engine, here: engine.contested(here))

    def guaranteed_bounds(self) -> tuple[Floats, Floats]:
        """Bounds that hold whatever the model says; as :meth:`activefs.Session.guaranteed_bounds`."""
        return self._look(lambda engine, here: engine.guaranteed_bounds(here))

    def status(self) -> Status:
        """Say where the study stands, as `activefs study status` does."""
        with notebook_bar("judging the features"):
            return known_status(self._engine) or self._reader.status()

    def forecast(self) -> Forecast:
        """Say how many more labels it takes until the features are expected to lack little."""
        from activefs.outlook import Forecast
        from activefs.study._outlook import known

        with notebook_bar("looking at how the choice settled"):
            found = known(self._engine.storage, self._engine.position(), Forecast)
            return found or self._reader.forecast()

    def report(self) -> str:
        """Make one HTML page with tables and pictures, which needs no network."""
        from activefs.study._report import html_report

        with notebook_bar("writing the report"):
            return html_report(self._engine, self._reader)

    def export_csv(self) -> str:
        """Write all labels as CSV: row, label, annotator, time, kind; if need be also what was corrected or noted."""
        return export_csv(self._engine)

    def export(
        self,
        file: str | Path,
        *,
        format: str | None = None,
        joined: bool = False,
        log: bool = False,
        spreadsheet_safe: bool = False,
    ) -> int:
        """Write all labels to a file, whole or not at all; returns how many lines it has.

        Parameters
        ----------
        file : str or Path
            The file; its name says the format: .csv, .jsonl or .ndjson, .parquet.
        format : {"csv", "jsonl", "parquet"}, optional
            The format, if the name does not say it.
        joined : bool, default False
            Whether all columns of the table come with the labels, as they were before they were encoded. One that is
            called as a column of ours, such as label, is called table.label.
        log : bool, default False
            Write the whole log instead of the labels.
        spreadsheet_safe : bool, default False
            Whether cells of CSV that a spreadsheet would take for a formula get an apostrophe; :meth:`import_csv`
            takes it away again.
        """
        path = Path(file)
        found = export(self._engine, format_of(path, format), joined=joined, log=log, spreadsheet_safe=spreadsheet_safe)
        with replacing(path) as out:
            for piece in found.pieces:
                out.write(piece)
        return found.lines

    def import_csv(
        self,
        content: str | bytes,
        *,
        sep: str | None = None,
        decimal: str | None = None,
        encoding: str | None = None,
    ) -> int:
        """Take labels from CSV with the columns row and label, all or none; returns how many were new.

        Separator, decimal sign and (of bytes) encoding are found out, unless they are given.
        """
        return self.import_labels(content, sep=sep, decimal=decimal, encoding=encoding)[0]

    def import_labels(
        self,
        content: str | bytes,
        *,
        sep: str | None = None,
        decimal: str | None = None,
        encoding: str | None = None,
    ) -> tuple[int, int]:
        """Take labels from CSV as :meth:`import_csv` does; returns how many were new, and how many the file has."""
        dialect = Dialect.checked(sep=sep, decimal=decimal, encoding=encoding)
        return import_csv(self._engine, content, self._me, dialect)

    def __repr__(self) -> str:
        from activefs.study._display import described

        return described(self._engine)

    def _repr_html_(self) -> str:
        from activefs.study._display import displayed

        return displayed(self._engine, self.status)

    def _look(self, look: Callable[[Engine, Position], T]) -> T:
        return self._engine.asker.at(self._engine.position(), look)

    def _row(self, row: Any) -> int:
        return checked_row(row, self._engine.n_rows)

    def _check_label(self, label: Any) -> None:
        if label is None:
            raise InvalidInputError("the label is missing (None); use skip() for a row that cannot be labelled")


def _name_in_log(annotator: str | None) -> str:
    return _whoami() if annotator is None else check_text(annotator, "the name of an annotator")


def _whoami() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "local"


def _array(rows: list[int]) -> Ints:
    import numpy as np

    return np.asarray(rows, dtype=np.int64)
