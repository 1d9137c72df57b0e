"""A table that does not fit into memory is encoded into a folder: one look at a sample, one pass over all rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from activefs.exceptions import InvalidInputError
from activefs.streams._chunk import encode_chunk
from activefs.streams._codes_file import CodesFile
from activefs.streams._facts import ChunkFacts
from activefs.streams._finish import EncodedColumns, Gathering
from activefs.streams._in_turn import in_turn
from activefs.streams._plan import ColumnPlan, Plans, joined, plan_column
from activefs.streams._sample import is_whole, read_sample
from activefs.streams._source import StreamSource
from activefs.streams._store import CELLS, CODES, META, StoredCodes, describe, open_codes
from activefs.tables import ColumnOptions, check_table, explain

Progress = Callable[[int, int], None]
"""Is told, now and then, how many rows are done, of how many."""

# The sample of so many bytes of columns is in memory at once.
_SAMPLE_BYTES = 64 << 20
_TEXT_BYTES = 32
# Pieces per thread that are begun before the first of them is done.
_AHEAD = 4


def encode_source(
    source: StreamSource, options: ColumnOptions, folder: Path, *, threads: int = 2, progress: Progress | None = None
) -> StoredCodes:
    """Encode a table that is read in pieces, and keep the codes in a folder.

    Parameters
    ----------
    source : StreamSource
        The table.
    options : ColumnOptions
        What was said about its columns.
    folder : Path
        Where codes and their meaning are written. Whoever calls this sees to it that nobody opens it before.
    threads : int
        Pieces that are read at once.
    progress : callable, optional
        Is told how many rows are done, of how many.

    Raises
    ------
    InvalidInputError
        If the table is empty, has columns that cannot be features, or changes while it is read.
    ActiveFSError
        If the disk is too small.

    Examples
    --------
    >>> import pyarrow as pa, tempfile
    >>> from activefs.streams import TableSource
    >>> source = TableSource(pa.table({"size": ["s", "m", "s"], "price": [1, 2, 2]}))
    >>> options = ColumnOptions(source.names, 10, "kmeans", False, [])
    >>> stored = encode_source(source, options, Path(tempfile.mkdtemp()))
    >>> stored.codes.tolist(), stored.encodings[0].values
    ([[1, 0, 1], [0, 1, 1]], ('m', 's'))
    """
    check_table(source.n_rows, source.names)
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(threads) as pool:
        try:
            plans = plan_source(source, options, pool, threads)
            while (stored := _written(source, plans, folder, pool, threads, progress)) is not None:
                plans = stored
            found = open_codes(folder)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            for name in (CODES, CELLS, META):
                with suppress(OSError):
                    (folder / name).unlink()
            raise
    _give_back()
    assert found is not None
    return found


def _give_back() -> None:
    """Give the system back what Arrow keeps of pieces that were read, in case that more come."""
    import pyarrow as pa

    pa.default_memory_pool().release_unused()


def plan_source(source: StreamSource, options: ColumnOptions, pool: ThreadPoolExecutor, threads: int) -> Plans:
    """Plan all columns of a source, a few at a time, so that their sample fits into memory."""
    exact = is_whole(source)
    wanted = [(place, name) for place, name in enumerate(source.names) if place not in options.ignored]
    plans: list[ColumnPlan] = []
    for group in _groups(source, wanted):
        sample = read_sample(source, [name for _, name in group], threads)

        def plan(place: int, name: str, sample: Any = sample) -> ColumnPlan:
            return plan_column(name, sample.column(name), place, options.of(name), exact)

        plans.extend(pool.map(plan, *zip(*group, strict=True)))
        del sample, plan
        _give_back()
    return joined(plans, len(source.names))


def _groups(source: StreamSource, wanted: Sequence[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    from activefs.streams._sample import SAMPLE_ROWS

    rows, taken = min(source.n_rows, SAMPLE_ROWS), 0
    group: list[tuple[int, str]] = []
    for place, name in wanted:
        kind = source.schema.field(name).type
        try:
            needed = rows * max(1, kind.bit_width // 8)
        except ValueError:  # texts are of any length
            needed = rows * _TEXT_BYTES
        if group and taken + needed > _SAMPLE_BYTES:
            yield group
            group, taken = [], 0
        group.append((place, name))
        taken += needed
    if group:
        yield group


def _written(
    source: StreamSource, plans: Plans, folder: Path, pool: ThreadPoolExecutor, threads: int, progress: Progress | None
) -> Plans | None:
    """Write the codes and what they mean; return other plans if codes did not fit by these."""
    with CodesFile(folder / CODES, plans.n_coded, source.n_rows, plans.dtype) as file:
        encoded, chunks = _pass(source, plans, file, pool, threads, progress)
        if encoded.again is not None:
            return encoded.again
        source.check_unchanged()
        if encoded.problems:
            raise InvalidInputError(explain(encoded.problems))
        file.settle(encoded, chunks, pool)
        describe(folder, encoded, source.n_rows, len(source.names), plans.dtype)
    return None


def _pass(
    source: StreamSource,
    plans: Plans,
    file: CodesFile,
    pool: ThreadPoolExecutor,
    threads: int,
    progress: Progress | None,
) -> tuple[EncodedColumns, list[tuple[int, int]]]:
    def code(number: int) -> ChunkFacts:
        piece = source.pieces[number]
        if not plans.columns:
            return ChunkFacts(piece.first_row, piece.n_rows, piece.origin, [])
        batches = source.read(number, plans.names)
        return encode_chunk(plans, batches, piece.first_row, piece.origin, file.write).facts

    gathering = Gathering(plans, source.place_of)
    chunks: list[tuple[int, int]] = []
    done = 0
    with in_turn(code, range(len(source.pieces)), pool, _AHEAD * threads) as results:
        for number, facts in enumerate(results):
            _check_rows(source, number, facts)
            gathering.add(facts)
            chunks.append((facts.first_row, facts.n_rows))
            done += facts.n_rows
            if progress is not None:
                progress(done, source.n_rows)
    return gathering.finish(), chunks


def _check_rows(source: StreamSource, number: int, facts: ChunkFacts) -> None:
    piece = source.pieces[number]
    if facts.n_rows != piece.n_rows:
        source.check_unchanged()
        raise InvalidInputError(
            f"{piece.origin} has {facts.n_rows:,} rows where {piece.n_rows:,} were expected: was it changed meanwhile?"
        )
