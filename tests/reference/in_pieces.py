"""A table encoded in chunks, without files, and what it must be equal to."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from activefs.exceptions import InvalidInputError
from activefs.pool import read_pool
from activefs.streams import EncodedColumns, encode_chunk, finish, plan_columns
from activefs.tables import ColumnOptions, explain
from activefs.types import Missing


@dataclass
class Result:
    """What a table became."""

    encoded: EncodedColumns
    codes: np.ndarray
    passes: int


def options_for(
    names: Iterable[str],
    *,
    missing: Missing = "error",
    bins: Any = 10,
    binning: Any = "kmeans",
    ignore: Sequence[str | int] = (),
    categorical: Sequence[str | int] = (),
) -> ColumnOptions:
    return ColumnOptions(list(names), bins, binning, missing == "value", ignore, categorical)


def encode_parts(
    parts: list[Any], sample: Any, *, exact: bool, order: Iterable[int] | None = None, **options: Any
) -> Result:
    """Encode parts of a table, each a chunk of its own, in any order."""
    names = [str(name) for name in (sample.column_names if hasattr(sample, "column_names") else sample.columns)]
    plans = plan_columns(sample, options_for(names, **options), exact=exact)
    passes = 0
    while True:
        passes += 1
        plans = pickle.loads(pickle.dumps(plans))
        sizes = [len(part) for part in parts]
        starts = np.cumsum([0, *sizes])
        coded: dict[int, Any] = {}
        for i in order if order is not None else range(len(parts)):
            coded[i] = encode_chunk(plans, [parts[i]], int(starts[i]), f"part {i}")
        encoded = finish(plans, pickle.loads(pickle.dumps([chunk.facts for chunk in coded.values()])))
        if encoded.again is None:
            break
        plans = encoded.again
        assert passes == 1
    codes = np.empty((len(encoded.rows), int(starts[-1])), dtype=np.int64)
    for i, chunk in coded.items():
        for feature, row in enumerate(encoded.rows):
            here = chunk.codes[row]
            table = encoded.remap(feature, int(starts[i]))
            codes[feature, starts[i] : starts[i + 1]] = here if table is None else table[here]
    return Result(encoded, codes, passes)


def words(n_rows: int) -> np.ndarray:
    """The word of each row, by plain numpy: SplitMix64."""
    with np.errstate(over="ignore"):
        x = (np.arange(n_rows, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))


def check_cells(encoded: EncodedColumns, codes: np.ndarray) -> None:
    """Counts and marks are those of the codes."""
    row_words = words(codes.shape[1])
    for feature, encoding in enumerate(encoded.encodings):
        assert np.array_equal(encoded.counts[feature], np.bincount(codes[feature], minlength=encoding.n_values))
        marks = np.zeros(encoding.n_values, dtype=np.uint64)
        np.add.at(marks, codes[feature], row_words)
        assert np.array_equal(encoded.marks[feature], marks)


def same_as_in_memory(table: Any, result: Result, **options: Any) -> None:
    """Everything is as it is had the table been read at once: features, or the kinds of errors."""
    encoded = result.encoded
    try:
        pool = read_pool(table, **options)
    except InvalidInputError as error:
        assert encoded.problems, str(error)
        said, expected = explain(encoded.problems), str(error)
        for kind in ("missing values", "infinite", "mixed", "cannot be features", "bins are for", "more than 65,535"):
            assert (kind in said) == (kind in expected), (said, expected)
        return
    assert not encoded.problems
    assert list(pool.names) == encoded.names
    assert pool.columns.tolist() == encoded.kept
    for mine, theirs in zip(encoded.encodings, pool.encodings, strict=True):
        assert repr(mine) == repr(theirs) and mine.ordered == theirs.ordered
    assert list(pool.left_out) == encoded.left_out
    assert np.array_equal(pool.codes, result.codes)
    check_cells(encoded, result.codes)
