"""Text files of every encoding become UTF-8."""

from __future__ import annotations

import codecs
import re

from activefs.exceptions import InvalidInputError

_UTF8 = "utf-8"
# The longer marks first: that of UTF-32 begins like that of UTF-16.
_MARKS = {
    codecs.BOM_UTF8: _UTF8,
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_SAMPLE = 1 << 16
_CHUNK = 1 << 24
# Of text in UTF-16 without a mark, at least this share of the bytes of one parity is zero, and hardly any of the other.
_MANY, _HARDLY = 0.3, 0.05
_ALMOST_ALL = 10
_CONTROLS = bytes(c for c in range(32) if c not in b"\t\n\r\f\v\x1a\x1b")


class UndecodableError(InvalidInputError):
    """A byte that the encoding does not know; `position` is its place in the file."""

    def __init__(self, byte: int, position: int, encoding: str) -> None:
        super().__init__(f"byte 0x{byte:02x} is not {encoding}: say the encoding that the file has (encoding=...)")
        self.position, self.encoding = position, encoding


def as_utf8(content: bytes, said: str | None = None) -> tuple[bytes, str]:
    r"""Return text as UTF-8 without a mark at its beginning, and the encoding that it has.

    Parameters
    ----------
    content : bytes
        The file.
    said : str, optional
        Its encoding; by default it is found out: by the mark at the beginning, by zeros that only UTF-16 has, UTF-8 if
        all bytes are that, and else cp1252, of which latin-1 is a part but for control characters.

    Raises
    ------
    UndecodableError
        If the text is not in the encoding that was said, or that its mark says.
    InvalidInputError
        If it is no text.

    Examples
    --------
    >>> as_utf8("\u00fc".encode("latin-1"))[1], as_utf8("a,b".encode("utf-16"))
    ('cp1252', (b'a,b', 'utf-16'))
    """
    encoding = said or _found(content)
    if encoding == _UTF8:
        if not content.isascii():
            _check_utf8(content)
        return content.removeprefix(codecs.BOM_UTF8), encoding
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        raise UndecodableError(content[error.start], error.start, encoding) from None
    return text.removeprefix("\ufeff").encode(_UTF8, "surrogatepass"), encoding


def encoding_of_beginning(content: bytes) -> str | None:
    r"""Return the encoding that a mark says, or zeros that only UTF-16 has; None if it is one that all of it must tell.

    Examples
    --------
    >>> encoding_of_beginning("a,b".encode("utf-16")), encoding_of_beginning(b"a,b")
    ('utf-16', None)
    """
    for mark, encoding in _MARKS.items():
        if content.startswith(mark):
            return encoding
    return _without_mark(content[:_SAMPLE])


def _found(content: bytes) -> str:
    if (said := encoding_of_beginning(content)) is not None:
        return said
    if content.isascii():
        return _UTF8
    try:
        _check_utf8(content)
        return _UTF8
    except UndecodableError:
        if is_damaged_utf8(*beyond_ascii(content)):
            raise
        refuse_no_text(content)
    try:
        content.decode("cp1252")
        return "cp1252"
    except UnicodeDecodeError:
        return "latin-1"


def _without_mark(sample: bytes) -> str | None:
    """UTF-16 without a mark: of letters that Europeans use, every other byte is zero."""
    if len(sample) < 4:
        return None
    even, odd = (sample[start::2].count(0) / len(sample[start::2]) for start in (0, 1))
    found = "utf-16-le" if odd > _MANY and even < _HARDLY else "utf-16-be" if even > _MANY and odd < _HARDLY else None
    if found is not None:
        text = sample[:2000].decode(found, "ignore")
        return found if all(c.isprintable() or c in "\t\r\n\f" for c in text) else None
    return None


def refuse_no_text(content: bytes) -> None:
    """Refuse what has bytes at its beginning that no text has."""
    sample = content[:_SAMPLE]
    if b"\0" in sample or sum(sample.count(control) for control in _CONTROLS) > len(sample) // 100:
        raise InvalidInputError("it is no text")


def beyond_ascii(content: bytes) -> tuple[int, int]:
    """Count letters beyond ASCII if it were UTF-8, and what cannot be such letters."""
    beyond = re.sub(rb"[\x00-\x7f]+", b" ", content).decode(_UTF8, "replace").replace(" ", "")
    bad = beyond.count("\ufffd")
    return len(beyond) - bad, bad


def is_damaged_utf8(letters: int, bad: int) -> bool:
    """Whether almost all of the letters beyond ASCII are UTF-8: then the others are damage, not another encoding."""
    return letters > _ALMOST_ALL * bad


def _check_utf8(content: bytes) -> None:
    """Decode piece by piece, so that a large file is not in memory twice."""
    decoder = codecs.getincrementaldecoder(_UTF8)()
    for start in range(0, len(content), _CHUNK):
        try:
            decoder.decode(content[start : start + _CHUNK], final=start + _CHUNK >= len(content))
        except UnicodeDecodeError as error:
            kept = start - (len(error.object) - len(content[start : start + _CHUNK]))  # bytes of the piece before
            at = error.start + kept
            raise UndecodableError(content[at], at, _UTF8) from None
