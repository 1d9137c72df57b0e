"""Tables that the workers of a cluster read, each its own part: Dask collections, and sources."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from activefs.exceptions import InvalidInputError
from activefs.pool._cluster import Cluster
from activefs.streams import StreamSource
from activefs.tables import check_table


@dataclass(frozen=True, eq=False)
class PieceOf:
    """A piece of a source that a worker is going to read.

    Attributes
    ----------
    source : StreamSource
        The table.
    number : int
        Which piece.
    """

    source: StreamSource
    number: int


@dataclass(frozen=True, eq=False)
class ClusterTable:
    """A table in parts that workers can have.

    Attributes
    ----------
    names : tuple of str
        Its columns.
    parts : list of Delayed
        What a worker gets of each part: a data frame, an array, or a `PieceOf`.
    origins : list of str
        What people call each part.
    source : StreamSource or None
        The table, if it is one that is read in pieces: then the rows of all parts are known.
    renamed : tuple of str or None
        What the columns are called here, if not as in the parts.
    """

    names: tuple[str, ...]
    parts: list[Any]
    origins: list[str]
    source: StreamSource | None = None
    renamed: tuple[str, ...] | None = None

    @classmethod
    def of_source(cls, source: StreamSource) -> ClusterTable:
        """View a source, whose pieces are the parts."""
        from dask.delayed import delayed

        # One task that all others share: what is known of the files goes to each worker once.
        shared = delayed(source, name=f"activefs-source-{id(source)}-{source.n_rows}", traverse=False)
        parts = [delayed(PieceOf)(shared, number) for number in range(len(source.pieces))]
        return cls(source.names, parts, [piece.origin for piece in source.pieces], source)

    @classmethod
    def of_collection(cls, X: Any, names: Sequence[str] | None = None) -> ClusterTable:
        """View a Dask DataFrame or Array, whose partitions are the parts."""
        if _is_array(X):
            if X.ndim != 2:
                raise InvalidInputError(
                    f"Expected 2D array, got {X.ndim}D array instead (shape={X.shape}). "
                    "Reshape your data: one row per item, one column per feature."
                )
            own = tuple(f"x{j}" for j in range(int(X.shape[1])))
            parts = X.rechunk({1: -1}).to_delayed()[:, 0].tolist() if own else []
        elif _is(X, "dask.dataframe", "DataFrame"):
            own = tuple(str(name) for name in X.columns)
            parts = list(X.to_delayed())
        else:
            raise InvalidInputError("a Dask Series is one column: X.to_frame() makes a table of it")
        if names is not None and len(names) != len(own):
            raise InvalidInputError(f"{len(names)} feature names for {len(own)} columns")
        renamed = None if names is None else tuple(str(name) for name in names)
        check_table(1, renamed or own)  # how many rows there are is not known yet
        return cls(renamed or own, parts, [f"partition {i}" for i in range(len(parts))], renamed=renamed)


def is_collection(X: Any) -> bool:
    """Whether something is a Dask DataFrame, Series or Array.

    Examples
    --------
    >>> is_collection([[1, 2], [3, 4]])
    False
    """
    return _is_array(X) or any(_is(X, "dask.dataframe", name) for name in ("DataFrame", "Series"))


def _is_array(X: Any) -> bool:
    return _is(X, "dask.array", "Array")


def _is(X: Any, module: str, name: str) -> bool:
    """Whether something is of a class whose library, if it is, was imported by whoever made it."""
    kind = getattr(sys.modules.get(module), name, None)
    return isinstance(kind, type) and isinstance(X, kind)


def rows_in(part: Any, columns: Sequence[str], renamed: Sequence[str] | None = None) -> Iterable[Any]:
    """Give the rows of a part, on a worker, as tables that have these columns and maybe others."""
    if isinstance(part, PieceOf):
        return part.source.read(part.number, columns)
    return [with_names(part, renamed)]


def with_names(part: Any, names: Sequence[str] | None) -> Any:
    """Give the columns of a partition other names, if there are as many."""
    if names is None or part.shape[1] != len(names):
        return part
    import pandas as pd

    if isinstance(part, pd.DataFrame):
        return part.set_axis(list(names), axis=1)
    return pd.DataFrame(part, columns=list(names))


def heading(X: Any) -> Any:
    """Return a table in memory that has the columns of a collection, and no rows."""
    names = ClusterTable.of_collection(X).names
    if _is_array(X):
        return np.empty((0, len(names)))
    import pandas as pd

    return pd.DataFrame(columns=list(X.columns))


def some_columns(X: Any, places: Sequence[int]) -> Any:
    """Return the collection that has some columns of another."""
    return X[:, list(places)] if _is_array(X) else X.iloc[:, list(places)]


def fetched(X: Any, what: str, cluster: Cluster) -> Any:
    """Compute a collection whole, and fetch it."""
    (found,) = cluster.results(cluster.compute([X]), origins=[what])
    return found


def one_column(X: Any, name: str, cluster: Cluster) -> Any:
    """Fetch one column of a collection, as a table."""
    table = ClusterTable.of_collection(X)
    if name not in table.names:
        raise InvalidInputError(f"there is no column {name!r}; the table has: {', '.join(table.names[:20])}")
    found = fetched(some_columns(X, [table.names.index(name)]), f"column {name!r}", cluster)
    return with_names(found, [name])
