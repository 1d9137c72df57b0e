"""Value objects of the data sets."""

from __future__ import annotations

from dataclasses import dataclass

from activefs.exceptions import InvalidInputError
from activefs.types import Ints, UInt8s

__all__ = ["Dataset", "DatasetInfo"]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A data set whose features are small whole numbers.

    They are codes already: a session or pool takes them as they are with ``binning="none"``.

    Attributes
    ----------
    name : str
        Name of the data set.
    X : array of uint8, rows by features
        Codes 0, 1, ... of each feature; numeric features with more than 10 values were binned.
    y : array of uint8
        Number of the class of each row.
    feature_names : tuple of str
        Names of the features that remain; those with one value only were dropped.
    classes : tuple of str
        Names of the classes: row ``i`` is of ``classes[y[i]]``.
    columns : array of int
        Original column, counted from 0, of each feature.
    source : str
        Where the data come from.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[0, 1], [2, 0]], dtype=np.uint8), np.array([0, 1], dtype=np.uint8)
    >>> Dataset("TINY", X, y, ("a", "b"), ("no", "yes"), np.arange(2), "made up")
    Dataset('TINY', 2 rows, 2 features, classes no, yes)
    """

    name: str
    X: UInt8s
    y: UInt8s
    feature_names: tuple[str, ...]
    classes: tuple[str, ...]
    columns: Ints
    source: str

    def __post_init__(self) -> None:
        sizes = (len(self.y), len(self.feature_names))
        if self.X.shape != sizes or len(self.columns) != sizes[1]:
            raise InvalidInputError(
                f"X has the shape {self.X.shape}, but there are {sizes[0]} labels, {sizes[1]} feature names "
                f"and {len(self.columns)} columns"
            )

    def __repr__(self) -> str:
        rows, features = self.X.shape
        return f"Dataset({self.name!r}, {rows} rows, {features} features, classes {', '.join(self.classes)})"


@dataclass(frozen=True)
class DatasetInfo:
    """What is known of a data set without loading it.

    Attributes
    ----------
    name, source : str
        Its name, and where it comes from.
    rows, features : int
        Its size; `load` drops features that have one value only.
    classes : tuple of str
        Names of the classes.
    present : bool
        Whether all of its files are on this machine.

    Examples
    --------
    >>> DatasetInfo("TINY", 2, 3, ("no", "yes"), present=False, source="made up").rows
    2
    """

    name: str
    rows: int
    features: int
    classes: tuple[str, ...]
    present: bool
    source: str
