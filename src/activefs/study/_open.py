"""Making and opening studies."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from activefs.exceptions import DoubtfulColumnWarning, InvalidInputError, StorageError, StudyMismatchError
from activefs.storages import Header, Storage, open_storage, study_header
from activefs.study._engine import StudyEngine
from activefs.study._settings import StudySettings

if TYPE_CHECKING:
    from activefs.pool import Cluster
    from activefs.streams import StreamSource
    from activefs.study._table import StudyTable
    from activefs.tables import FileTable

_NAMES_KEPT = 100_000
"""Rows up to which all names are kept with the study; of larger tables, those of rows that come up."""


def create_engine(
    url: str | Path | Storage,
    X: Any,
    *,
    progress: Callable[[str, float], None] | None = None,
    cluster: Cluster | None = None,
    **options: Any,
) -> StudyEngine:
    """Make a study and open it; `options` are those that `StudyOptions` declares.

    `progress` is told what is done, and which share of it, where that takes long; the workers of a `cluster`, if there
    is one, keep the encoded table.
    """
    from activefs import __version__
    from activefs.engine import Engine
    from activefs.pool import warn_left_out
    from activefs.seeds import root_seed
    from activefs.study._source import as_file, located
    from activefs.study._table import StudyTable
    from activefs.tables import FileTable, refuse_roles

    storage = open_storage(url)
    storage.check_free()
    data = None
    if isinstance(X, (str, Path)):
        data = located(X)
        if options.get("title") is None:
            options["title"] = Path(str(X)).name.strip("*?").split(".")[0] or "study"
    settings = StudySettings.checked(options, data, __version__)
    settings = StudySettings({**settings.options, "random_state": root_seed(settings.random_state)}, data, __version__)
    if settings.id_column is not None:
        refuse_roles(settings.options, {settings.id_column: "id"})
    found = _read_anew(X, settings, progress)
    if isinstance(found, FileTable):
        X, settings = found.table, settings.read_with(found.dialect)
    elif found is not None:
        X, found = found, as_file(found)
    try:
        table = StudyTable(X, settings, source=data, progress=progress, cluster=cluster)
        # Everything is checked before anything is written.
        table.assistant = Engine(settings.session_options, table.pool, cost=table.cost).assistant
    except InvalidInputError as error:
        raise (found.refused(str(error)) if found is not None and _hints(found) else error) from None
    if found is not None:
        for said in (*_hints(found), *found.doubted(but=_no_features(settings, table.names))):
            warnings.warn(said, DoubtfulColumnWarning, stacklevel=3)
    warn_left_out(table.pool.left_out, stacklevel=3)  # once: whoever opens the study sees it on its page
    header = Header(settings.to_json(), table.fingerprint, datetime.now(UTC))
    engine = StudyEngine(storage, header, lambda: table)
    storage.create(header)
    with suppress(StorageError):  # the study is there: names are kept when it is opened the next time
        _keep_names(storage, table)
    return engine


def open_engine(
    url: str | Path | Storage,
    X: Any = None,
    *,
    at_once: bool = True,
    progress: Callable[[str, float], None] | None = None,
    cluster: Cluster | None = None,
) -> StudyEngine:
    """Open a study; the table is read from where it was, or given anew.

    With `at_once`, the table is read and compared with what the study was made with before anything else; without,
    that happens when something needs it.
    """
    storage = open_storage(url)
    header = study_header(storage)
    settings = StudySettings.from_json(header.settings)

    def read() -> StudyTable:
        return _read(X, settings, storage, header.fingerprint, progress, cluster)

    engine = StudyEngine(storage, header, read)
    engine.source = X if isinstance(X, (str, Path)) else None
    if at_once or X is not None:
        _keep_names(storage, engine.table)
    return engine


def _read_anew(
    X: Any, settings: StudySettings, progress: Callable[[str, float], None] | None
) -> FileTable | StreamSource | None:
    """Read or open the file of a new study; None if the table was not named, but given.

    The study's settings keep how the file is written, so that it is always read in the same way.
    """
    from activefs.study._source import open_table, refuse_dialect

    if not isinstance(X, (str, Path)):
        refuse_dialect(settings)
        return None
    return open_table(X, settings, new=True, progress=progress)


def _no_features(settings: StudySettings, names: tuple[str, ...]) -> set[str]:
    """Columns of which nobody asks whether they are numbers."""
    ignored = {names[c] if isinstance(c, int) else c for c in settings.ignore}
    return {*ignored, settings.id_column, settings.show_text, *(settings.show_media or ())}


def _hints(found: FileTable) -> tuple[str, ...]:
    """What to say if all of a text file is one column; nothing of a table that is read in pieces."""
    return () if found.table is None else found.hints


def _read(
    X: Any,
    settings: StudySettings,
    storage: Storage,
    fingerprint: Mapping[str, Any],
    progress: Callable[[str, float], None] | None = None,
    cluster: Cluster | None = None,
) -> StudyTable:
    from activefs.study._table import StudyTable
    from activefs.tables import Dialect

    source = _found(settings, storage) if X is None else X
    try:
        return StudyTable(source, settings, fingerprint, progress=progress, cluster=cluster)
    except InvalidInputError as error:
        if not isinstance(source, (str, Path)):
            raise
        try:  # the same table may be written in another way now
            return StudyTable(source, settings.read_with(Dialect()), fingerprint, progress=progress, cluster=cluster)
        except InvalidInputError as other:
            # What differs says more than why a file cannot be read in the way that was right once.
            raise (error if isinstance(error, StudyMismatchError) else other) from None


def _keep_names(storage: Storage, table: StudyTable) -> None:
    """Keep the names of all rows, if they have names, so that answers can be listed without the table."""
    if table.ids is not None and table.n_rows <= _NAMES_KEPT and not storage.row_names([0]):
        storage.name_rows(dict(enumerate(table.ids[:])))


def _found(settings: StudySettings, storage: Storage) -> str | Path:
    """Find the table: where it was, or beside the study if both were moved."""
    from activefs.study._source import is_address

    if settings.data is None:
        raise InvalidInputError(
            "the study was made with a table in memory: pass the same table again (Study.open(url, X), or --data FILE)"
        )
    path = Path(settings.data)
    if is_address(settings.data):
        return settings.data
    if path.exists() or any(sign in settings.data for sign in "*?["):
        return path
    home = getattr(storage, "path", None)
    if isinstance(home, Path) and (beside := home.absolute().parent / path.name).exists():
        return beside
    raise InvalidInputError(
        f"the table of the study is not at {path} any more: say where it is (Study.open(url, FILE), or --data FILE)"
    )
