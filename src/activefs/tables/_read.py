"""Reading files that hold tables; what goes wrong becomes a sentence that names the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from activefs.constraints import RULES
from activefs.exceptions import InvalidInputError
from activefs.tables._dialect import UNSAID, Dialect
from activefs.tables._doubts import Doubt, sentences
from activefs.tables._kinds import ARROW, JSON_LINES, FileKind, refuse_other_kinds
from activefs.tables._places import with_origins
from activefs.tables._views import schema_without_views


@dataclass(frozen=True, eq=False)
class FileTable:
    """A table that was read from a file.

    Attributes
    ----------
    table : Arrow table
        What is in it.
    dialect : Dialect
        How it is written, whether that was said or found out: with it the same file is read in the same way.
    notes : tuple of str
        What people should know about the file.
    doubts : tuple of Doubt
        What people should know about columns.
    sheets : tuple of str
        Sheets of a workbook that hold something.
    """

    table: Any
    dialect: Dialect = UNSAID
    notes: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    sheets: tuple[str, ...] = ()

    def doubted(self, but: Collection[str | int | None] = ()) -> tuple[str, ...]:
        """Say what people should know about columns, but for those that are no features."""
        return sentences(self.doubts, but)

    @property
    def hints(self) -> tuple[str, ...]:
        """What to say if all of a text file is one column, since then another separator was meant as a rule."""
        if self.dialect.sep is None or self.table.num_columns > 1:
            return ()
        return ("All was read as one column: if there are more, sep=... says what is between them.",)

    def refused(self, message: str) -> InvalidInputError:
        """Make an error about the table; how it was read may be the reason, and is told too."""
        also = (*self.notes, *self.hints)
        return InvalidInputError(" ".join((f"{message}.", *also)) if also else message)


@contextmanager
def reading(path: Path, kind: FileKind) -> Iterator[None]:
    """Turn what readers complain about into a sentence that names the file."""
    import pyarrow as pa

    failures: tuple[type[Exception], ...] = (OSError, ValueError, NotImplementedError, TypeError, MemoryError)
    if kind.suffix == ".mat":
        from scipy.io.matlab import MatReadError

        failures = (*failures, MatReadError)
    try:
        yield
    except (pa.ArrowException, *failures) as error:
        if isinstance(error, InvalidInputError):
            raise
        raise InvalidInputError(f"{path} cannot be read as {kind.name}: {_plainly(error)}") from error


def _plainly(error: Exception) -> str:
    """Say what a reader complains about; what it says of its own inside leaves people alone."""
    if isinstance(error, MemoryError):
        return "there is too little memory for it"
    said = str(error).splitlines()[0] if str(error) else type(error).__name__
    return "one of its lines is far too long" if "straddles two block boundaries" in said else said


def read_columns(path: Path, kind: FileKind, dialect: Dialect, rules: int = RULES) -> FileTable:
    """Read a file of any kind but MATLAB's; settings that have no meaning for its kind do nothing."""
    with reading(path, kind):
        try:
            found = _read(path, kind, dialect, rules)
        except InvalidInputError as error:
            raise ValueError(str(error)) from error  # for the sentence that names the file
    _check(path, found)
    return replace(found, table=with_origins(found.table, [(0, str(path))]))


def _read(path: Path, kind: FileKind, dialect: Dialect, rules: int) -> FileTable:
    if kind.suffix == ".parquet":
        import pyarrow.parquet as pq

        with pq.ParquetFile(path) as file:  # read_table stumbles over columns of the same name
            return FileTable(file.read())
    if kind.suffix in ARROW:
        return FileTable(_arrow(path))
    if kind.suffix == ".xlsx":
        from activefs.tables._excel import read_excel

        table, sheet, sheets, doubts = read_excel(path, dialect.sheet)
        others = [name for name in sheets if name != sheet]
        also = f"{path.name} was read from its sheet {sheet!r}; it has others: {', '.join(map(repr, others))}."
        notes = (also,) if others and dialect.sheet is None else ()
        return FileTable(table, Dialect(sheet=sheet), notes, tuple(doubts), tuple(sheets))
    content = _content(path, kind)
    refuse_other_kinds(content)
    if kind.suffix in JSON_LINES:
        from activefs.tables._json_lines import read_json_lines

        table, encoding, doubts = read_json_lines(content, dialect.encoding)
        found = Dialect(encoding=encoding)
    else:
        from activefs.tables._text_table import read_text_table

        table, found, doubts = read_text_table(content, kind.suffix, dialect, rules)
    words = found.in_words()
    return FileTable(table, found, (f"{path.name} was read with {words}.",) if words else (), tuple(doubts))


def _content(path: Path, kind: FileKind) -> bytes:
    """All bytes of a file, unpacked."""
    if kind.compression is None:
        return path.read_bytes()
    import pyarrow as pa

    try:
        with pa.input_stream(path, compression=kind.compression) as stream:
            content: bytes = stream.read()
            return content
    except OSError as error:
        raise damaged(kind, error) from error


def damaged(kind: FileKind, error: OSError) -> InvalidInputError:
    """Say why a compressed file cannot be unpacked."""
    truncated = "truncated" in str(error).lower()
    what = "the file ends in the middle, copy it anew" if truncated else f"it is not compressed with {kind.compression}"
    return InvalidInputError(f"{what} ({str(error).splitlines()[0]})")


def _arrow(path: Path) -> Any:
    """Read an Arrow file, an Arrow stream, or a Feather file of the first version."""
    import pyarrow as pa
    import pyarrow.feather as feather

    with path.open("rb") as file:
        start = file.read(6)
    if start.startswith(b"FEA1"):
        return feather.read_table(path)
    try:
        with pa.OSFile(str(path)) as source:
            found = (pa.ipc.open_file if start == b"ARROW1" else pa.ipc.open_stream)(source).read_all()
            return found.cast(schema_without_views(found.schema))
    except pa.ArrowInvalid as error:
        raise InvalidInputError(f"it is no Arrow file, or cut off: write it anew ({error})") from error


def _check(path: Path, found: FileTable) -> None:
    names = found.table.column_names
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        what = f"names a column {twice[0]!r}" if twice[0] else "has a column without a name"
        raise found.refused(f"the header of {path} {what} more than once: rename one of them")
    if found.table.num_rows == 0:
        raise found.refused(f"{path} has {len(names)} column{'s' if len(names) != 1 else ''}, but no rows")
