"""A file in a form, taken piece by piece: the form's own token is checked before anything of the file is kept."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

from fastapi import Request
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from activefs.exceptions import InvalidInputError

_MAX_FIELD = 4096
_MAX_FIELDS = 10
_FIELD, _FILE = "csrf", "table"


class FormFile:
    """The file of a form that was sent as ``multipart/form-data``; the field `csrf` must come before it.

    What else was filled in is in `fields`, once all of the form was read.

    Parameters
    ----------
    request : Request
        What brings the form.
    check : callable
        Is given the form's token; raises if it is not right.
    """

    def __init__(self, request: Request, check: Callable[[str], None]) -> None:
        kind, options = parse_options_header(request.headers.get("content-type", ""))
        if kind != b"multipart/form-data" or not options.get(b"boundary"):
            raise InvalidInputError("the form must be sent as multipart/form-data")
        self._stream = request.stream()
        self._check = check
        self.name = ""
        self._header: tuple[bytes, bytes] = (b"", b"")
        self._part = ""
        self._said = b""
        self.fields: dict[str, str] = {}
        self._checked = False
        self._pieces: list[bytes] = []
        self._parser = MultipartParser(
            options[b"boundary"],
            {
                "on_part_begin": self._begin,
                "on_header_field": lambda data, start, end: self._add(data[start:end], b""),
                "on_header_value": lambda data, start, end: self._add(b"", data[start:end]),
                "on_header_end": self._end_header,
                "on_part_data": lambda data, start, end: self._data(data[start:end]),
                "on_part_end": self._end,
            },
        )

    async def find(self) -> None:
        """Read as far as the beginning of the file, which gives its name.

        Raises
        ------
        InvalidInputError
            If there is none.
        """
        async for piece in self._stream:
            self._parse(piece)
            if self.name:
                return
        raise InvalidInputError("no file was chosen: choose the table first")

    async def pieces(self) -> AsyncIterator[bytes]:
        """Give the content of the file; call `find` first."""
        while True:
            for piece in self._pieces:
                yield piece
            self._pieces.clear()
            try:
                self._parse(await anext(self._stream))
            except StopAsyncIteration:
                return

    def _parse(self, piece: bytes) -> None:
        try:
            self._parser.write(piece)
        except FormParserError:
            raise InvalidInputError("the form cannot be read: load the page again, and choose the file anew") from None

    def _begin(self) -> None:
        self._part, self._said = "", b""
        self._header = (b"", b"")

    def _add(self, name: bytes, value: bytes) -> None:
        self._header = (self._header[0] + name, self._header[1] + value)

    def _end_header(self) -> None:
        name, value = self._header
        self._header = (b"", b"")
        if name.lower() != b"content-disposition":
            return
        _, options = parse_options_header(value)
        self._part = options.get(b"name", b"").decode("utf-8", "replace")
        if self._part == _FILE:
            if not self._checked:
                self._check("")
            self.name = options.get(b"filename", b"").decode("utf-8", "replace")

    def _data(self, piece: bytes) -> None:
        if self._part == _FILE:
            self._pieces.append(piece)
        elif len(self._said) + len(piece) <= _MAX_FIELD:
            self._said += piece

    def _end(self) -> None:
        if self._part == _FIELD:
            self._check(self._said.decode("utf-8", "replace"))
            self._checked = True
        elif self._part != _FILE and len(self.fields) < _MAX_FIELDS:
            self.fields[self._part] = self._said.decode("utf-8", "replace")
