"""Text files of any size as a source: parsed once, part by part, and kept as Parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from activefs.exceptions import InvalidInputError
from activefs.streams._digests import Progress, digest_of, share_of
from activefs.streams._file_source import how_read, read_whole
from activefs.streams._files import DataFile
from activefs.streams._schemas import refuse_duplicates, refuse_others
from activefs.streams._source import StreamSource
from activefs.streams._spool import About, find_spool, spool
from activefs.streams._text_file import TextFile, TextPart
from activefs.tables import (
    Dialect,
    Doubt,
    FileKind,
    ParsedFacts,
    TextColumnPlan,
    TextFacts,
    may_pad,
    must_be_seen,
    parse_rows,
    plan_columns,
    rows_of_text,
)

IN_MEMORY = 64 << 20
"""Bytes of text up to which one file is read by the reader of tables in memory."""


def open_text(
    files: list[DataFile], description: str, dialect: Dialect, progress: Progress | None = None
) -> StreamSource:
    """Open text files with the same columns, one below the other.

    What the text means is the same as for a file that is read into memory: a column is numbers if all of its values in
    all files are. Differences: a file of which all is one row, or which has a row of more than 64 MB, is refused; a
    byte that the encoding does not know is named without its line; and a column of nearly nothing but numbers is told
    also if its first values are none.
    """
    if any(file.hive for file in files):
        raise InvalidInputError(
            f"{description} has folders that name columns ({files[0].hive[0][0]}=...), which is understood for Parquet "
            "files only: write the table as Parquet, or rename the folders"
        )
    if len(files) == 1 and _is_small(files[0]):
        return read_whole(files[0], description, dialect)
    key = digest_of(files, how_read(files[0], dialect), progress and share_of(progress, 0.0, 0.1))
    found = find_spool(key, description, files)
    return found or _Parser(files, description, dialect, progress).kept(key)


def _is_small(file: DataFile) -> bool:
    import pyarrow as pa

    if file.size > IN_MEMORY:
        return False
    compression = FileKind.by_name(PurePosixPath(file.path)).compression
    if compression is None:
        return True
    size = 0
    try:
        with file.open() as raw, pa.CompressedInputStream(raw, compression) as stream:
            while block := stream.read(1 << 22):
                size += len(block)
                if size > IN_MEMORY:
                    return False
    except OSError:
        pass  # who reads it says what is wrong
    return True


class _Parser:
    """Reads text files twice: to know what each column is, and to write it; a third time where parts disagree."""

    def __init__(self, files: list[DataFile], description: str, dialect: Dialect, progress: Progress | None) -> None:
        self._files, self._description, self._said, self._progress = files, description, dialect, progress
        self._texts = [TextFile(file, dialect) for file in files]
        self._names = self._texts[0].names
        self._orders = [self._order(text) for text in self._texts]
        self._lines: dict[tuple[str, int], tuple[int, str]] = {}
        self._wanted: list[tuple[str, int]] = []
        self._starts = [0] * len(files)

    def _order(self, text: TextFile) -> list[int]:
        """Where the columns of the first file are in another one."""
        first = self._texts[0]
        if text.names == first.names:
            return list(range(len(first.names)))
        refuse_duplicates(text.file.name, text.names)
        refuse_duplicates(first.file.name, first.names)
        refuse_others(first.file.name, first.names, text.file.name, text.names)
        return [text.names.index(name) for name in first.names]

    def kept(self, key: str) -> StreamSource:
        import pyarrow as pa

        columns, parsed, texts = self._look()
        names = [self._names[j] for j in columns]
        refuse_duplicates(self._files[0].name, names)
        sep = self._texts[0].sep or ","
        by_name = {self._names[j]: parsed[j] for j in columns}
        written = {self._names[j]: texts[j] for j in columns if j in texts}
        plans, decimal, doubts = plan_columns(by_name, written, sep, self._said.decimal, self._promise)
        schema = pa.schema([(name, plan.kind) for name, plan in plans.items()])

        def about() -> About:
            return About(self._notes(decimal), tuple(self._placed(doubt) for doubt in doubts), tuple(self._starts))

        batches = self._written(dict(zip(columns, plans.values(), strict=True)), schema)
        return spool(batches, schema, self._description, key, about, self._files)

    def _notes(self, decimal: str) -> tuple[str, ...]:
        said = []
        for text in self._texts:
            name = PurePosixPath(text.file.path).name
            if words := Dialect(text.sep, decimal, text.encoding).in_words():
                said.append((name, words))
        if len(said) > 1 and len({words for _, words in said}) == 1:
            return (f"All files of {self._description} were read with {said[0][1]}.",)
        return tuple(f"{name} was read with {words}." for name, words in said)

    def _parts(self, what: str, share: tuple[float, float]) -> Iterator[tuple[int, TextPart]]:
        total, done = sum(file.size for file in self._files) or 1, 0
        for number, text in enumerate(self._texts):
            yield from ((number, part) for part in text.parts(self._report(what, share, done / total, text, total)))
            done += text.file.size

    def _report(
        self, what: str, share: tuple[float, float], done: float, text: TextFile, total: int
    ) -> Callable[[float], None] | None:
        if (progress := self._progress) is None:
            return None
        size, (start, stop) = text.file.size / total, share
        return lambda part: progress(f"{what} {text.file.name}", start + (stop - start) * (done + size * part))

    def _parse(self, number: int, part: TextPart, kinds: dict[int, Any] | None = None) -> dict[int, Any]:
        """Columns of a part, by their number in the first file."""
        text, order = self._texts[number], self._orders[number]
        here = None if kinds is None else {order[j]: kind for j, kind in kinds.items()}
        with text.explaining():
            table = parse_rows(part.text, text.sep or ",", len(self._names), here, part.line)
        wanted = range(len(order)) if kinds is None else kinds
        return {j: table.column(str(order[j])) for j in wanted}

    def _look(self) -> tuple[list[int], dict[int, ParsedFacts], dict[int, TextFacts]]:
        """Find out what is known of each column; columns without a name and without a value do not count."""
        import pyarrow as pa

        parsed = {j: ParsedFacts() for j in range(len(self._names))}
        texts = {j: TextFacts() for j in parsed}
        row, padded = 0, False
        for number, part in self._parts("looking at", (0.1, 0.5)):
            sep = self._texts[number].sep or ","
            padded = padded or may_pad(b"\n" + part.text[:2], sep) or may_pad(part.text, sep)
            columns = self._parse(number, part)
            for j, column in columns.items():
                parsed[j].add(column, row)
                if pa.types.is_string(column.type) or pa.types.is_null(column.type):
                    texts[j].add(column.cast(pa.string()), row)
            row += len(columns[0])
        if row == 0:
            count = len(self._names)
            raise InvalidInputError(f"{self._description} has {count} column{'s' if count != 1 else ''}, but no rows")
        named = [j for j, name in enumerate(self._names) if name or not _is_nothing(parsed[j], texts[j])]
        kept = named or list(parsed)
        commas = any(facts.any["comma"] for facts in texts.values())
        sep = self._texts[0].sep or ","
        again = {
            j: TextFacts() for j in kept if must_be_seen(parsed[j], texts[j], sep, self._said.decimal, padded, commas)
        }
        row = 0
        for number, part in self._parts("looking again at", (0.5, 0.6)) if again else ():
            for j, column in (columns := self._parse(number, part, dict.fromkeys(again, pa.string()))).items():
                again[j].add(column, row)
            row += len(next(iter(columns.values())))
        seen = {j: facts for j, facts in texts.items() if parsed[j].kind == pa.string()}
        return kept, parsed, seen | again

    def _written(self, plans: dict[int, TextColumnPlan], schema: Any) -> Iterator[Any]:
        import pyarrow as pa

        kinds = {j: pa.string() if plan.from_text else plan.kind for j, plan in plans.items()}
        row = 0
        for number, part in self._parts("reading", (0.6, 1.0)):
            columns = self._parse(number, part, kinds)
            made = [plan.made(columns[j]) if plan.from_text else columns[j] for j, plan in plans.items()]
            table = pa.table(made, schema=schema)
            self._note_lines(number, part, row, row + table.num_rows)
            row += table.num_rows
            self._starts[number + 1 :] = [row] * (len(self._files) - number - 1)
            yield from table.to_batches()
        for file in self._files:
            file.check_unchanged()

    def _promise(self, column: str, row: int) -> Callable[[], int]:
        """Find the line of a row while the file is read anyway."""
        self._wanted.append((column, row))
        return partial(self._line, column, row)

    def _line(self, column: str, row: int) -> int:
        return self._lines[column, row][0]

    def _note_lines(self, number: int, part: TextPart, start: int, stop: int) -> None:
        wanted: dict[int, list[str]] = {}
        for column, row in self._wanted:
            if start <= row < stop:
                wanted.setdefault(row, []).append(column)
        if not wanted:
            return
        text = self._texts[number]
        last = max(wanted)
        for row, found in enumerate(rows_of_text(part.text.decode(), text.sep or ",", part.line), start):
            for column in wanted.get(row, ()):
                self._lines[column, row] = found.line_of(text.names.index(column)), text.file.name
            if row >= last:
                break

    def _placed(self, doubt: Doubt) -> Doubt:
        """Say also in which of several files a line is."""
        if len(self._files) == 1:
            return doubt
        column, row = doubt.line.args  # type: ignore[attr-defined]  # what was promised above
        return replace(doubt, advice=f" of {self._lines[column, row][1]}{doubt.advice}")


def _is_nothing(parsed: ParsedFacts, text: TextFacts) -> bool:
    """Whether a column has no value at all, but for spaces."""
    import pyarrow as pa

    return parsed.kinds <= {pa.null(), pa.string()} and text.nulls == text.rows
