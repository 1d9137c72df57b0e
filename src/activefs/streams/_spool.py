"""Streams of record batches, kept as a Parquet file in the cache so that they can be read again, in pieces."""

from __future__ import annotations

import base64
import errno
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from activefs.exceptions import ActiveFSError, InvalidInputError
from activefs.folder_cache import FolderCache
from activefs.streams._content import ROWS, Content, in_groups
from activefs.streams._files import DataFile
from activefs.streams._parquet_source import ParquetSource
from activefs.streams._schemas import is_text, refuse_duplicates
from activefs.tables import Doubt, type_without_views

PART = "tables"
_TABLE, _ABOUT = "table.parquet", "about.json"


class SpooledSource(ParquetSource):
    """A table that was kept in the cache, where it stays at least as long as this is in use.

    Parameters
    ----------
    folder : Path
        Where it was kept.
    description : str
        What people call the table.
    origin : sequence of DataFile
        The files that it was made of, if these must not change.
    """

    def __init__(self, folder: Path, description: str, origin: Iterable[DataFile] = ()) -> None:
        self._folder = folder
        FolderCache(PART).hold(folder, by=self)
        super().__init__([DataFile.local(folder / _TABLE)], description)
        self.pieces = tuple(replace(piece, origin=description) for piece in self.pieces)
        about = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))
        self._content, self._origin = str(about["key"]), tuple(origin)
        self._starts_of_files = [int(row) for row in about["starts"]]
        self.schema = _schema(about["schema"])  # Parquet has no times in seconds, and gives back others
        self.notes = tuple(about["notes"])
        self.doubts = tuple(_doubt(**said) for said in about["doubts"])

    @cached_property
    def origins(self) -> tuple[tuple[int, str], ...]:
        """Where each of the files begins that the copy was made of, whatever they were called then."""
        found = zip(self._starts_of_files, (file.name for file in self._origin), strict=True)
        return tuple(found) if self._origin else super().origins

    def read(self, piece: int, columns: Sequence[str]) -> Iterator[Any]:
        """Read some columns of a row group; a copy that is damaged is deleted, so that the next one is whole."""
        try:
            yield from super().read(piece, columns)
        except InvalidInputError as error:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise ActiveFSError(
                f"the copy of {self.description} in the cache folder was damaged, and is deleted: start again"
            ) from error

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        FolderCache(PART).hold(self._folder, by=self)

    def key(self) -> str:
        """Name the content."""
        return self._content

    def check_unchanged(self) -> None:
        """Look at the files that the copy was made of; the copy is ours."""
        for file in self._origin:
            file.check_unchanged()


def _schema(written: str) -> Any:
    import pyarrow as pa

    return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(written)))


def _doubt(column: str, value: str, line: int, advice: str) -> Doubt:
    return Doubt(column, value, partial(int, line), advice)  # other processes get it too


@dataclass(frozen=True)
class About:
    """What should be known of a table that is kept.

    Attributes
    ----------
    notes, doubts : tuples
        What people should know about how files were read, and about columns.
    starts : tuple of int
        The first row of each file that it was made of.
    """

    notes: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    starts: tuple[int, ...] = ()


def find_spool(key: str, description: str, origin: Iterable[DataFile] = ()) -> SpooledSource | None:
    """Return what was kept under a key; None if there is nothing, or if it is damaged."""
    folder = FolderCache(PART).get(key)
    if folder is None:
        return None
    try:
        return SpooledSource(folder, description, origin)
    except (ActiveFSError, OSError, ValueError, KeyError, TypeError):  # somebody was at the cache: make it anew
        FolderCache(PART).drop(key)
        return None


def spool(
    batches: Iterable[Any],
    schema: Any,
    description: str,
    key: str | None = None,
    about: Callable[[], About] = About,
    origin: Iterable[DataFile] = (),
) -> SpooledSource:
    """Keep a stream of record batches, as a whole or not at all.

    Parameters
    ----------
    batches : iterable of record batches
        They are read once, and never all at once.
    schema : Arrow schema
        Theirs.
    description : str
        What people call the table.
    key : str, optional
        What the content is called, if that is known beforehand; by default it is found out while it is written.
    about : callable
        Asked at the end for what should be known of the table.
    origin : sequence of DataFile
        The files that the rows come from.
    """
    import pyarrow as pa

    refuse_duplicates(description, schema.names)
    stored = pa.schema([pa.field(field.name, _storable(field.type)) for field in schema])

    def fill(path: Path) -> tuple[str, Any]:
        content = None if key is not None else Content(stored)
        with _writing(description), _writer(path, stored) as writer:
            for group in in_groups(_as_stored(batches, schema, stored), stored):
                writer.write_table(group, row_group_size=ROWS)
                if content is not None:
                    content.add(group)
        return key or (content.key() if content is not None else ""), stored

    return _kept(fill, description, about, origin)


