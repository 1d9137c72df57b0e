"""What annotators are told before they label: instructions, and what each class means."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from activefs.codec import is_written, normal, text_of
from activefs.constraints import Constraint
from activefs.exceptions import InvalidInputError
from activefs.study._media import IMAGES, below, type_of

MOST_TEXT = 200_000
MOST_IMAGES = 2_000_000
"""Bytes of all images together: they travel inside the page."""
_MOST_DESCRIPTION = 500
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True)
class Instructions:
    """Instructions in Markdown.

    Attributes
    ----------
    text : str
        As it was written.
    images : tuple of (str, str)
        What the text calls its images, and their content as data: URLs.
    """

    text: str
    images: tuple[tuple[str, str], ...] = ()


class Guidance(Constraint):
    """Instructions: text, or the file that holds it.

    Examples
    --------
    >>> Guidance().check("instructions", "Ill is whoever coughs.").text
    'Ill is whoever coughs.'
    """

    metavar = "FILE.md"
    refused: tuple[Any, ...] = (1, "", " ", "a\x00b", "x" * (MOST_TEXT + 1), "guide.md", Path("no such file.md"))

    def __str__(self) -> str:
        return "text in Markdown, or the Path of a file that holds it"

    def check(self, name: str, given: Any) -> Any:
        """Check it; what was given is not repeated, since it may be long."""
        try:
            return self.value(given)
        except InvalidInputError:
            raise
        except (TypeError, ValueError):
            raise InvalidInputError(f"{name} must be {self}, got {type(given).__name__}") from None

    def value(self, given: Any) -> Instructions:
        """Read a file with its images, or take the text."""
        if isinstance(given, Instructions):
            return given
        if isinstance(given, Path):
            return _read(given)
        if not isinstance(given, str):
            raise TypeError
        if given.strip().lower().endswith((".md", ".markdown", ".txt")) and len(given.split()) == 1:
            raise InvalidInputError(f"instructions are text, got {given!r}: if that is a file, give Path({given!r})")
        return Instructions(_checked(given, "the instructions"))

    def to_json(self, name: str, value: Any) -> Any:
        """Write text and images."""
        return {"text": value.text, "images": dict(value.images)}

    def from_json(self, content: Any) -> Any:
        """Read them."""
        return Instructions(content["text"], tuple(content["images"].items()))

    def from_text(self, text: str) -> Any:
        """On a command line, a file is named."""
        return Path(text)


class Descriptions(Constraint):
    """What classes mean, in a sentence each.

    Examples
    --------
    >>> Descriptions().check("class_descriptions", {"ill": " coughs "})
    {'ill': 'coughs'}
    """

    many = True
    metavar = "CLASS=TEXT"
    refused: tuple[Any, ...] = (
        "ill",
        3,
        {"ill": ""},
        {"ill": 1},
        {"ill": "x" * (_MOST_DESCRIPTION + 1)},
        {"a": "\x00"},
    )

    def __str__(self) -> str:
        return f"a mapping from classes to text of 1 to {_MOST_DESCRIPTION} printable characters"

    def value(self, given: Any) -> dict[str, str]:
        """Refuse empty, long and unprintable text."""
        if not isinstance(given, Mapping):
            raise TypeError
        said = {text_of(label): normal(text) if isinstance(text, str) else "" for label, text in given.items()}
        if not all(0 < len(text) <= _MOST_DESCRIPTION and is_written(text) for text in said.values()):
            raise ValueError
        return said

    def from_text(self, text: Any) -> Any:
        """Read CLASS=TEXT, once per class."""
        said: dict[str, str] = {}
        for part in text:
            label, separator, description = part.partition("=")
            if not separator or not label.strip():
                raise InvalidInputError(f"write CLASS=TEXT, got {part!r}")
            if normal(label) in said:
                raise InvalidInputError(f"class {normal(label)!r} is described twice")
            said[normal(label)] = description
        return said


def check_described(described: Mapping[str, str] | None, classes: tuple[Any, ...] | None) -> None:
    """Refuse descriptions of classes that the study does not have.

    Examples
    --------
    >>> check_described({"well": "no symptoms"}, ("healthy", "ill"))
    Traceback (most recent call last):
    activefs.exceptions.InvalidInputError: 'well' is described, but is none of the classes: 'healthy', 'ill'
    """
    if not described:
        return
    if classes is None:
        raise InvalidInputError(
            "only classes that are known from the start can be described: name them (classes=[...])"
        )
    if strange := set(described) - {text_of(label) for label in classes}:
        more = f" and {len(classes) - 20} more" if len(classes) > 20 else ""
        listed = ", ".join(map(repr, classes[:20]))
        raise InvalidInputError(f"{min(strange)!r} is described, but is none of the classes: {listed}{more}")


def _read(path: Path) -> Instructions:
    """Read a file, and the images that it refers to."""
    path = path.expanduser()
    if not path.is_file():
        raise InvalidInputError(f"there is no file {str(path)!r} with instructions")
    try:
        with path.open("rb") as file:
            content = file.read(4 * MOST_TEXT + 1)
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise InvalidInputError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        if len(content) > 4 * MOST_TEXT:  # cut in the middle of a letter, maybe
            raise InvalidInputError(_too_long(str(path))) from None
        raise InvalidInputError(f"{path} is not written in UTF-8 (see byte {error.start}): save it as UTF-8") from None
    text = _checked(text, str(path))
    return Instructions(text, tuple(_embedded(text, path)))


def _checked(text: str, what: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > MOST_TEXT:
        raise InvalidInputError(_too_long(what))
    if not text.strip():
        raise InvalidInputError(f"{what} must be text that is not empty")
    if bad := _CONTROL.search(text):
        raise InvalidInputError(f"{what} must be plain text, but holds the control character {bad[0]!r}")
    return text


def _too_long(what: str) -> str:
    return f"{what} must have at most {MOST_TEXT:,} characters: keep what annotators need, and link to the rest"


def _embedded(text: str, path: Path) -> list[tuple[str, str]]:
    """Read the images that instructions refer to, as data: URLs."""
    found, total = {}, 0
    for source in images_in(text):
        if urlsplit(source).scheme or source.startswith("//") or source in found:
            continue  # elsewhere: shown as a link
        content = _image(source, path)
        total += len(content)
        if total > MOST_IMAGES:
            raise InvalidInputError(
                f"the images of {path} have more than {MOST_IMAGES // 1_000_000} MB together: make them smaller"
            )
        found[source] = f"data:{type_of(source, content)};base64,{base64.b64encode(content).decode()}"
    return list(found.items())


def _image(source: str, path: Path) -> bytes:
    file = below(path.absolute().parent, unquote(urlsplit(source).path))
    if file is None:
        raise InvalidInputError(f"{path} shows the image {source[:100]!r}, which is no file below its folder")
    with file.open("rb") as opened:
        content = opened.read(MOST_IMAGES + 1)
    if type_of(file.name, content) not in IMAGES:
        raise InvalidInputError(f"{path} shows {source[:100]!r}, which is no PNG, JPEG, GIF or WebP image")
    return content


def images_in(text: str) -> list[str]:
    r"""Names and addresses of the images in Markdown, in order.

    Examples
    --------
    >>> images_in("![a rash](rash.png) and ![][1]\n\n[1]: https://example.org/x.png")
    ['rash.png', 'https://example.org/x.png']
    """
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark", {"html": False}).parse(text)
    inside = (child for token in tokens for child in token.children or ())
    return [str(token.attrs["src"]) for token in inside if token.type == "image"]
