"""What a place with several studies can do."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from activefs.exceptions import InvalidInputError
from activefs.storages import SERVER, Header, Storage

MAX_NAME = 40
_NAME = re.compile(rf"[a-z0-9][a-z0-9_-]{{0,{MAX_NAME - 1}}}")
_IN_ADDRESSES = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,79}")


@dataclass(frozen=True)
class CatalogEntry:
    """A study in a catalog.

    Attributes
    ----------
    name : str
        Its name in addresses, which is safe there.
    url : str
        Where it is: a file or a URL.
    place : str
        The same without a password.
    problem : str
        Why it cannot be opened; empty if it can.
    version : object
        Another one if something else is at the place now.
    """

    name: str
    url: str
    place: str
    problem: str = ""
    version: Any = None


class Catalog(ABC):
    """A place with several studies, and with the people who may use all of them.

    See Also
    --------
    open_catalog : Opens a folder or a database.
    activefs.web.create_hub : Serves all of its studies.

    Notes
    -----
    Guide: :doc:`/guide/server`.
    """

    @property
    @abstractmethod
    def place(self) -> str:
        """Where it is, without a password."""

    @abstractmethod
    def entries(self) -> list[CatalogEntry]:
        """List the studies by name; those that are damaged, too."""

    @abstractmethod
    def find(self, name: str) -> CatalogEntry | None:
        """Look for a study by its name in addresses; quick, since every request asks.

        Parameters
        ----------
        name : str
            The name.

        Returns
        -------
        CatalogEntry or None
            None if there is none.
        """

    @abstractmethod
    def keeper(self) -> Storage:
        """Give the storage of the people who own all studies; it may not have been made yet."""

    @abstractmethod
    def table_for(self, name: str, ending: str, own: Path) -> Path:
        """Say where the table of a new study goes.

        Parameters
        ----------
        name : str
            The name of the study in addresses.
        ending : str
            What the name of the file ends in, such as ``.csv``.
        own : Path
            A file that may be there already, left by a server that was killed.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        InvalidInputError
            If studies cannot be made here, or there is one of this name.
        """

    @abstractmethod
    def new(self, name: str) -> str:
        """Make room for a new study; returns its URL.

        Parameters
        ----------
        name : str
            The name of the study in addresses.
        """

    @abstractmethod
    def discard(self, name: str, url: str) -> None:
        """Take away what `new` has made, if the study did not come to be.

        Parameters
        ----------
        name, url : str
            The name of the study in addresses, and what `new` returned.
        """

    @abstractmethod
    def finish(self, name: str, url: str) -> None:
        """Let a study be seen that was made where `new` said.

        Parameters
        ----------
        name, url : str
            The name of the study in addresses, and what `new` returned.
        """

    @property
    @abstractmethod
    def tables(self) -> Path | None:
        """Folder of the tables of new studies; None if there is none."""

    def why_not_new(self) -> str:
        """Say why studies cannot be made here; empty if they can."""
        return ""

    def people(self) -> Storage:
        """Give the storage of the people who own all studies; it is made if it is not there."""
        storage = self.keeper()
        try:
            storage.header()
        except InvalidInputError:
            storage.create(Header({SERVER: 1}, {}, datetime.now(UTC)))
        return storage


def taken_by(folder: Path, name: str, own: Path) -> str | None:
    """Find a file that a new study would share its name with, whatever it ends in; a link to `own` is none."""
    for path in folder.iterdir():
        if path.name.lower().startswith(f"{name}.") and not (path.is_file() and path.samefile(own)):
            return path.name
    return None


def checked_name(name: str) -> str:
    """Check the name of a new study.

    Examples
    --------
    >>> checked_name("heart-2026")
    'heart-2026'
    """
    if not _NAME.fullmatch(name):
        raise InvalidInputError(
            f"the name of a study is part of its address, so it must be 1 to {MAX_NAME} of a to z, 0 to 9, '-' and '_' "
            f"that begin with a letter or digit; got {name[:80]!r}"
        )
    return name


def name_in_addresses(called: str) -> str:
    """Name what may be called anything, so that it is safe in addresses, and always the same.

    Examples
    --------
    >>> name_in_addresses("heart"), name_in_addresses("Herz & Co")
    ('heart', 'herz-co-db01')
    """
    if _IN_ADDRESSES.fullmatch(called):
        return called
    plain = unicodedata.normalize("NFKD", called).encode("ascii", "ignore").decode().lower()
    short = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:MAX_NAME] or "study"
    return f"{short}-{hashlib.sha256(called.encode('utf-8', 'surrogateescape')).hexdigest()[:4]}"
