"""Images, sound and video: which there are, how they are told from other files, and how a name stays in its folder."""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

_PNG, _JPEG, _GIF, _WEBP, _SVG = "image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"
IMAGES = (_PNG, _JPEG, _GIF, _WEBP)
"""Images that may travel inside a page."""

_MP4, _OGG, _MATROSKA = rb"....ftyp", rb"OggS", rb"\x1a\x45\xdf\xa3"
_KINDS: dict[str, tuple[str, bytes]] = {
    ".png": (_PNG, rb"\x89PNG\r\n\x1a\n"),
    ".jpg": (_JPEG, rb"\xff\xd8\xff"),
    ".jpeg": (_JPEG, rb"\xff\xd8\xff"),
    ".gif": (_GIF, rb"GIF8[79]a"),
    ".webp": (_WEBP, rb"RIFF....WEBP"),
    ".bmp": ("image/bmp", rb"BM"),
    ".avif": ("image/avif", _MP4),
    ".svg": (_SVG, rb"(?:\xef\xbb\xbf)?\s*<"),
    ".mp3": ("audio/mpeg", rb"ID3|\xff[\xe0-\xff]"),
    ".wav": ("audio/wav", rb"RIFF....WAVE"),
    ".flac": ("audio/flac", rb"fLaC"),
    ".ogg": ("audio/ogg", _OGG),
    ".oga": ("audio/ogg", _OGG),
    ".opus": ("audio/ogg", _OGG),
    ".m4a": ("audio/mp4", _MP4),
    ".aac": ("audio/aac", rb"\xff[\xf0-\xff]|ID3"),
    ".mp4": ("video/mp4", _MP4),
    ".m4v": ("video/mp4", _MP4),
    ".mov": ("video/quicktime", rb"....(?:ftyp|moov|mdat|wide|free)"),
    ".webm": ("video/webm", _MATROSKA),
    ".ogv": ("video/ogg", _OGG),
}
HEAD = 4096
"""Bytes at the beginning of a file that tell what it is."""
_LONGEST = 1024
_HOST = re.compile(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?\.?")
_WINDOWS = re.compile(r"\\|^[A-Za-z]:")


def host_of(address: str) -> str | None:
    """Scheme and host of an address on the web, as content security policies have them; None if it is no address.

    Examples
    --------
    >>> host_of("https://Example.org:8443/a.png"), host_of("a.png"), host_of("javascript:alert(1)")
    ('https://example.org:8443', None, None)
    """
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not _HOST.fullmatch(host) or parts.username is not None:
        return None
    return f"{parts.scheme}://{host}{'' if port is None else f':{port}'}"


def kind_of_name(name: str) -> str | None:
    """Content type that the end of a name stands for; None if it is no image, sound or video.

    Examples
    --------
    >>> kind_of_name("rash.JPG"), kind_of_name("page.html")
    ('image/jpeg', None)
    """
    return _KINDS.get(PurePosixPath(name).suffix.lower(), (None, b""))[0]


def type_of(name: str, head: bytes) -> str | None:
    r"""Content type of a file that is what its name says; None if it is something else.

    Examples
    --------
    >>> type_of("a.png", b"\x89PNG\r\n\x1a\n..."), type_of("a.png", b"<html>")
    ('image/png', None)
    """
    kind, begins = _KINDS.get(PurePosixPath(name).suffix.lower(), (None, b"(?!)"))
    if re.match(begins, head[:HEAD], re.DOTALL) is None or (kind == _SVG and b"<svg" not in head[:HEAD]):
        return None
    return kind


def below(folder: Path, name: str) -> Path | None:
    """Find a file by a name relative to a folder; None unless it is a regular file that really lies below it.

    Absolute paths, steps upwards, links that lead out, forms that Windows reads in its own way, devices and pipes are
    all no files here. Accents may be written in another way than in the folder, as those from a Mac are.

    Examples
    --------
    >>> below(Path("/usr"), "../etc/passwd") is None
    True
    """
    parts = name.split("/")
    if (
        not name
        or len(name.encode("utf-8", "replace")) > _LONGEST
        or "\0" in name
        or name.startswith("/")
        or _WINDOWS.search(name)
        or (os.name == "nt" and ":" in name)
        or ".." in parts
        or not parts[-1]
    ):
        return None
    forms = dict.fromkeys((name, *(unicodedata.normalize(form, name) for form in ("NFC", "NFD"))))
    return next((found for form in forms if (found := _regular_file(folder, form)) is not None), None)


def _regular_file(folder: Path, name: str) -> Path | None:
    try:
        root = folder.resolve(strict=True)
        found = (root / name).resolve(strict=True)
        if not found.is_relative_to(root) or not stat.S_ISREG(found.lstat().st_mode):
            return None
    except (OSError, ValueError, RuntimeError):  # a loop of links is a RuntimeError in some versions
        return None
    return found
