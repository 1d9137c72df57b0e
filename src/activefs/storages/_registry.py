"""Which storage a URL means."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from activefs.exceptions import InvalidInputError, MissingExtraError
from activefs.storages._base import SERVER, Header, Storage

# URL scheme -> module and class, imported when needed: a plain install has no database packages.
SCHEMES: dict[str, tuple[str, str]] = {
    "memory": ("activefs.storages._memory", "MemoryStorage"),
    "sqlite": ("activefs.storages._sqlite", "SQLiteStorage"),
    "postgresql": ("activefs.storages._postgresql", "PostgreSQLStorage"),
}
_SAME = {"postgres": "postgresql"}


def open_storage(url: str | Path | Storage) -> Storage:
    """Return the storage that a URL or the name of a file stands for.

    Parameters
    ----------
    url : str, Path or Storage
        ``memory:``, the name of a file (SQLite), or a SQLAlchemy URL: ``sqlite:///study.db``,
        ``postgresql://user@host/database``.

    Returns
    -------
    Storage
        The storage; whether there is a study in it is seen when it is asked.

    Raises
    ------
    InvalidInputError
        If no storage has such a URL.
    MissingExtraError
        If ``activefs[sql]`` is not installed.

    Examples
    --------
    >>> open_storage("memory:").place
    'memory'
    """
    if isinstance(url, Storage):
        return url
    text = str(url)
    if not text.strip():
        raise InvalidInputError(
            "the name of a study is empty: name a file, or give a URL like postgresql://host/database"
        )
    scheme = scheme_of(text)
    if scheme not in SCHEMES:
        known = ", ".join(f"{name}:" for name in SCHEMES)
        raise InvalidInputError(f"a study cannot be kept at {scheme}: URLs; name a file, or use one of {known}")
    module, name = SCHEMES[scheme]
    try:
        made: type[Storage] = getattr(import_module(module), name)
    except ImportError as error:
        raise missing_packages(error) from error
    return made(text)  # type: ignore[call-arg]  # every storage is made from its URL


def missing_packages(error: ImportError) -> MissingExtraError:
    """Say what to install."""
    return MissingExtraError(
        f"studies need packages that are not installed ({error.name}): run pip install 'activefs[sql]'"
    )


def scheme_of(text: str) -> str:
    """Say which kind of storage a URL or the name of a file means.

    Parameters
    ----------
    text : str
        The URL, or the name.

    Returns
    -------
    str
        One of `activefs.storages.SCHEMES`, or a scheme that is not known.

    Raises
    ------
    InvalidInputError
        If it looks like a URL and is none.

    Examples
    --------
    >>> scheme_of("study.db"), scheme_of("postgres://db/study")
    ('sqlite', 'postgresql')
    """
    head, colon, rest = text.partition(":")
    scheme = head.partition("+")[0].lower()
    scheme = _SAME.get(scheme, scheme)
    if not colon or (scheme not in SCHEMES and not rest.startswith("//")):
        return "sqlite"  # one letter before a colon is a drive, and a file may have a colon in its name
    if scheme != "memory" and not rest.startswith("//"):  # what is somewhere has an address
        raise InvalidInputError(
            f"{text!r} is no URL of a study: name a file, or write {scheme}://...; a file of that very name is ./{text}"
        )
    return scheme


def study_header(storage: Storage) -> Header:
    """Read what was fixed when a study was made.

    Parameters
    ----------
    storage : Storage
        Where the study is: ``open_storage(url)``.

    Returns
    -------
    Header
        Settings, fingerprint of the table, time.

    Raises
    ------
    InvalidInputError
        If there is no study, but what a server with several studies keeps of its people.

    Examples
    --------
    >>> from activefs import Study
    >>> from activefs.storages import MemoryStorage, study_header
    >>> place = MemoryStorage()
    >>> Study.create(place, [[0, 1], [1, 1], [1, 0]], k=1, strategy="random", random_state=0).close()
    >>> study_header(place).settings["k"]
    1
    """
    header = storage.header()
    if SERVER in header.settings:
        raise InvalidInputError(
            f"{storage.place} is no study: it keeps who owns a server of several studies (activefs server owner)"
        )
    return header
