"""Making and opening studies."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from activefs.exceptions import DoubtfulColumnWarning, InvalidInputError, StorageError, StudyMismatchError
from activefs.storages import Header, Storage, open_storage, study_header
from activefs.study._engine import StudyEngine
from activefs.study._settings import StudySettings

if TYPE_CHECKING:
    from activefs.study._table import StudyTable
    from activefs.tables import FileTable

_NAMES_KEPT = 100_000
"""Rows up to which all names are kept with the study; of larger tables, those of rows that come up."""


def create_engine(url: str | Path | Storage, X: Any, **options: Any) -> StudyEngine:
    """Make a study and open it; `options` are those that `StudyOptions` declares."""
    from activefs import __version__
    from activefs.engine import Engine
    from activefs.pool import warn_left_out
    from activefs.seeds import root_seed
    from activefs.study._table import StudyTable
    from activefs.tables import refuse_roles

    storage = open_storage(url)
    data = None
    if isinstance(X, (str, Path)):
        data = str(Path(X).expanduser().absolute())
        if options.get("title") is None:
            options["title"] = Path(X).name.split(".")[0] or "study"
    settings = StudySettings.checked(options, data, __version__)
    settings = StudySettings({**settings.options, "random_state": root_seed(settings.random_state)}, data, __version__)
    if settings.id_column is not None:
        refuse_roles(settings.options, {settings.id_column: "id"})
    found = _read_anew(X, settings)
    if found is not None:
        X, settings = found.table, settings.read_with(found.dialect)
    try:
        table = StudyTable(X, settings, source=data)
        # Everything is checked before anything is written.
        table.assistant = Engine(settings.session_options, table.pool, cost=table.cost).assistant
    except InvalidInputError as error:
        raise (found.refused(str(error)) if found is not None and found.hints else error) from None
    if found is not None:
        for said in (*found.hints, *found.doubted(but=_no_features(settings, table.names))):
            warnings.warn(said, DoubtfulColumnWarning, stacklevel=3)
    warn_left_out(table.pool.left_out, stacklevel=3)  # once: whoever opens the study sees it on its page
    header = Header(settings.to_json(), table.fingerprint, datetime.now(UTC))
    engine = StudyEngine(storage, header, lambda: table)
    storage.create(header)
    with suppress(StorageError):  # the study is there: names are kept when it is opened the next time
        _keep_names(storage, table)
    return engine


def open_engine(url: str | Path | Storage, X: Any = None, *, at_once: bool = True) -> StudyEngine:
    """Open a study; the table is read from where it was, or given anew.

    With `at_once`, the table is read and compared with what the study was made with before anything else; without,
    that happens when something needs it.
    """
    storage = open_storage(url)
    header = study_header(storage)
    settings = StudySettings.from_json(header.settings)

    def read() -> StudyTable:
        return _read(X, settings, storage, header.fingerprint)

    engine = StudyEngine(storage, header, read)
    engine.source = X if isinstance(X, (str, Path)) else None
    if at_once or X is not None:
        _keep_names(storage, engine.table)
    return engine


def _read_anew(X: Any, settings: StudySettings) -> FileTable | None:
    """Read the file of a new study; None if the table is in memory.

    The study's settings keep how the file is written, so that it is always read in the same way.
    """
    from activefs.tables import kind_of, read_file, refuse_settings

    said = settings.dialect.said
    if not isinstance(X, (str, Path)):
        if said:
            raise InvalidInputError(f"{', '.join(said)} can be said of a file only; the table was given in memory")
        return None
    path = Path(X)
    refuse_settings(path, kind_of(path), said)
    return read_file(path, settings.id_column, settings.dialect)


def _no_features(settings: StudySettings, names: tuple[str, ...]) -> set[str]:
    """Columns of which nobody asks whether they are numbers."""
    ignored = {names[c] if isinstance(c, int) else c for c in settings.ignore}
    return {*ignored, settings.id_column, settings.show_text, *(settings.show_media or ())}


def _read(X: Any, settings: StudySettings, storage: Storage, fingerprint: Mapping[str, Any]) -> StudyTable:
    from activefs.study._table import StudyTable
    from activefs.tables import Dialect

    source = _found(settings, storage) if X is None else X
    try:
        return StudyTable(source, settings, fingerprint)
    except InvalidInputError as error:
        if not isinstance(source, (str, Path)):
            raise
        try:  # the same table may be written in another way now
            return StudyTable(source, settings.read_with(Dialect()), fingerprint)
        except InvalidInputError as other:
            # What differs says more than why a file cannot be read in the way that was right once.
            raise (error if isinstance(error, StudyMismatchError) else other) from None


def _keep_names(storage: Storage, table: StudyTable) -> None:
    """Keep the names of all rows, if they have names, so that answers can be listed without the table."""
    if table.ids is not None and table.n_rows <= _NAMES_KEPT and not storage.row_names([0]):
        storage.name_rows(dict(enumerate(table.ids)))


def _found(settings: StudySettings, storage: Storage) -> Path:
    """Find the file of the table: where it was, or beside the study if both were moved."""
    if settings.data is None:
        raise InvalidInputError(
            "the study was made with a table in memory: pass the same table again (Study.open(url, X), or --data FILE)"
        )
    path = Path(settings.data)
    if path.is_file():
        return path
    home = getattr(storage, "path", None)
    if isinstance(home, Path) and (beside := home.absolute().parent / path.name).is_file():
        return beside
    raise InvalidInputError(
        f"the table of the study is not at {path} any more: say where it is (Study.open(url, FILE), or --data FILE)"
    )
