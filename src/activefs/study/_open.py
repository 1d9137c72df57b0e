"""Making and opening studies."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from activefs.exceptions import InvalidInputError
from activefs.seeds import root_seed
from activefs.storages import Header, Storage, open_storage
from activefs.study._engine import Engine
from activefs.study._replay import new_session
from activefs.study._settings import Settings
from activefs.study._table import StudyTable

_SIZE = re.compile(r"(\d{1,4})\s*[x×]\s*(\d{1,4})")


def create_engine(url: str | Path | Storage, X: Any, *, random_state: Any = None, **options: Any) -> Engine:
    """Make a study and open it."""
    from activefs import __version__

    storage = open_storage(url)
    for name in ("classes", "ignore", "show"):
        if options.get(name) is not None:
            options[name] = _listed(name, options[name])
    if options.get("show_image") is not None:
        options["show_image"] = _size(options["show_image"])
    if isinstance(X, (str, Path)):
        options.setdefault("data", str(Path(X).expanduser().absolute()))
        options["title"] = options.get("title") or Path(X).name.split(".")[0] or "study"
    settings = Settings(
        seed=root_seed(random_state),
        version=__version__,
        **{name: value for name, value in options.items() if value is not None},
    )
    table = StudyTable(X, settings)
    new_session(table, settings)  # everything is checked before anything is written
    header = Header(settings.to_json(), table.fingerprint, datetime.now(UTC))
    storage.create(header)
    return Engine(storage, header, table)


def open_engine(url: str | Path | Storage, X: Any = None) -> Engine:
    """Open a study; the table is read from where it was, or given anew."""
    storage = open_storage(url)
    header = storage.header()
    settings = Settings.from_json(header.settings)
    table = StudyTable(_found(settings, storage) if X is None else X, settings, header.fingerprint)
    return Engine(storage, header, table)


def _found(settings: Settings, storage: Storage) -> Path:
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


def _listed(name: str, values: Any) -> tuple[Any, ...]:
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        raise InvalidInputError(f"{name} must be a list, got {values!r}")
    return tuple(v.item() if hasattr(v, "item") else v for v in values)


def _size(size: Any) -> tuple[int, int]:
    if isinstance(size, str):
        match = _SIZE.fullmatch(size.strip())
        size = tuple(map(int, match.groups())) if match else size
    if not isinstance(size, (tuple, list)) or len(size) != 2 or not all(isinstance(v, int) and v > 0 for v in size):
        raise InvalidInputError(f"the size of an image must be HEIGHTxWIDTH, like 28x28; got {size!r}")
    return size[0], size[1]
