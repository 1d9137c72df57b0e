"""A text file that is read in parts: whole rows in UTF-8, never all at once."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from activefs._kernels.text_rows import row_ends
from activefs.exceptions import InvalidInputError
from activefs.streams._files import DataFile
from activefs.tables import (
    USUAL_SEPARATORS,
    Dialect,
    FileKind,
    beginning,
    beyond_ascii,
    damaged,
    encoding_of_beginning,
    find_separator,
    is_damaged_utf8,
    refuse_no_text,
    refuse_other_kinds,
    said_in_file,
    what_is_wrong,
)

PART = 1 << 23
"""Bytes of a part, about."""
_LONGEST = 1 << 26
_UTF8 = "utf-8"


@dataclass(frozen=True)
class TextPart:
    """Whole rows, and the number of the line that they begin with."""

    text: bytes
    line: int


class TextFile:
    """A text file with a header.

    Parameters
    ----------
    file : DataFile
        The file; the end of its name says whether it is compressed.
    said : Dialect
        What need not be found out.
    """

    def __init__(self, file: DataFile, said: Dialect) -> None:
        self.file, self._said = file, said
        self._kind = FileKind.by_name(PurePosixPath(file.path))
        with self.explaining():
            self._find_dialect()

    def _find_dialect(self) -> None:
        sample = next(self._blocks(), b"")
        refuse_other_kinds(sample)
        self.encoding = self._said.encoding or encoding_of_beginning(sample) or self._encoding_of_all(sample)
        self._line, self._skipped = 1, 0
        start = next(self._decoded(), b"")
        self.sep = self._said.sep
        if (found := said_in_file(start)) is not None:
            self.sep, self._skipped, self._line = self.sep or found[0], found[1], 2
        text = start[self._skipped :]
        if not text.strip():
            raise InvalidInputError("it is empty")
        if self.sep is None:
            some, cut = beginning(text)
            self.sep = find_separator(some, USUAL_SEPARATORS.get(self._kind.suffix, ","), cut)
        self.header = self._header()

    def _header(self) -> list[str]:
        """Names of the columns as they are written; where they end is where rows begin."""
        import pyarrow as pa
        import pyarrow.csv as pa_csv

        first = next(self._cut(with_header=True), None)
        if first is None:
            raise InvalidInputError("it is empty")
        empty = len(first.text) - len(first.text.lstrip(b"\r\n"))
        end = row_ends(np.frombuffer(first.text[empty:], np.uint8), ord(self.sep or ","))[0] or len(first.text)
        cut = first.text[empty + end - 1 : empty + end + 1] == b"\r\n"  # in the middle of a line end
        self._rows_begin = empty + end + cut
        row = first.text[: self._rows_begin] + b"\n"
        options = pa_csv.ParseOptions(delimiter=self.sep, newlines_in_values=True)
        block = pa_csv.ReadOptions(block_size=max(1 << 20, 2 * len(row)))
        return list(pa_csv.read_csv(pa.BufferReader(row), read_options=block, parse_options=options).column_names)

    def _encoding_of_all(self, sample: bytes) -> str:
        """Find out the encoding of a file that says nothing about it, from all of its bytes."""
        letters = bad = 0
        possible = True
        for block in self._blocks(by_lines=True):
            if block.isascii():
                continue
            more, wrong = beyond_ascii(block)
            letters, bad = letters + more, bad + wrong
            possible = possible and _decodes(block, "cp1252")
        if not bad:
            return _UTF8
        if is_damaged_utf8(letters, bad):
            raise InvalidInputError(
                "some of its bytes are not utf-8: say the encoding that the file has (encoding=...)"
            )
        refuse_no_text(sample)
        return "cp1252" if possible else "latin-1"

    def parts(self, progress: Callable[[float], None] | None = None) -> Iterator[TextPart]:
        """Read all rows behind the header."""
        with self.explaining():
            yield from self._cut(progress=progress)

    def _cut(self, with_header: bool = False, progress: Callable[[float], None] | None = None) -> Iterator[TextPart]:
        assert self.sep is not None
        line, rest, skip = self._line, b"", self._skipped
        begins = 0 if with_header else self._rows_begin
        sep = ord(self.sep)
        for block in self._decoded(progress):
            text = rest + block if rest else block
            if skip:
                text, skip = text[skip:], 0
            end = row_ends(np.frombuffer(text, np.uint8), sep)[1]
            if end == len(text) and text.endswith(b"\r"):  # the rest of the line end may follow
                end = row_ends(np.frombuffer(text[:-1], np.uint8), sep)[1]
            if end == 0:
                if len(text) > _LONGEST:
                    raise InvalidInputError(self._too_long(text, line))
                rest = text
                continue
            whole, rest = text[:end], text[end:]
            if begins:
                line, whole, begins = line + lines_in(whole[:begins]), whole[begins:], 0
            if whole:
                yield TextPart(whole, line)
            line += lines_in(whole)
        if skip:
            rest = rest[skip:]
        if begins and rest:
            line, rest = line + lines_in(rest[:begins]), rest[begins:]
        if rest.strip(b"\r\n"):
            if (wrong := self._open_quote(rest, line)) is not None:
                raise InvalidInputError(wrong)
            yield TextPart(rest if rest.endswith((b"\n", b"\r")) else rest + b"\n", line)

    def _open_quote(self, text: bytes, line: int) -> str | None:
        assert self.sep is not None
        if row_ends(np.frombuffer(text + b"\n", np.uint8), ord(self.sep))[1]:
            return None
        wrong = what_is_wrong(text.decode(), self.sep, line)
        return wrong if wrong is not None and "never closed" in wrong else None

    def _too_long(self, text: bytes, line: int) -> str:
        wrong = self._open_quote(text, line) if b'"' in text else None
        return wrong or f"line {line} is far too long: check what is between lines, and whether a quote is not closed"

    def _decoded(self, progress: Callable[[float], None] | None = None) -> Iterator[bytes]:
        """Give all of it in UTF-8, without a mark at its beginning."""
        decoder = codecs.getincrementaldecoder("utf-8-sig" if self.encoding == _UTF8 else self.encoding)()
        first = True
        plain = self.encoding == _UTF8
        for block in self._blocks(progress=progress):
            if plain and not first and block.isascii() and not decoder.getstate()[0]:
                yield block
                continue
            yield from self._encoded(decoder, block, first)
            first = False
        yield from self._encoded(decoder, b"", first, final=True)

    def _encoded(self, decoder: Any, block: bytes, first: bool, final: bool = False) -> Iterator[bytes]:
        try:
            text = decoder.decode(block, final)
        except UnicodeDecodeError as error:
            byte = error.object[error.start] if error.start < len(error.object) else 0
            raise InvalidInputError(
                f"byte 0x{byte:02x} is not {self.encoding}: say the encoding that the file has (encoding=...)"
            ) from None
        if text:
            yield (text.removeprefix("\ufeff") if first else text).encode(_UTF8, "surrogatepass")

    def _blocks(self, by_lines: bool = False, progress: Callable[[float], None] | None = None) -> Iterator[bytes]:
        """Give all bytes, unpacked; if wanted, so that no letter is cut."""
        import pyarrow as pa

        raw = self.file.open()
        stream = raw if self._kind.compression is None else pa.CompressedInputStream(raw, self._kind.compression)
        rest = b""
        try:
            with raw, stream:
                while block := stream.read(PART):
                    if progress is not None:
                        progress(min(1.0, raw.tell() / max(1, self.file.size)))
                    if by_lines:
                        at = block.rfind(b"\n") + 1
                        block, rest = rest + block[:at], block[at:] if at else rest + block
                        if not at:
                            continue
                    yield block
                if rest:
                    yield rest
        except OSError as error:
            self.file.check_unchanged()
            raise (error if self._kind.compression is None else damaged(self._kind, error)) from error

    @contextmanager
    def explaining(self) -> Iterator[None]:
        """Turn what is wrong into a sentence that names the file; that it changed explains everything."""
        import pyarrow as pa

        try:
            yield
        except (pa.ArrowException, OSError, ValueError) as error:
            self.file.check_unchanged()
            said = str(error).splitlines()[0] if str(error) else type(error).__name__
            start = f"{self.file.name} "
            if isinstance(error, InvalidInputError) and said.startswith(start):
                raise
            raise InvalidInputError(f"{start}cannot be read as {self._kind.name}: {said}") from error

    @cached_property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [name.strip() for name in self.header]


def lines_in(text: bytes) -> int:
    """Count line ends."""
    return text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")


def _decodes(block: bytes, encoding: str) -> bool:
    try:
        block.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
