"""The pool: rows that may be labelled, encoded once, and what strategies and estimates need of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from activefs._kernels.completion import sum_labelled
from activefs.notebook import notebook_bar
from activefs.pool._advice import warn_left_out
from activefs.pool._fingerprint import NOW, fingerprint_of, old_fingerprint
from activefs.pool._open_rows import OpenRows
from activefs.pool._options import BinningOption, BinsOption
from activefs.pool._scores import RowScores
from activefs.tables import Encoding, LeftOut
from activefs.types import Array, Codes, Floats, Int32s, Ints, Missing, UInt64s


@dataclass(frozen=True, eq=False)
class PoolInfo:
    """What a pool knows of its features and rows without looking at them.

    Attributes
    ----------
    n_rows : int
        m, the number of rows.
    encodings : tuple of Encoding
        What the codes of each feature mean.
    value_counts : array of shape (cells,)
        Rows with each value, the values of all features one after the other.
    columns : array of shape (d,)
        Column of the table that each feature comes from.
    names : tuple of str
        Name of each feature.
    row_ids : sequence or None
        Name of each row; None if rows are known by their position.
    n_columns : int
        Columns of the table, those included that are no features.
    left_out : tuple of LeftOut
        Columns that are no features although nobody asked for that, and why.
    """

    n_rows: int
    encodings: tuple[Encoding, ...]
    value_counts: Ints
    columns: Ints
    names: tuple[str, ...]
    row_ids: Sequence[Any] | None
    n_columns: int
    left_out: tuple[LeftOut, ...] = ()

    def without_last(self) -> PoolInfo:
        """Say the same of a table whose last column, which is a feature here, is not there."""
        last = self.encodings[-1].n_values
        return replace(
            self,
            encodings=self.encodings[:-1],
            value_counts=self.value_counts[:-last],
            columns=self.columns[:-1],
            names=self.names[:-1],
            n_columns=self.n_columns - 1,
        )


class Pool(ABC):
    """Rows that may be labelled, encoded: what strategies and estimates see of a table.

    Build it with :meth:`from_table`. Columns with one value only are left out, since they can tell nothing, and so are
    text and whole numbers of which nearly every row has its own; `columns` says which columns of the table remain.

    Where the codes are depends on the table: in memory as a matrix, or as lists where columns are mostly one value, in
    a mapped file, or on the workers of a cluster. Strategies do not know which; they use what is declared here, and get
    the same answers from all.

    Parameters
    ----------
    info : PoolInfo
        What is known without looking at rows; everything in it is an attribute of the pool, too.

    Attributes
    ----------
    n_rows, n_features : int
        m, the rows, and d, the columns of the table that are features.
    columns : array of int, shape (d,)
        Column of the table that each feature comes from.
    names : tuple of str
        Name of each feature.
    encodings : tuple of Encoding
        What the codes of each feature mean.
    row_ids : sequence or None
        Name of each row; None if rows are known by their position.
    n_columns : int
        Columns of the table, those included that are no features.
    left_out : tuple of LeftOut
        Columns that are no features although nobody asked for that, and why.
    offsets : array of int, shape (d + 1,)
        Cell ``offsets[j] + v`` stands for value v of feature j in every array with one entry per
        cell; features may have different numbers of values, so nothing is padded.
    cardinalities : array of int, shape (d,)
        Number of values of each feature.
    value_counts : array of int, shape (cells,)
        Rows with each value.
    shares : array of float, shape (cells,)
        p_v(j), their share of all rows.
    modes : array of int, shape (d,)
        The most common value of each feature, the first of equally common ones.
    info : PoolInfo
        As given.

    See Also
    --------
    Session : Takes a pool instead of a table; many sessions may share one.
    activefs.pool.read_pool : Reads a table without a warning, or onto a cluster.
    activefs.pool.DensePool, activefs.pool.SparsePool, activefs.pool.MappedPool, activefs.pool.PartitionedPool

    Notes
    -----
    Guide: :doc:`/guide/tables` (what may be a table), :doc:`/guide/columns` (how columns are encoded),
    :doc:`/guide/large-pools` (what does not fit into memory).

    Examples
    --------
    >>> from activefs import Pool
    >>> pool = Pool.from_table([["a", 1], ["b", 1], ["a", 1], ["a", 1]])
    >>> pool.n_rows, pool.n_features, pool.names  # the second column does not vary
    (4, 1, ('x0',))
    >>> pool.codes.tolist(), pool.shares.tolist()
    ([[0, 1, 0, 0]], [0.75, 0.25])
    """

    kind: ClassVar[str]
    """Where the codes are, in a word."""

    def __init__(self, info: PoolInfo) -> None:
        self.info = info
        self.n_rows, self.n_columns = info.n_rows, info.n_columns
        self.encodings, self.columns, self.names = info.encodings, info.columns, info.names
        self.row_ids, self.left_out = info.row_ids, info.left_out
        self.value_counts = info.value_counts
        self.n_features = len(info.encodings)
        self.cardinalities: Ints = np.array([e.n_values for e in info.encodings], dtype=np.int64)
        self.offsets: Ints = np.concatenate([[0], np.cumsum(self.cardinalities)]).astype(np.int64)
        self.shares: Floats = info.value_counts / max(info.n_rows, 1)

    # --- what strategies and estimates need of rows ---

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.n_rows:,} rows, {self.n_features:,} features>"

    @abstractmethod
    def codes_of(self, rows: Ints, features: Ints | None = None) -> Codes:
        """Return the codes of some rows.

        Parameters
        ----------
        rows : array of int, shape (n,)
            The rows, in any order.
        features : array of int, optional
            Numbers of the features wanted; by default all.

        Returns
        -------
        array of uint8 or uint16, shape (features, n)
            One line per feature, in the order in which they were wanted.

        Examples
        --------
        >>> pool = Pool.from_table([["a", 1], ["b", 2], ["b", 1]])
        >>> pool.codes_of(np.array([2, 0])).tolist()
        [[1, 0], [0, 0]]
        """

    @abstractmethod
    def count_pairs(self, first: Ints, second: Ints, offset: Ints, counts: Int32s, workers: int = 1) -> None:
        """Count the pairs of values of each listed pair of features over all rows, exactly.

        Parameters
        ----------
        first, second : array of int
            Features of each pair.
        offset : array of int
            Where the counts of each pair begin in `counts`: entry (v, w) is at ``offset + v * |V_second| + w``.
        counts : array of int32
            Zero at the entries of these pairs; receives the counts.
        workers : int
            Threads.

        Examples
        --------
        >>> pool = Pool.from_table([[0, 0], [0, 1], [1, 1], [1, 1]])
        >>> counts = np.zeros(4, dtype=np.int32)
        >>> pool.count_pairs(np.array([0]), np.array([1]), np.array([0]), counts)
        >>> counts.tolist()
        [1, 1, 0, 2]
        """

    @abstractmethod
    def occurring_pairs(self, first: int, second: int) -> tuple[Ints, Ints]:
        """Return the pairs of values of two features that occur, and how often.

        For features of so many values that a table of all pairs would be larger than the pool.

        Parameters
        ----------
        first, second : int
            Numbers of the two features.

        Returns
        -------
        pairs, counts : array of int
            The pairs as ``v * |V_second| + w``, ascending, and the rows that have each of them.

        Examples
        --------
        >>> pool = Pool.from_table([[0, 0], [0, 1], [1, 1], [1, 1]])
        >>> pairs, counts = pool.occurring_pairs(0, 1)
        >>> pairs.tolist(), counts.tolist()
        ([0, 1, 3], [1, 1, 2])
        """

    @abstractmethod
    def best_row(
        self,
        scores: RowScores,
        open_rows: OpenRows,
        choose: Callable[[int], int],
        *,
        cost: Floats | None = None,
        workers: int = 1,
    ) -> int:
        """Return the open row with the largest score per cost.

        Parameters
        ----------
        scores : RowScores
            Gives every row a score, not negative, or the logarithm of one.
        open_rows : OpenRows
            Rows to choose from, at least one.
        choose : callable
            Gets the number of rows that tie, and says which of them is meant, from 0, in ascending order.
        cost : array of float, shape (n_rows,), optional
            What the label of each row costs; None: all the same.
        workers : int
            Threads.

        Returns
        -------
        int
            The row.
        """

    @abstractmethod
    def scores_of_all(self, scores: RowScores, workers: int = 1) -> Floats:
        """Return the scores of all rows, for whoever wants to see them.

        Parameters
        ----------
        scores : RowScores
            Gives every row a score.
        workers : int
            Threads.

        Returns
        -------
        array of float, shape (n_rows,)
            The scores.
        """

    @abstractmethod
    def without_last(self) -> Pool:
        """Return the pool of the same rows without the last feature, which must be the last column; nothing is copied.

        For a column that was encoded with the features and is none, such as labels that are known.

        Returns
        -------
        Pool
            With one feature less.

        Examples
        --------
        >>> pool = Pool.from_table([[0, "a"], [0, "b"], [1, "b"]])
        >>> pool.without_last().names, pool.without_last().codes.tolist()
        (('x0',), [[0, 0, 1]])
        """

    def sum_cells(self, rows: Ints, amounts: Floats) -> Floats:
        """Add up the amounts of some rows in the cells of their values.

        Parameters
        ----------
        rows : array of int, shape (n,)
            The rows.
        amounts : array of float, shape (n, amounts)
            What each of them adds.

        Returns
        -------
        array of float, shape (cells, amounts)
            The sums.

        Examples
        --------
        >>> pool = Pool.from_table([["a"], ["a"], ["b"], ["b"]])
        >>> pool.sum_cells(np.array([0, 1, 3]), np.array([[1.0], [2.0], [4.0]])).tolist()
        [[3.0], [4.0]]
        """
        sums = np.zeros((int(self.offsets[-1]), amounts.shape[1]))
        sum_labelled(self.codes_of(rows), self.offsets, amounts, sums)
        return sums

    def cells_of(self, row: int) -> Ints:
        """Return the cell of each feature that a row is in.

        Parameters
        ----------
        row : int
            The row.

        Returns
        -------
        array of int, shape (d,)
            Places in arrays with one entry per cell: `offsets` of the features, plus the codes of the row.

        Examples
        --------
        >>> pool = Pool.from_table([["a", 1], ["b", 2], ["b", 1]])
        >>> pool.cells_of(1).tolist()  # cells 0 and 1 are a and b, cells 2 and 3 are 1 and 2
        [1, 3]
        """
        return np.asarray(self.offsets[:-1] + self.codes_of(np.array([row]))[:, 0])

    @property
    def codes(self) -> Codes:
        """All codes, of shape (d, m), uint8 or uint16; if they are not in memory as they are, they are fetched."""
        return self.codes_of(np.arange(self.n_rows))

    # --- what it is ---

    @cached_property
    def modes(self) -> Ints:
        """The most common value of each feature, the first of equally common ones."""
        most = np.maximum.reduceat(self.value_counts, self.offsets[:-1]) if self.n_features else self.value_counts
        is_mode = self.value_counts == np.repeat(most, self.cardinalities)
        owner = np.repeat(np.arange(self.n_features), self.cardinalities)
        first = np.unique(owner[is_mode], return_index=True)[1]
        return np.asarray(np.flatnonzero(is_mode)[first] - self.offsets[:-1])

    @cached_property
    @abstractmethod
    def marks(self) -> UInt64s:
        """A checksum of the rows with each value, one per cell: the sum of random numbers that belong to their places.

        Such sums can be added up over parts of a table in any order.
        """

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the content: which rows have which values, what these mean, and names of features: str."""
        return fingerprint_of(self.info, self.marks)

    def has_fingerprint(self, expected: str) -> bool:
        """Whether this is the pool that a fingerprint was taken of, also by an earlier release.

        Parameters
        ----------
        expected : str
            The `fingerprint` of a pool.

        Returns
        -------
        bool
            True if the content is the same.

        Examples
        --------
        >>> one, other = Pool.from_table([["a"], ["b"]]), Pool.from_table([["b"], ["a"]])
        >>> one.has_fingerprint(one.fingerprint), other.has_fingerprint(one.fingerprint)
        (True, False)
        """
        if expected.startswith(NOW):
            return expected == self.fingerprint
        return expected == old_fingerprint(self.info, self._by_feature())

    def _by_feature(self) -> Iterable[Array]:
        """Give all codes of each feature, one after the other."""
        every = np.arange(self.n_rows)
        for j in range(self.n_features):
            yield self.codes_of(every, np.array([j]))[0]

    @classmethod
    def from_table(
        cls,
        X: Any,
        *,
        missing: Missing = "error",
        bins: BinsOption = 10,
        binning: BinningOption = "kmeans",
        names: Sequence[str] | None = None,
        row_ids: Iterable[Any] | None = None,
        ignore: Sequence[str | int] = (),
        categorical: Sequence[str | int] = (),
    ) -> Pool:
        """Encode a table.

        Parameters
        ----------
        X : table or path
            numpy array, pandas, polars or Arrow table, scipy sparse matrix, or list of rows; a Parquet or text file, a
            folder or pattern of them, or an address that fsspec knows; a polars LazyFrame, Arrow dataset or reader,
            DuckDB relation, Dask DataFrame or Array. Up to 50 million cells are read into memory; larger tables are
            encoded piece by piece into the user's cache folder and mapped, or stay on the workers of a Dask cluster.
            A column of numbers with more than `bins` distinct values is binned; booleans, strings and categories are
            taken as they are. Text and whole numbers of which nearly every row has its own are left out.
        missing : {"error", "value"}, default "error"
            What to do about missing values: raise an error that names the columns, or treat
            'missing' as a value of its own.
        bins : int or mapping, default 10
            Bins of a column of numbers, for all or by column (name or position). By chance alone a feature of V
            values shows about (V - 1)(C - 1) / (2n) nats of information about a label of C classes, known for n rows:
            many values, and it looks better than any other.
        binning : {"kmeans", "quantile", "uniform", "none"} or mapping, default "kmeans"
            How bins are placed, for all columns of numbers, or by column; "none" leaves a column as it is. A
            column that is named is never left out.
        names : sequence of str, optional
            Column names, instead of those of the table.
        row_ids : iterable, optional
            One name per row.
        ignore : sequence of str or int
            Columns, by name or position, that are no features.
        categorical : sequence of str or int
            Columns, by name or position, whose numbers are names (postcodes, codes of products): they are kept as they
            are, never left out, and their order means nothing.

        Returns
        -------
        Pool
            The encoded table; a :class:`Pool` that is given as `X` is returned as it is.

        Warns
        -----
        LeftOutWarning
            If columns are left out because nearly every row has a value of its own.
        DoubtfulColumnWarning
            If a column of a file may have been meant otherwise, such as numbers of which one is none.

        Raises
        ------
        InvalidInputError
            If the table is empty or ragged, has duplicate column names, or has columns that cannot
            be features; the message names them and says what to do.

        Examples
        --------
        >>> import pandas as pd
        >>> from activefs import Pool
        >>> X = pd.DataFrame({"id": ["p", "q", "r", "s"], "smokes": [0, 1, 1, 0], "age": [31, 47, 52, 80]})
        >>> pool = Pool.from_table(X, ignore=["id"], bins={"age": 2}, binning={"age": "quantile"})
        >>> pool.names, pool.codes.tolist()
        (('smokes', 'age'), [[0, 1, 1, 0], [0, 0, 1, 1]])
        """
        from activefs.pool._read import opened_with_doubts, read_pool

        with notebook_bar("reading the table") as told:
            pool = read_pool(
                X if isinstance(X, Pool) else opened_with_doubts(X, told, ignore, stacklevel=2),
                missing=missing,
                bins=bins,
                binning=binning,
                names=names,
                row_ids=row_ids,
                ignore=ignore,
                categorical=categorical,
                progress=told,
            )
        if pool is not X:
            warn_left_out(pool.left_out, stacklevel=2)
        return pool
