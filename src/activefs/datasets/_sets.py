"""The paper's data sets, ready to use: `load`, `fetch`, `available`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from activefs.datasets import _cache
from activefs.datasets._dataset import Dataset, DatasetInfo
from activefs.datasets._files import Folders, Progress, checked_content, find, obtain, read_bytes
from activefs.datasets._quantise import quantise
from activefs.datasets._registry import ENTRIES, Entry
from activefs.exceptions import DataSetError, InvalidInputError
from activefs.notebook import Told, notebook_bar

__all__ = ["DATA_SETS", "available", "fetch", "folders", "load"]

DATA_SETS: tuple[str, ...] = tuple(ENTRIES)
"""Names of the data sets, as `load` takes them."""


def load(name: str, *, progress: Progress | None = None) -> Dataset:
    """Load one of the paper's data sets, quantised as in the paper.

    Its files are looked for in the folder that the environment variable ``ACTIVEFS_DATA_DIR`` names, then
    in the user's cache, then downloaded. The result is kept in the cache.

    Parameters
    ----------
    name : str
        One of `DATA_SETS`, in upper or lower case.
    progress : callable, optional
        Called during a download with the file's name, the bytes done, and the bytes in all (0: unknown).

    Returns
    -------
    Dataset
        The same on every call.

    Raises
    ------
    InvalidInputError
        There is no data set of that name.
    DataSetError
        A file is missing and cannot be downloaded, or is not the right one.

    Examples
    --------
    >>> DATA_SETS
    ('BASEHOCK', 'PCMAC', 'RELATHE', 'MUSK', 'MNIST01', 'MNIST35', 'MNIST46', 'MNIST', 'ADULT')
    >>> load("basehock")  # doctest: +SKIP
    Dataset('BASEHOCK', 1993 rows, 4862 features, classes 1, 2)
    """
    entry = _entry(name)
    with notebook_bar(f"reading {entry.name}") as told:
        return load_entry(entry, Folders.from_environment(), progress or _shares(told))


def fetch(name: str, *, progress: Progress | None = None) -> tuple[Path, ...]:
    """Make sure that the files of a data set are on this machine and are the right ones.

    Parameters
    ----------
    name, progress
        As for `load`.

    Returns
    -------
    tuple of Path
        Its files.

    Examples
    --------
    >>> fetch("iris")
    Traceback (most recent call last):
    activefs.exceptions.InvalidInputError: there is no data set 'iris'; there are BASEHOCK, PCMAC, ...
    """
    entry = _entry(name)
    with notebook_bar(f"looking for {entry.name}") as told:
        return fetch_entry(entry, Folders.from_environment(), progress or _shares(told))


def available() -> tuple[DatasetInfo, ...]:
    """List the data sets: names, sizes, and whether their files are on this machine (not opened).

    Returns
    -------
    tuple of DatasetInfo
        In the order of `DATA_SETS`.

    Examples
    --------
    >>> [f"{info.name}: {info.rows} x {info.features}" for info in available()][:2]
    ['BASEHOCK: 1993 x 4862', 'PCMAC: 1943 x 3289']
    """
    folders = Folders.from_environment()
    return tuple(
        DatasetInfo(
            *(entry.name, entry.rows, entry.features, entry.classes),
            present=all(find(file, folders) is not None for file in entry.files),
            source=entry.source,
        )
        for entry in ENTRIES.values()
    )


def folders() -> tuple[Path, ...]:
    """List the folders in which files are looked for, in this order.

    Returns
    -------
    tuple of Path
        That which the environment variable ``ACTIVEFS_DATA_DIR`` names, if it is set, and the user's cache.

    Examples
    --------
    >>> import os
    >>> len(folders()) == 1 + bool(os.environ.get("ACTIVEFS_DATA_DIR"))
    True
    """
    return Folders.from_environment().raw


def _entry(name: str) -> Entry:
    entry = ENTRIES.get(name.upper()) if isinstance(name, str) else None
    if entry is None:
        raise InvalidInputError(f"there is no data set {name!r}; there are {', '.join(DATA_SETS)}")
    return entry


def _shares(told: Told | None) -> Progress | None:
    """Tell of bytes as of shares, to whom shares are told."""
    if told is None:
        return None
    return lambda file, done, size: told(f"downloading {file}", done / size if size else None)


def fetch_entry(entry: Entry, folders: Folders, progress: Progress | None = None) -> tuple[Path, ...]:
    """As `fetch`, of any entry and from any folders."""
    paths = tuple(obtain(file, folders, progress) for file in entry.files)
    for file, path in zip(entry.files, paths, strict=True):
        checked_content(file, read_bytes(path), path)
    return paths


def load_entry(entry: Entry, folders: Folders, progress: Progress | None = None) -> Dataset:
    """As `load`, of any entry and from any folders."""
    paths = [obtain(file, folders, progress) for file in entry.files]
    raw = [read_bytes(path) for path in paths]
    kept = _cache.path_of(entry.name, raw, folders.cache)
    arrays = _cache.read(kept)
    if arrays is None:
        arrays = _quantised(entry, raw, paths)
        _cache.write(kept, arrays)
    X, y, names, columns = arrays
    return Dataset(entry.name, X, y, tuple(map(str, names)), entry.classes, columns, entry.source)


def _quantised(entry: Entry, raw: list[bytes], paths: list[Path]) -> _cache.DataSetArrays:
    contents = [checked_content(*item) for item in zip(entry.files, raw, paths, strict=True)]
    try:
        table = entry.read(contents)
        if table.values.shape != (entry.rows, entry.features):
            rows, features = table.values.shape
            raise ValueError(f"{rows} x {features} instead of {entry.rows} x {entry.features}")
        X, columns = quantise(table.values, table.categorical)
    except ValueError as error:
        files = ", ".join(map(str, paths))
        raise DataSetError(f"the files of {entry.name} are not as expected: {error} (in {files})") from error
    return X, table.y, np.array(table.names)[columns], columns
