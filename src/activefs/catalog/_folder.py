"""The studies in the files of a folder."""

from __future__ import annotations

import os
import secrets
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from activefs.catalog._base import Catalog, CatalogEntry, name_in_addresses, taken_by
from activefs.exceptions import InvalidInputError
from activefs.storages import STUDY_TABLE, Storage, open_storage

KEEPER = ".activefs-server.db"
_SUFFIX = ".db"
_UNFINISHED = ".db.new"
_DAY = 86_400
_WAIT = 2  # seconds for a file that is held by somebody else
_SOON = 2.0  # seconds for which what is wrong with a file is believed: rights and locks change, the file does not


class _Stamp(NamedTuple):
    """What differs if a file was replaced or written anew; what a study writes goes into the same file."""

    device: int
    number: int
    size: int
    changed: int

    @property
    def file(self) -> tuple[int, int]:
        return self.device, self.number


class FolderCatalog(Catalog):
    """Every file of a folder that ends in ``.db`` and holds a study.

    What else is there is of no concern. A file that cannot be read is listed with the reason, and so is a link that
    leads out of the folder: whoever may put a link there need not be allowed to show what it leads to.

    Parameters
    ----------
    folder : Path
        The folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        self._seen: dict[Path, tuple[_Stamp, str | None, float]] = {}

    @property
    def place(self) -> str:
        """Name the folder."""
        return str(self.folder)

    def entries(self) -> list[CatalogEntry]:
        """List the studies by name."""
        try:
            paths = sorted(path for path in self.folder.iterdir() if path.name.endswith(_SUFFIX))
        except OSError as error:
            raise InvalidInputError(f"the folder {self.folder} cannot be read: {error.strerror}") from None
        self._seen = {path: seen for path, seen in self._seen.items() if path in paths}
        found = [entry for path in paths if not path.name.startswith(".") and (entry := self._entry(path)) is not None]
        return sorted(found, key=lambda entry: entry.name)

    def find(self, name: str) -> CatalogEntry | None:
        """Look for a study; a file that is called as the address says needs no look at the others."""
        path = self.folder / f"{name}{_SUFFIX}"
        if name_in_addresses(name) == name and path.parent == self.folder and path.exists():
            return self._entry(path)
        return next((entry for entry in self.entries() if entry.name == name), None)

    def keeper(self) -> Storage:
        """Give the storage of the owners: a file beside the studies that is not listed."""
        return open_storage(str(self.folder / KEEPER))

    def table_for(self, name: str, ending: str, own: Path) -> Path:
        """Put the table beside its study."""
        if (taken := taken_by(self.folder, name, own)) is not None:
            raise InvalidInputError(f"there is a file {taken!r} in the folder already: choose another name")
        return self.folder / f"{name}{ending}"

    @property
    def tables(self) -> Path:
        """The tables are beside the studies."""
        return self.folder

    def new(self, name: str) -> str:
        """Say where the study is made: in a file that is not listed before it is whole."""
        for path in self.folder.glob(f".*{_UNFINISHED}"):  # left by a server that was killed
            if time.time() - path.stat().st_mtime > _DAY:
                path.unlink(missing_ok=True)
        return str(self.folder / f".{name}-{secrets.token_hex(6)}{_UNFINISHED}")

    def finish(self, name: str, url: str) -> None:
        """Give the file its name, without taking away what may be there."""
        target = self.folder / f"{name}{_SUFFIX}"
        try:
            os.link(url, target)
        except FileExistsError:
            raise InvalidInputError(f"there is a study {name!r} already: choose another name") from None
        except OSError:  # not every disk knows links
            Path(url).rename(target)
        self.discard(name, url)

    def discard(self, name: str, url: str) -> None:
        """Remove the files of a study that did not come to be, or has got its name."""
        for ending in ("", "-wal", "-shm"):
            Path(f"{url}{ending}").unlink(missing_ok=True)

    def why_not_new(self) -> str:
        """Say that the folder must be writable, if it is not."""
        return "" if os.access(self.folder, os.W_OK) else f"the folder {self.folder} cannot be written to"

    def _entry(self, path: Path) -> CatalogEntry | None:
        try:
            stat = path.stat()
        except OSError:  # gone meanwhile, or a link to nowhere
            return None
        stamp = _Stamp(stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns)
        before, problem, asked = self._seen.get(path, (None, None, 0.0))
        if before != stamp or (problem and time.monotonic() - asked > _SOON):
            problem = self._look(path)
            self._seen[path] = (stamp, problem, time.monotonic())
        if problem is None:
            return None
        name = name_in_addresses(path.name.removesuffix(_SUFFIX))
        return CatalogEntry(name, str(path), path.name, problem, stamp.file)

    def _look(self, path: Path) -> str | None:
        """Say what is wrong with a file; None if it is no study at all."""
        if path.is_dir() or path.stat().st_size == 0:
            return None
        if not path.resolve().is_relative_to(self.folder.resolve()):
            return "it is a link that leads out of the folder"
        try:
            with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=_WAIT)) as connection:
                tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
                if STUDY_TABLE not in tables:
                    return None
                there = connection.execute(f"SELECT count(*) FROM {STUDY_TABLE}").fetchone()[0]
                return "" if there else None
        except sqlite3.Error as error:
            return f"it cannot be read ({error})"
