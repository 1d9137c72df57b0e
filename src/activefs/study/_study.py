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

    Parameters
    ----------
    engine : StudyEngine
        What does the work: ``other.engine`` of a study that is open. :meth:`create` and :meth:`open` make one.
    annotator : str, optional
        Your name in the log; by default that of your account.

    See Also
    --------
    Session : The same without a database, for one person.
    ActiveFeatureSelector : An estimator of scikit-learn, for labels that a table or a function has.
    activefs.web.create_app : Pages and a REST API, on which others label.
    activefs.catalog.open_catalog : Several studies in one place.

    Notes
    -----
    Guide: :doc:`/guide/studies`, :doc:`/guide/server`, :doc:`/guide/label-studio`. On the command line,
    ``activefs study`` does the same: :doc:`/reference/commands`.

    Examples
    --------
    >>> import numpy as np
    >>> from activefs import Study
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
            A file (SQLite), or a SQLAlchemy URL such as ``postgresql://user@host/database``; ``memory:`` is kept
            nowhere.
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

        Returns
        -------
        Study
            The study, open: close it, or use it in a ``with`` statement.

        Raises
        ------
        InvalidInputError
            If there is a study already, the table cannot be read, or a setting is not accepted; nothing is made then.
        StorageError
            If the database cannot be reached or written.
        MissingExtraError
            If ``activefs[sql]`` is not installed.

        Warns
        -----
        LeftOutWarning
            If columns are left out because nearly every row has a value of its own.
        DoubtfulColumnWarning
            If a column of the file may have been meant otherwise than it was read.

        Examples
        --------
        >>> from activefs import Study
        >>> X = [[a, b] for a in range(2) for b in range(2)] * 5
        >>> Study.create("memory:", X, k=1, strategy="afs", budget=10, title="hearts")
        <Study 'hearts': 1 feature wanted, 20 rows, strategy 'afs': 0 of 10 labels>
        """
        name = _name_in_log(annotator)  # checked before anything is made
        with notebook_bar("reading the table") as told:
            return cls(create_engine(url, X, k=k, progress=told, **options), name)

    @classmethod
    def open(cls, url: str | Path | Storage, X: Any = None, *, annotator: str | None = None) -> Study:
        """Open a study.

        Parameters
        ----------
        url : str, Path or Storage
            Where it is; as for :meth:`create`.
        X : table, str or Path, optional
            The table, if it did not come from a file, or if the file was moved.
        annotator : str, optional
            Your name in the log; by default that of your account.

        Returns
        -------
        Study
            The study, open: close it, or use it in a ``with`` statement.

        Raises
        ------
        StudyMismatchError
            If the table is not the one that the study was made with; the message says what differs.
        InvalidInputError
            If there is no study, or its table is needed or cannot be read.
        StorageError
            If the database cannot be reached or read.

        Examples
        --------
        >>> from activefs import Study
        >>> from activefs.storages import MemoryStorage
        >>> X, place = [[0, 1], [1, 1], [1, 0]], MemoryStorage()
        >>> with Study.create(place, X, k=1, strategy="random", random_state=0) as study:
        ...     study.tell(2, "ill")
        >>> with Study.open(place, X) as study:
        ...     study.labelled.tolist(), study.labels
        ([2], ['ill'])
        """
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
        """What does the work: a StudyEngine, for whoever acts in the name of several people.

        Functions that work on a study, such as :func:`activefs.study.export`, take it.
        """
        return self._engine

    @property
    def person(self) -> Person:
        """Who acts here: an :class:`activefs.study.Person`, who has the rights of an owner."""
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

        A row belongs to you for as many seconds as `lease` says; after that others may be asked about it.

        Parameters
        ----------
        n : int, optional
            How many rows, 1 or more; by default one, which is returned as a number.

        Returns
        -------
        int or array of int, shape (n,)
            The row, as its position in the table from 0; :meth:`name_of` says what its id column calls it. With `n`, an
            array, shorter if fewer rows or labels are left.

        Raises
        ------
        NothingToAsk
            If there is no further question; the message says why.

        Examples
        --------
        >>> from activefs import Study
        >>> X = [[a, b] for a in range(2) for b in range(2)] * 5
        >>> study = Study.create("memory:", X, k=1, strategy="random", budget=4, random_state=0)
        >>> first = study.ask()
        >>> three = study.ask(3)
        >>> study.pending == (first, *three.tolist())
        True
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
        """Take the label of a row, or of several (all or none); rows that were never asked for are welcome.

        When this returns, the label is safe in the database. An answer that comes after its lease is taken all the
        same, unless somebody else is working on the row. Telling the same label again changes nothing.

        Parameters
        ----------
        row : int, or sequence or array of int
            Position of the row in the table, from 0; or several of them.
        label : str, int, float or bool, or a sequence of these
            Its class; with `label_edges`, a number. For several rows as many labels, in the order of the rows. Class
            probabilities are for a :class:`activefs.Session` only.

        Raises
        ------
        InvalidInputError
            If the row does not exist, or the label is missing: :meth:`skip` is for rows that cannot be labelled.
        InvalidLabelError
            If the label is outside the classes, is none that a database keeps as it is, or the row already has another
            label: :meth:`correct` replaces it.
        StaleQuestionError
            If somebody else is being asked about the row.
        NotAllowedError
            If the study is archived.

        Warns
        -----
        NumericLabelsWarning
            If labels look like measurements rather than classes.

        Examples
        --------
        >>> from activefs import Study
        >>> X = [[a, b] for a in range(2) for b in range(2)] * 5
        >>> study = Study.create("memory:", X, k=1, strategy="random", random_state=0)
        >>> study.tell(study.ask(), "ill")
        >>> row, other = study.ask(2)
        >>> study.tell([row, other], ["healthy", "ill"])
        >>> study.labels, study.pending
        (['ill', 'healthy', 'ill'], ())
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
        """Set a row aside that cannot be labelled; it is not asked again.

        Parameters
        ----------
        row : int
            Position of the row in the table, from 0. It need not have been asked.

        Raises
        ------
        InvalidInputError
            If the row does not exist, or has a label.
        StaleQuestionError
            If somebody else is being asked about the row.

        Examples
        --------
        >>> from activefs import Study
        >>> study = Study.create("memory:", [[0, 1], [1, 1], [1, 0]], k=1, strategy="random", random_state=0)
        >>> study.skip(2)
        >>> study.skipped
        (2,)
        """
        self._engine.tell(self._me, [(self._row(row), None)])

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
        >>> from activefs import Study
        >>> study = Study.create("memory:", [[0, 1], [1, 1], [1, 0]], k=1, strategy="random", random_state=0)
        >>> study.skip(2)
        >>> study.unskip(2)
        >>> study.skipped
        ()
        """
        self._engine.unskip(self._me, self._row(row))

    def release(self, row: int) -> None:
        """Take back the question about a row, whoever holds it: it may be asked again.

        Parameters
        ----------
        row : int
            Position of the row in the table, from 0.

        Raises
        ------
        InvalidInputError
            If the row does not exist, or nobody is being asked about it.

        Examples
        --------
        >>> from activefs import Study
        >>> study = Study.create("memory:", [[0, 1], [1, 1], [1, 0]], k=1, strategy="random", random_state=0)
        >>> study.release(study.ask())
        >>> study.pending
        ()
        """
        self._engine.release(self._me, self._row(row))

    def undo(self) -> int:
        """Take the last answer (or skip) of all back, and return its row.

        Returns
        -------
        int
            The row, as its position in the table; it may be asked again.

        Raises
        ------
        NothingToUndo
            If there is no answer.

        Examples
        --------
        >>> from activefs import Study
        >>> study = Study.create("memory:", [[0, 1], [1, 1], [1, 0]], k=1, strategy="random", random_state=0)
        >>> study.tell([0, 2], ["ill", "healthy"])
        >>> study.undo(), study.labels
        (2, ['ill'])
        """
        return self._engine.undo(self._me, anyone=True, lease=False).row

    def correct(self, row: int, label: Any) -> None:
        """Replace the label of a row; it keeps its place in the order of labels.

        What was said before, and by whom, stays in the log. If two others answered the row, this settles which label
        counts.

        Parameters
        ----------
        row : int
            Position of a labelled row in the table, from 0.
        label : str, int, float or bool
            Its label from now on.

        Raises
        ------
        InvalidInputError
            If the row does not exist or has no answer, or the label is missing.
        InvalidLabelError
            If the label is outside the classes.

        Examples
        --------
        >>> from activefs import Study
        >>> study = Study.create("memory:", [[0, 1], [1, 1], [1, 0]], k=1, strategy="random", random_state=0)
        >>> study.tell([0, 2], ["ill", "healthy"])
        >>> study.correct(0, "healthy")
        >>> study.labels
        ['healthy', 'healthy']
        """
        self._check_label(label)
        self._engine.correct(self._me, self._row(row), label)

    def take_back(self, *, row: Any = None, annotator: str | None = None) -> Answer:
        """Take back the answer of a row, or the last one of an annotator.

        Parameters
        ----------
        row : str, int or float, optional
            The row by its name: what its id column says, or its position if there is none.
        annotator : str, optional
            Whose answer; by default the last one of all is taken back.

        Returns
        -------
        Answer
            What was taken back.

        Raises
        ------
        NothingToUndo
            If there is no such answer.
        InvalidInputError
            If there is no row of that name.

        Examples
        --------
        >>> from activefs import Study
        >>> X = [[0, 1], [1, 1], [1, 0]]
        >>> study = Study.create("memory:", X, k=1, strategy="random", random_state=0, annotator="ann")
        >>> study.tell([0, 2], ["ill", "healthy"])
        >>> taken = study.take_back(row=0)
        >>> taken.row, taken.label, taken.annotator
        (0, 'ill', 'ann')
        >>> study.labels
        ['healthy']
        """
        at = None if row is None else self._engine.names.row(row)
        who = self._me if annotator is None else Person(annotator, Role.OWNER)
        return self._engine.undo(who, at, anyone=annotator is None, lease=False)

    def name_of(self, row: int) -> Any:
        """Name a row: what its id column says, or its position.

        Parameters
        ----------
        row : int
            Position of the row in the table, from 0.

        Returns
        -------
        str, int or float
            Its name, by which exports and :meth:`take_back` know it.

        Examples
        --------
        >>> import pandas as pd
        >>> from activefs import Study
        >>> X = pd.DataFrame({"patient": ["p7", "p8", "p9"], "smokes": [0, 1, 1], "old": [1, 1, 0]})
        >>> study = Study.create("memory:", X, k=1, id_column="patient", strategy="random", random_state=0)
        >>> study.name_of(1)
        'p8'
        """
        return self._engine.names.of(self._row(row))

    # --- what has happened so far ---

    @property
    def title(self) -> str:
        """Name of the study: str; that of its file, unless `title` says another."""
        return self._engine.settings.title

    @property
    def criterion(self) -> str:
        """The quality measure, in words: str, such as ``mutual information``."""
        return str(self._engine.settings.criterion).replace("_", " ")

    @property
    def pool(self) -> Pool:
        """The encoded table: an :class:`activefs.Pool`."""
        return self._engine.table.pool

    @property
    def classes(self) -> tuple[Any, ...]:
        """The labels known so far, the fixed list, or with `label_edges` the names of the ranges: a tuple."""
        return self._engine.classes()

    @property
    def labelled(self) -> Ints:
        """Labelled rows, in the order in which their labels count: array of int, shape (n_labels,)."""
        return _array(self._engine.position().rows)

    @property
    def labels(self) -> list[Any]:
        """Their labels, in the same order: a list; with `label_edges`, the numbers as they were told."""
        with self._engine.reading() as state:
            return [state.overlap.counted(answer).label for answer in state.told.values()]

    @property
    def n_labels(self) -> int:
        """How many labels there are: int; skips and second answers to the same row do not count."""
        return len(self._engine.position().told)

    @property
    def pending(self) -> tuple[int, ...]:
        """Rows that are leased to somebody: a tuple of int."""
        return self._engine.position().pending

    @property
    def skipped(self) -> tuple[int, ...]:
        """Rows that cannot be labelled: a tuple of int."""
        return self._engine.position().skipped

    @property
    def reason(self) -> str | None:
        """Why the study is finished, in a sentence: str; None if it is not."""
        return self._look(lambda engine, here: engine.why_finished(here))

    @property
    def finished(self) -> bool:
        """Whether nothing is left to ask: bool; `reason` says why."""
        return self.reason is not None

    @property
    def certified(self) -> bool:
        """Whether the chosen features are guaranteed to be the best k, with probability 1 - delta: bool."""
        return self._look(lambda engine, here: engine.certified(here))

    @property
    def settled(self) -> bool:
        """Whether the rule of the paper would stop, which is no guarantee: bool; never by the assisted estimate."""
        return self._look(lambda engine, here: engine.settled(here))

    # --- the answer ---

    def selection(self) -> Selection:
        """Name the k features that look best on all labels so far, best first.

        Returns
        -------
        Selection
            The features, with scores, bounds, and how sure the choice is.

        Warns
        -----
        OneClassWarning
            If there is no label yet, or all are of one class: the ranking is arbitrary.

        Examples
        --------
        >>> from activefs import Study
        >>> X = [[a, b] for a in range(2) for b in range(2)] * 5
        >>> study = Study.create("memory:", X, k=1, strategy="afs", random_state=0)
        >>> study.tell(range(20), [b for a, b in X])
        >>> print(study.selection())
        1 feature, certified, from 20 labels
          1. x1 (column 1): 0.6931 [0.6931, 0.6931] nats
        Guaranteed to be the best 1, with probability 95% or more.
        """
        found, caution = self._look(lambda engine, here: (engine.selection(here), engine.caution(here)))
        if caution:
            warnings.warn(caution, OneClassWarning, stacklevel=2)
        return found

    def contested(self) -> Contested:
        """Say who leads, who could take the places of the leaders, and between which features the labels must decide.

        Returns
        -------
        Contested
            `leaders`, `challengers` and `features`: arrays of int, numbers of the pool's features.
            ``study.pool.columns`` says which columns of the table these are.
        """
        return self._look(lambda engine, here: engine.contested(here))

    def guaranteed_bounds(self) -> tuple[Floats, Floats]:
        """Bound what the features would leave unknown with all labels, whatever the model says.

        As :meth:`activefs.Session.guaranteed_bounds`.

        Returns
        -------
        lower, upper : array of float, shape (n_features,)
            In nats, with mutual information; they hold for all features at all moments at once, with probability 1 -
            delta.
        """
        return self._look(lambda engine, here: engine.guaranteed_bounds(here))

    def status(self) -> Status:
        """Say where the study stands, as `activefs study status` does.

        Returns
        -------
        Status
            Labels, budget, the features with their scores, who did how much, how far annotators agree.

        Examples
        --------
        >>> from activefs import Study
        >>> X = [[a, b] for a in range(2) for b in range(2)] * 5
        >>> study = Study.create("memory:", X, k=1, strategy="afs", budget=10, random_state=0, annotator="ann")
        >>> study.tell(range(8), [b for a, b in X[:8]])
        >>> now = study.status()
        >>> now.used, now.places[0].name, [(who.name, who.labels) for who in now.annotators]
        ('8 of 10 labels', 'x1', [('ann', 8)])
        """
        with notebook_bar("judging the features"):
            return known_status(self._engine) or self._reader.status()

    def forecast(self) -> Forecast:
        """Say how many more labels it takes until the features are expected to lack little.

        Returns
        -------
        Forecast
            A sentence if it is printed. By the plug-in estimate nothing is expected, and it says so.

        Examples
        --------
        >>> from activefs import Study
        >>> X = [[a, b] for a in range(2) for b in range(2)] * 5
        >>> study = Study.create("memory:", X, k=1, random_state=0)
        >>> study.tell([0, 1, 2], ["ill", "healthy", "ill"])
        >>> print(study.forecast())
        too few labels to say: 3 so far
        """
        from activefs.outlook import Forecast
        from activefs.study._outlook import known

        with notebook_bar("looking at how the choice settled"):
            found = known(self._engine.storage, self._engine.position(), Forecast)
            return found or self._reader.forecast()

    def report(self) -> str:
        """Make one HTML page with tables and pictures, which needs no network.

        Returns
        -------
        str
            The page; write it to a file, and open that in a browser.

        Examples
        --------
        >>> from activefs import Study
        >>> X = [[a, b] for a in range(2) for b in range(2)] * 5
        >>> study = Study.create("memory:", X, k=1, strategy="afs", random_state=0, title="hearts")
        >>> study.tell(range(20), [b for a, b in X])
        >>> page = study.report()  # Path("hearts.html").write_text(page, encoding="utf-8")
        >>> "hearts" in page, "<script" in page
        (True, False)
        """
        from activefs.study._report import html_report

        with notebook_bar("writing the report"):
            return html_report(self._engine, self._reader)

    def export_csv(self) -> str:
        """Write all labels as CSV: row, label, annotator, time, kind; if need be also what was corrected or noted.

        Returns
        -------
        str
            One line per answer or skip after the head. `row` is the row's name; `kind` is ``answer`` (it was asked),
            ``known`` (it was told or imported) or ``skipped``.

        See Also
        --------
        Study.export : To a file, in other formats, with the columns of the table or as the whole log.

        Examples
        --------
        >>> from activefs import Study
        >>> X = [[0, 1], [1, 1], [1, 0]]
        >>> study = Study.create("memory:", X, k=1, strategy="random", random_state=0, annotator="ann")
        >>> study.tell([0, 2], ["ill", "healthy"])
        >>> print(study.export_csv())
        row,label,annotator,time,kind
        0,ill,ann,...Z,known
        2,healthy,ann,...Z,known
        """
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

        Returns
        -------
        int
            How many answers, or with `log` how many entries, were written.

        Raises
        ------
        InvalidInputError
            If the format is none of these, or settings contradict each other, such as `joined` and `log`.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from activefs import Study
        >>> X = [[0, 1], [1, 1], [1, 0]]
        >>> study = Study.create("memory:", X, k=1, strategy="random", random_state=0, annotator="ann")
        >>> study.tell([0, 2], ["ill", "healthy"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = Path(folder) / "labels.csv"
        ...     study.export(file, joined=True), file.read_text(encoding="utf-8").splitlines()[0]
        (2, 'row,label,annotator,time,kind,x0,x1')
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
        r"""Take labels from CSV with the columns row and label, all or none.

        Separator, decimal sign and (of bytes) encoding are found out, unless they are given.

        Parameters
        ----------
        content : str or bytes
            What the file holds, such as ``Path("labels.csv").read_bytes()``. Rows are called by their names: what the
            id column says, or their positions. A row without a label is skipped. Further columns are read as
            :meth:`export_csv` writes them.
        sep : str, optional
            What is between the columns, such as ``;``.
        decimal : {".", ","}, optional
            The decimal sign of labels that are numbers.
        encoding : str, optional
            The encoding of bytes, such as cp1252.

        Returns
        -------
        int
            How many labels were new.

        Raises
        ------
        InvalidInputError
            If a line cannot be understood, names a row that does not exist, or contradicts a label of the study; the
            message says which one, and nothing was imported.

        Examples
        --------
        >>> from activefs import Study
        >>> study = Study.create("memory:", [[0, 1], [1, 1], [1, 0]], k=1, strategy="random", random_state=0)
        >>> study.import_csv("row,label\n0,ill\n2,healthy\n")
        2
        >>> study.labelled.tolist(), study.labels
        ([0, 2], ['ill', 'healthy'])
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
        r"""Take labels from CSV as :meth:`import_csv` does, and say how many the file has.

        Parameters
        ----------
        content : str or bytes
            What the file holds; as for :meth:`import_csv`.
        sep, decimal, encoding : str, optional
            How it is written; by default it is found out.

        Returns
        -------
        tuple of (int, int)
            How many labels were new, and how many the file has.

        Raises
        ------
        InvalidInputError
            As :meth:`import_csv`.

        Examples
        --------
        >>> from activefs import Study
        >>> study = Study.create("memory:", [[0, 1], [1, 1], [1, 0]], k=1, strategy="random", random_state=0)
        >>> study.tell(0, "ill")
        >>> study.import_labels("row;label\n0;ill\n2;healthy\n")
        (1, 2)
        """
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
