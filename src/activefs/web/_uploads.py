"""Tables that were sent and wait to become studies: kept until that is done, or for a day."""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
import shutil
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from activefs.exceptions import InvalidInputError
from activefs.files import write_whole
from activefs.study import TablePreview
from activefs.tables import Dialect, ending_of, settings_of
from activefs.web._limited import named, run_limited

FOLDER = ".activefs-uploads"
KEPT = 86_400.0
"""Seconds for which a table waits."""
_STILL = 900.0
"""Seconds without a further piece after which what came of a table was left by a server that was killed."""
_MOST = 20
_TIMES_LARGER = 5
"""What is compressed may be so many times larger than what may be sent."""
_NUMBER = re.compile(r"[0-9a-f]{32}")
_ABOUT = "about.json"


@dataclass(frozen=True)
class Upload:
    """A table that was sent.

    Attributes
    ----------
    id : str
        Its number, which nobody can guess.
    name : str
        What its file was called; never used as a path.
    ending : str
        What says its kind, such as ``.csv.gz``.
    sent : datetime
        When it came.
    preview : TablePreview
        How it is read.
    path : Path
        Where it is.
    said : Dialect
        What somebody said about how it is written; the rest is found out.
    readings : int
        How often it was read.
    """

    id: str
    name: str
    ending: str
    sent: datetime
    preview: TablePreview
    path: Path
    said: Dialect
    readings: int

    @property
    def settings(self) -> tuple[str, ...]:
        """Settings that say how a file of this kind is read."""
        return settings_of(self.path)


class Uploads:
    """Tables that wait, in a folder of their own beside the studies.

    Parameters
    ----------
    beside : Path
        Folder of the tables of studies.
    limit : int
        Bytes that a table may have.
    """

    def __init__(self, beside: Path, limit: int) -> None:
        self._folder = beside / FOLDER
        self.limit = limit

    def all(self) -> list[Upload]:
        """List what waits, the latest first; what has waited for a day is removed."""
        self._tidy()
        found = []
        for path in self._numbered():
            with suppress(HTTPException, FileNotFoundError):  # it is still on its way, or was just discarded
                found.append(self.find(path.name))
        return sorted(found, key=lambda upload: upload.sent, reverse=True)

    def find(self, number: str) -> Upload:
        """Look for a table.

        Raises
        ------
        HTTPException
            If it is not there (404).
        """
        folder = self._folder / number
        if not _NUMBER.fullmatch(number) or not (folder / _ABOUT).is_file():
            raise _gone()
        about = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))
        sent = datetime.fromtimestamp(about["sent"], UTC)
        path = folder / f"table{about['ending']}"
        preview, said = TablePreview.from_json(about["preview"]), Dialect.of(about.get("said", {}))
        return Upload(number, about["name"], about["ending"], sent, preview, path, said, about.get("readings", 1))

    def discard(self, number: str) -> None:
        """Remove a table."""
        if _NUMBER.fullmatch(number):
            shutil.rmtree(self._folder / number, ignore_errors=True)

    async def receive(self, called: str, pieces: AsyncIterator[bytes], said: Callable[[], Dialect] = Dialect) -> Upload:
        """Take a table piece by piece, and find out how it is read; if that fails, nothing of it is kept.

        What is `said` about how it is written may come behind it, and is asked for when all of it is there.
        """
        name = _shown(called)
        ending = ending_of(PurePath(name))
        number = await run_in_threadpool(self._new)
        folder = self._folder / number
        path = folder / f"table{ending}"
        try:
            with path.open("xb") as file:
                async for piece in pieces:
                    await run_in_threadpool(file.write, piece)
            about = {"name": name, "ending": ending, "sent": time.time(), "readings": 0}
            await run_in_threadpool(self._look, path, about, said())
        except BaseException as error:
            self.discard(number)
            if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise HTTPException(507, "the disk of the server is full: ask whoever runs it to make room") from None
            raise
        return self.find(number)

    def read_again(self, upload: Upload, said: Dialect) -> Upload:
        """Read a table in another way; if that fails, everything stays as it was.

        Raises
        ------
        InvalidInputError
            If it cannot be read in that way.
        """
        about = {"name": upload.name, "ending": upload.ending, "sent": upload.sent.timestamp()}
        try:
            self._look(upload.path, {**about, "readings": upload.readings}, said)
        except FileNotFoundError:  # it has become a study meanwhile, or was discarded
            raise _gone() from None
        return self.find(upload.id)

    def _look(self, path: Path, about: dict[str, Any], said: Dialect) -> None:
        """Have a table read, and keep what came of it."""
        name = about["name"]
        if path.stat().st_size == 0:
            raise InvalidInputError(f"{name} is empty")
        expanded = _TIMES_LARGER * self.limit
        preview = run_limited("preview", name, path=str(path), expanded=expanded, said=said.said)
        preview["notes"] = [named(note, name, str(path)) for note in preview["notes"]]
        about = {**about, "readings": about["readings"] + 1, "preview": preview, "said": said.said}
        write_whole(path.parent / _ABOUT, json.dumps(about).encode())

    def _new(self) -> str:
        self._tidy()
        if len(self._numbered()) >= _MOST:
            raise InvalidInputError(f"{_MOST} tables wait to become studies already: make these first, or discard them")
        number = secrets.token_hex(16)
        os.makedirs(self._folder / number, mode=0o700)  # noqa: PTH103 - the mode counts for all of them
        return number

    def _tidy(self) -> None:
        for path in self._numbered():
            with suppress(FileNotFoundError):  # somebody else discards it in this moment
                kept = KEPT if (path / _ABOUT).is_file() else _STILL
                if time.time() - max(one.stat().st_mtime for one in (path, *path.iterdir())) > kept:
                    self.discard(path.name)

    def _numbered(self) -> list[Path]:
        if not self._folder.is_dir():
            return []
        return [path for path in self._folder.iterdir() if _NUMBER.fullmatch(path.name) and path.is_dir()]


def _gone() -> HTTPException:
    return HTTPException(404, "this table is not kept any more: send it again")


def _shown(called: str) -> str:
    """Make a name for people of what a browser says; folders in it are of no concern."""
    last = re.split(r"[/\\]", called)[-1]
    name = "".join(c if c.isprintable() else "_" for c in last).strip()
    return name if len(name) <= 100 else f"{name[:60]}…{name[-30:]}"