def spool_file(fill: Callable[[Path], None], description: str) -> SpooledSource:
    """Keep a Parquet file that polars writes, by its content."""

    def fill_and_read(path: Path) -> tuple[str, Any]:
        with _writing(description):
            fill(path)
        written = ParquetSource([DataFile.local(path)], description)
        written.schema = _without_order(written.schema)
        content = Content(written.schema)
        batches = (batch for piece in range(len(written.pieces)) for batch in written.read(piece, written.names))
        for group in in_groups(batches, written.schema):
            content.add(group)
        return content.key(), written.schema

    return _kept(fill_and_read, description, About, ())


def _kept(
    fill: Callable[[Path], tuple[str, Any]],
    description: str,
    about: Callable[[], About],
    origin: Iterable[DataFile],
) -> SpooledSource:
    cache, found = FolderCache(PART), [""]
    for _ in range(2):
        with cache.make(lambda: found[0]) as made:
            found[0], schema = fill(made / _TABLE)
            known = about()
            said = [{"column": d.column, "value": d.value, "line": d.line(), "advice": d.advice} for d in known.doubts]
            columns = base64.b64encode(schema.serialize()).decode()
            about_it = {"key": found[0], "schema": columns, "notes": known.notes, "doubts": said}
            (made / _ABOUT).write_text(json.dumps({**about_it, "starts": known.starts}), encoding="utf-8")
            ParquetSource([DataFile.local(made / _TABLE)], description)  # refuses what has no rows
            find_spool(found[0], description, origin)  # what is there already stays, unless it is damaged
        folder = cache.get(found[0])
        if folder is not None:
            break
    else:
        raise ActiveFSError(f"the copy of {description} was deleted from the cache at once: try again")
    return SpooledSource(folder, description, origin)


@contextmanager
def _writer(path: Path, schema: Any) -> Iterator[Any]:
    import pyarrow.parquet as pq

    writer = pq.ParquetWriter(path, schema, compression="zstd", compression_level=1, write_page_checksum=True)
    try:
        yield writer
    except BaseException:
        with suppress(Exception):  # what is not written any more may fail once more
            writer.close()
        raise
    writer.close()


@contextmanager
def _writing(description: str) -> Iterator[None]:
    import pyarrow as pa

    try:
        yield
    except pa.ArrowNotImplementedError as error:
        said = str(error).splitlines()[0]
        raise InvalidInputError(f"{description} holds a column that cannot be kept: leave it out ({said})") from error
    except Exception as error:
        if "no space left" in str(error).lower():  # also from libraries that have errors of their own
            raise OSError(errno.ENOSPC, "No space left on device") from error
        raise


def _without_order(schema: Any) -> Any:
    """Return columns whose categories have no order: in memory, those of polars have none, either."""
    import pyarrow as pa

    def plain(kind: Any) -> Any:
        return pa.dictionary(kind.index_type, kind.value_type) if pa.types.is_dictionary(kind) else kind

    return pa.schema([field.with_type(plain(field.type)) for field in schema])


def _storable(kind: Any) -> Any:
    """Return the type that Parquet gives back: not every release writes views, and an order of numbers is not kept."""
    import pyarrow as pa

    kind = type_without_views(kind)
    if pa.types.is_dictionary(kind):
        return pa.dictionary(pa.int32(), kind.value_type, kind.ordered and is_text(kind.value_type))
    return kind


def _as_stored(batches: Iterable[Any], schema: Any, stored: Any) -> Iterator[Any]:
    import pyarrow as pa

    same = schema.equals(stored)
    for batch in batches:
        if same:
            yield batch
        else:
            columns = [column.cast(field.type) for column, field in zip(batch.columns, stored, strict=True)]
            yield pa.RecordBatch.from_arrays(columns, schema=stored)
