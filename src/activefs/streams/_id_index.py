"""Where ids are in a table that is read in pieces: words of 64 bits in order, with their rows, in mapped files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from activefs._kernels.id_index import count_buckets, into_buckets, words_of_integers, words_of_texts
from activefs.codec import text_of
from activefs.exceptions import InvalidInputError
from activefs.files import take_room
from activefs.folder_cache import FolderCache
from activefs.streams._digests import Progress
from activefs.streams._source import StreamSource
from activefs.tables import read_table, with_one_id, without_id
from activefs.types import Array, Ints

RowName = str | int | float
_PART = "ids"
_FORMAT = "1"
_WORDS, _ROWS, _BY_ROW = "words.npy", "rows.npy", "by-row.npy"
_IN_A_BUCKET, _MOST_BITS = 1 << 15, 14
_AT_ONCE = 1 << 20
_CANDIDATES, _LOOKED_AT = 1000, 1000


@dataclass(frozen=True, eq=False)
class IdIndex:
    """Hashes of ids in ascending order, and the row of each.

    Attributes
    ----------
    words, rows : arrays
        Mapped, not in memory.
    """

    words: Array
    rows: Array

    def rows_of(self, text: str) -> list[int]:
        """Rows whose id may be this text; few others have the same hash."""
        word = word_of(text)
        start, stop = (int(np.searchsorted(self.words, word, side=side)) for side in ("left", "right"))
        return [int(row) for row in self.rows[start : min(stop, start + _LOOKED_AT)]]


def open_index(source: StreamSource, column: str, progress: Progress | None = None) -> IdIndex:
    """Find the index of a column's ids in the cache, or make it.

    Raises
    ------
    InvalidInputError
        If a row has no id, or two rows have the same.
    """
    said = f"{_FORMAT} {source.key()} {column}".encode("utf-8", "surrogatepass")
    key = hashlib.blake2b(said, digest_size=20).hexdigest()
    cache = FolderCache(_PART)
    if (found := _mapped(cache, key, source.n_rows)) is None:
        with cache.make(key) as made:
            _make(made, source, column, progress)
        found = _mapped(cache, key, source.n_rows)
    if found is None:
        raise InvalidInputError(f"the index of the ids in {column!r} was deleted from the cache at once: try again")
    return found


def _mapped(cache: FolderCache, key: str, rows: int) -> IdIndex | None:
    folder = cache.get(key)
    if folder is None:
        return None
    try:
        found = IdIndex(*(np.load(folder / name, mmap_mode="r", allow_pickle=False) for name in (_WORDS, _ROWS)))
    except (OSError, ValueError):
        found = None
    if found is None or found.words.shape != (rows,) or found.rows.shape != (rows,):
        cache.drop(key)
        return None
    cache.hold(folder, by=found)
    return found


def _make(folder: Path, source: StreamSource, column: str, progress: Progress | None) -> None:
    size = source.n_rows
    bits = min(_MOST_BITS, max(1, (size // _IN_A_BUCKET).bit_length()))
    shift = 64 - bits
    counts = np.zeros(1 << bits, np.int64)
    by_row = _new(folder / _BY_ROW, np.uint64, size)
    for start, words in _words(source, column):
        by_row[start : start + len(words)] = words
        count_buckets(words, shift, counts)
        if progress is not None:
            progress(f"indexing the ids in {column!r}", 0.7 * (start + len(words)) / size)
    words = _new(folder / _WORDS, np.uint64, size)
    rows = _new(folder / _ROWS, np.uint32 if size <= 1 << 32 else np.int64, size)
    ends = np.cumsum(counts) - counts
    for start in range(0, size, _AT_ONCE):
        into_buckets(np.array(by_row[start : start + _AT_ONCE]), start, shift, ends, words, rows)
    del by_row
    (folder / _BY_ROW).unlink()
    same = _sort_buckets(words, rows, ends, counts)
    _refuse_same(source, column, words, rows, same)
    for array in (words, rows):
        array.flush()


def _new(path: Path, kind: Any, size: int) -> Any:
    """Make a mapped array: what is in it is in the file, and takes no memory that others need.

    Its room on the disk is taken now: to write to a map on a full disk ends the process.
    """
    array = np.lib.format.open_memmap(path, mode="w+", dtype=kind, shape=(size,))
    with path.open("r+b") as file:
        if not take_room(file.fileno(), end := path.stat().st_size):
            file.seek(at := end - array.nbytes)
            for start in range(at, end, _AT_ONCE):
                file.write(bytes(min(_AT_ONCE, end - start)))
    return array


def _words(source: StreamSource, column: str) -> Iterator[tuple[int, Array]]:
    """Hashes of all ids, in the order of rows; refuses missing ones."""
    missing, first = 0, -1
    for number, piece in enumerate(source.pieces):
        start = piece.first_row
        for batch in source.read(number, [column]):
            values = batch.column(0)
            if values.null_count:
                if not missing:
                    first = start + int(np.flatnonzero(values.is_null().to_numpy(zero_copy_only=False))[0])
                missing += values.null_count
            elif not missing:
                yield start, _hashed(values)
            start += batch.num_rows
    if missing:
        raise without_id(column, missing, first)


def _hashed(values: Any) -> Array:
    import pyarrow as pa

    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if pa.types.is_integer(values.type):
        return _of_integers(values.to_numpy(zero_copy_only=False))
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        return _of_texts(values.cast(pa.large_string()))
    return _of_few([text_of(name) for name in names_of(values)])


def _of_integers(numbers: Array) -> Array:
    negative = numbers < 0
    sizes = numbers.astype(np.uint64)  # wraps around, as does the next
    np.negative(sizes, out=sizes, where=negative)
    words = np.empty(len(numbers), np.uint64)
    words_of_integers(sizes, negative, words)
    return words


def _of_texts(texts: Any) -> Array:
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, np.int64, len(texts) + 1, 8 * texts.offset)
    content = np.frombuffer(b"" if data is None else data, np.uint8)
    words, beyond = np.empty(len(texts), np.uint64), np.empty(len(texts), bool)
    words_of_texts(ends, content, words, beyond)
    if beyond.any():  # accents have two forms, and there are spaces beyond ASCII
        where = np.flatnonzero(beyond)
        words[where] = _of_few([text_of(text) for text in texts.take(where).to_pylist()])
    return words


def _of_few(texts: list[str]) -> Array:
    """Hash texts that are in their one form already."""
    if not texts:
        return np.empty(0, np.uint64)
    plain = [text.encode("utf-8", "surrogatepass") for text in texts]
    offsets = np.cumsum([0, *map(len, plain)])
    words, beyond = np.empty(len(texts), np.uint64), np.empty(len(texts), bool)
    words_of_texts(offsets, np.frombuffer(b"".join(plain), np.uint8), words, beyond)
    for i in np.flatnonzero(beyond):
        words[i] = np.frombuffer(hashlib.blake2b(plain[i], digest_size=8).digest(), np.uint64)[0]
    return words


def word_of(text: str) -> np.uint64:
    """Hash one text, as for a whole column."""
    return np.uint64(_of_few([text])[0])


def names_of(values: Any) -> list[RowName]:
    """Names of rows from a column without missing values: text and numbers as they are, others as they are written."""
    import pyarrow as pa

    (column,) = read_table(pa.table({"id": values})).columns()
    return [name if isinstance(name, str | int | float) else str(name) for name in column.values.tolist()]


def _sort_buckets(words: Array, rows: Array, ends: Ints, counts: Ints) -> list[int]:
    """Sort each bucket by itself; returns places in which the word is the one before it, by ascending row."""
    same = np.empty((0, 2), np.int64)  # second row, place
    for stop, count in zip(ends.tolist(), counts.tolist(), strict=True):
        start = stop - count
        order = np.argsort(words[start:stop], kind="stable")
        words[start:stop], rows[start:stop] = words[start:stop][order], rows[start:stop][order]
        again = np.flatnonzero(words[start + 1 : stop] == words[start : max(start, stop - 1)]) + start + 1
        if again.size:
            found = np.column_stack((rows[again].astype(np.int64), again))
            same = np.concatenate((same, found))
            same = same[np.argsort(same[:, 0])][:_CANDIDATES]
    return [int(place) for place in same[:, 1]]


def _refuse_same(source: StreamSource, column: str, words: Array, rows: Array, same: list[int]) -> None:
    """Refuse ids that two rows have; words may be the same by chance, so that the ids themselves are read."""
    for place in same:
        start, stop = (int(np.searchsorted(words, words[place], side=side)) for side in ("left", "right"))
        group = sorted(int(row) for row in rows[start : min(stop, start + _LOOKED_AT)])
        seen: dict[str, int] = {}
        for row, name in zip(group, names_of(source.take(group, [column]).column(0)), strict=True):
            before = seen.setdefault(text_of(name), row)
            if before != row:
                raise with_one_id(column, before, row, name)
