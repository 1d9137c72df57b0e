"""Parquet files as a source: their row groups are its pieces."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from activefs.exceptions import InvalidInputError
from activefs.streams._digests import Progress, digest_of
from activefs.streams._files import DataFile
from activefs.streams._schemas import unified
from activefs.streams._source import Piece, StreamSource
from activefs.tables import schema_without_views

_ROWS = 1 << 17
_OPEN = 64
_AT_ONCE = 8
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


class ParquetSource(StreamSource):
    """Parquet files with the same columns, one below the other.

    Parameters
    ----------
    files : list of DataFile
        In the order of their rows. What their folders say (``year=2020/``) becomes columns at the end.
    description : str
        What people call all of it.
    progress : callable, optional
        Is told what is done, and which share of it.
    """

    def __init__(self, files: list[DataFile], description: str, progress: Progress | None = None) -> None:
        self._files, self.description, self._progress = files, description, progress
        with ThreadPoolExecutor(min(_AT_ONCE, len(files))) as pool:
            found = list(pool.map(_about, files))
        self._about = [about for about, _ in found]
        inside = unified([file.name for file in files], [schema for _, schema in found])
        self._hive = _hive_columns(files, inside.names)
        self.schema = inside
        for name, values in self._hive.items():
            self.schema = self.schema.append(_field(name, values.type))
        self._groups: list[tuple[int, int]] = []  # the file of each piece, and its row group
        pieces, row = [], 0
        for number, (file, about) in enumerate(zip(files, self._about, strict=True)):
            for group in range(about.num_row_groups):
                rows = about.row_group(group).num_rows
                pieces.append(Piece(row, rows, file.name))
                self._groups.append((number, group))
                row += rows
        self.pieces = tuple(pieces)
        if row == 0:
            count = len(self.schema)
            raise InvalidInputError(f"{description} has {count} column{'s' if count != 1 else ''}, but no rows")
        self._handles = _Handles(files, self._about)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_progress": None}  # who is told lives in this process

    def read(self, piece: int, columns: Sequence[str]) -> Iterator[Any]:
        """Read some columns of a row group, some hundred thousand cells at a time."""
        import pyarrow as pa

        number, group = self._groups[piece]
        wanted = pa.schema([self.schema.field(name) for name in columns])
        inside = [name for name in columns if name not in self._hive]
        if not inside:  # nothing is in the file but how many rows there are
            rows = self.pieces[piece].n_rows
            if wanted and rows:
                values = [pa.repeat(self._hive[name][number], rows) for name in columns]
                yield pa.RecordBatch.from_arrays(values, schema=wanted)
            return
        with self._handles.of(number) as handle, _explaining(self._files[number]):
            # What is read belongs to one thread; several threads read several pieces.
            how = {"batch_size": _ROWS, "row_groups": [group], "columns": inside, "use_threads": False}
            for batch in handle.iter_batches(**how):
                yield self._as_wanted(batch, number, wanted)

    def _as_wanted(self, batch: Any, number: int, wanted: Any) -> Any:
        import pyarrow as pa

        values = []
        for field in wanted:
            if field.name in self._hive:
                values.append(pa.repeat(self._hive[field.name][number], batch.num_rows))
                continue
            column = batch.column(field.name)
            if column.type != field.type:
                try:
                    column = _as_type(column, field.type)
                except pa.ArrowException as error:
                    raise InvalidInputError(
                        f"column {field.name!r} of {self._files[number].name} holds values that are no {field.type}, "
                        f"as it is in other files: write it with the same type in all files ({error})"
                    ) from error
            values.append(column)
        return pa.RecordBatch.from_arrays(values, schema=wanted)

    @cached_property
    def _key(self) -> str:
        return digest_of(self._files, "parquet", self._progress)

    def key(self) -> str:
        """Name the content by the bytes of all files."""
        return self._key

    def check_unchanged(self) -> None:
        """Look at every file."""
        for file in self._files:
            file.check_unchanged()


class _Handles:
    """Open files: each is used by one thread at a time, and some stay open for the next."""

    def __init__(self, files: Sequence[DataFile], about: Sequence[Any]) -> None:
        self._files, self._about = files, about
        self._idle: list[tuple[int, Any]] = []
        self._lock = threading.Lock()

    @contextmanager
    def of(self, number: int) -> Iterator[Any]:
        with self._lock:
            at = next((at for at, (of, _) in enumerate(self._idle) if of == number), None)
            handle = None if at is None else self._idle.pop(at)[1]
        if handle is None:
            handle = self._open(number)
        try:
            yield handle
        except Exception:
            handle.close(force=True)
            raise
        except GeneratorExit:  # whoever read has seen enough
            self._put_back(number, handle)
            raise
        self._put_back(number, handle)

    def _put_back(self, number: int, handle: Any) -> None:
        with self._lock:
            self._idle.append((number, handle))
            surplus = self._idle.pop(0)[1] if len(self._idle) > _OPEN else None
        if surplus is not None:
            surplus.close(force=True)

    def _open(self, number: int) -> Any:
        import pyarrow.parquet as pq

        file = self._files[number]
        with _explaining(file):
            return pq.ParquetFile(
                file.open(), metadata=self._about[number], pre_buffer=False, page_checksum_verification=True
            )

    def __getstate__(self) -> dict[str, Any]:
        return {"_files": self._files, "_about": self._about}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["_files"], state["_about"])  # type: ignore[misc]


def _about(file: DataFile) -> tuple[Any, Any]:
    import pyarrow.parquet as pq

    with _explaining(file), pq.ParquetFile(file.open(), pre_buffer=False) as opened:
        return opened.metadata, schema_without_views(opened.schema_arrow.remove_metadata())


@contextmanager
def _explaining(file: DataFile) -> Iterator[None]:
    """Turn what Arrow says into a sentence that names the file; that it changed explains everything."""
    import pyarrow as pa

    try:
        yield
    except InvalidInputError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        file.check_unchanged()
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InvalidInputError(
            f"{file.name} cannot be read as parquet: it is damaged or cut off, copy or write it anew ({said})"
        ) from error


def _hive_columns(files: list[DataFile], inside: Sequence[str]) -> dict[str, Any]:
    """Columns that are named by folders, one value per file: whole numbers if all of them are, else text."""
    import pyarrow as pa

    names = [name for name, _ in files[0].hive]
    for file in files:
        if [name for name, _ in file.hive] != names:
            raise InvalidInputError(
                f"the folders of {files[0].name} and of {file.name} name different columns: name them alike (a=1/b=2/)"
            )
    if both := [name for name in names if name in inside]:
        raise InvalidInputError(
            f"column {both[0]!r} is in {files[0].name} and in the names of its folders: rename one of them"
        )
    found = {}
    for at, name in enumerate(names):
        values = [None if file.hive[at][1] == _NO_VALUE else file.hive[at][1] for file in files]
        column = pa.array(values, pa.string())
        known = [value for value in values if value is not None]
        if known and all(str(int(value)) == value if value.lstrip("-").isdecimal() else False for value in known):
            column = column.cast(pa.int64())  # 01 is a code
        found[name] = column
    return found


def _as_type(column: Any, kind: Any) -> Any:
    """Give a column its type; of categories, Parquet keeps those that are text, and of others the values."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind) and not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    return column.cast(kind)


def _field(name: str, kind: Any) -> Any:
    import pyarrow as pa

    return pa.field(name, kind)
