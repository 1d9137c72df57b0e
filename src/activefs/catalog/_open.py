"""Whether an argument means one study or a place with several."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from activefs.catalog._folder import FolderCatalog
from activefs.exceptions import InvalidInputError
from activefs.storages import open_storage, scheme_of

if TYPE_CHECKING:
    from activefs.catalog._base import Catalog


def open_catalog(url: str, tables: Path | None = None) -> Catalog | None:
    """Open a place with several studies; None if the URL means one study.

    A folder has several, and so has a PostgreSQL database that is named without a search path, unless the one study of
    it is where that leads anyway, and nothing else is there.

    Parameters
    ----------
    url : str
        A folder, a file or a URL.
    tables : Path, optional
        Folder for the tables of new studies in a database.

    Returns
    -------
    Catalog or None
        The place; None if the URL means one study, which :meth:`activefs.Study.open` opens.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from activefs import Study
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("heart", "lung"):
    ...         Study.create(Path(folder) / f"{name}.db", [[0, 1], [1, 1], [1, 0]], k=1, strategy="random").close()
    ...     [entry.name for entry in open_catalog(folder).entries()]
    ['heart', 'lung']
    >>> open_catalog("study.db") is None
    True
    """
    scheme = scheme_of(url)
    if scheme == "sqlite" and "://" not in url and (folder := Path(url).expanduser()).is_dir():
        if tables is not None:
            raise InvalidInputError(
                "--tables is for databases: in a folder, the table of a new study is kept beside it"
            )
        return FolderCatalog(folder)
    if scheme != "postgresql" or "search_path" in url:
        return None
    storage = open_storage(url)  # which says what to install, and what is wrong with the URL
    from activefs.catalog._database import DatabaseCatalog

    catalog = DatabaseCatalog(url, tables)
    studies = catalog.entries()
    if tables is not None or catalog.has_owners or len(studies) > 1:
        return catalog
    try:
        storage.header()
    except InvalidInputError:
        return catalog if studies else None
    finally:
        storage.close()
    return None


def some_catalog(url: str) -> Catalog:
    """Open a place that may have several studies, be there any yet or not.

    Raises
    ------
    InvalidInputError
        If the URL can mean one study only.
    """
    scheme = scheme_of(url)
    if scheme == "sqlite" and "://" not in url and (folder := Path(url).expanduser()).is_dir():
        return FolderCatalog(folder)
    if scheme == "postgresql" and "search_path" not in url:
        open_storage(url).close()
        from activefs.catalog._database import DatabaseCatalog

        return DatabaseCatalog(url)
    raise InvalidInputError(
        "name a folder that exists, or a database like postgresql://host/database (without a search path); the people "
        "of one study are the business of activefs study annotator"
    )
