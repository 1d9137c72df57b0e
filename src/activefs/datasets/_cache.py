"""Quantised data sets on disk, so that a second load takes a moment."""

from __future__ import annotations

import hashlib
import warnings
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from activefs.datasets._quantise import QUANTISER_VERSION
from activefs.files import replacing
from activefs.types import Ints, Strings, UInt8s

__all__ = ["DataSetArrays", "path_of", "read", "write"]

DataSetArrays = tuple[UInt8s, UInt8s, Strings, Ints]
"""X, y, feature names, original columns."""


def path_of(name: str, raw: Sequence[bytes], cache: Path) -> Path:
    """Where the quantised form of these raw files lies: another file, or another quantiser, another path."""
    key = hashlib.sha256(f"{name} {QUANTISER_VERSION}".encode())
    for content in raw:
        key.update(hashlib.sha256(content).digest())
    return cache / "quantised" / f"{name}-{key.hexdigest()[:24]}.npz"


def read(path: Path) -> DataSetArrays | None:
    """Read what was written there; None if there is nothing or it is damaged (it can be made anew)."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            X, y, names, columns = stored["X"], stored["y"], stored["feature_names"], stored["columns"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error):
        return None
    whole = X.ndim == 2 and X.shape == (len(y), len(names)) and len(columns) == len(names)
    return (X, y, names, columns) if whole else None


def write(path: Path, arrays: DataSetArrays) -> None:
    """Write all or nothing; a cache that cannot be written to costs time later, so it is a warning."""
    X, y, names, columns = arrays
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            np.savez_compressed(file, X=X, y=y, feature_names=names, columns=columns)
    except OSError as error:
        reason = error.strerror or error
        warnings.warn(
            f"the quantised data set could not be kept in {path.parent} ({reason}): the next load computes it again",
            stacklevel=4,
        )
