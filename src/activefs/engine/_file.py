"""A session in a file: settings and position as JSON, and by which table they go."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from activefs.engine._engine import Engine
from activefs.engine._position import Position, Told
from activefs.exceptions import ActiveFSError, InvalidInputError
from activefs.files import cannot_write, write_whole
from activefs.options import from_json, to_json

_KIND = "activefs session"
_VERSION = 1


@dataclass(frozen=True)
class SavedSession:
    """What a file holds.

    Attributes
    ----------
    options : dict
        Settings, as `Session` takes them; the cost, if it was given in numbers, too.
    fingerprint : str
        Of the pool that the session was made with.
    position : Position
        Labels, pending and skipped rows.
    reopened : frozenset of int
        Rows whose answer was taken back.
    """

    options: dict[str, Any]
    fingerprint: str
    position: Position
    reopened: frozenset[int]


def save(path: Path, engine: Engine, position: Position, reopened: Iterable[int]) -> None:
    """Write a session; whoever reads the file meanwhile, or after a crash, sees the old one or the new one."""
    options = dict(engine.options)
    by_row = None
    if options["cost"] is not None and not isinstance(options["cost"], str):
        by_row, options["cost"] = engine.budget.cost, None
    content = {
        "kind": _KIND,
        "version": _VERSION,
        "options": to_json(options),
        "cost": None if by_row is None else by_row.tolist(),
        "fingerprint": engine.pool.fingerprint,
        "told": [list(told) for told in position.told],
        "pending": list(position.pending),
        "skipped": list(position.skipped),
        "reopened": sorted(reopened),
    }
    try:
        text = json.dumps(content)
    except TypeError as error:
        raise InvalidInputError(
            f"a label cannot be written as text ({error}): labels must be text or numbers"
        ) from None
    try:
        write_whole(path, text.encode())
    except OSError as error:
        raise ActiveFSError(cannot_write(path, error)) from error


def load(path: Path) -> SavedSession:
    """Read what :func:`save` wrote."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["kind"] != _KIND or content["version"] > _VERSION:
            raise KeyError
        options = from_json(content["options"])
        if content["cost"] is not None:
            options["cost"] = content["cost"]
        position = Position(
            tuple(Told(row, label, asked) for row, label, asked in content["told"]),
            tuple(content["pending"]),
            tuple(content["skipped"]),
        )
        return SavedSession(options, content["fingerprint"], position, frozenset(content["reopened"]))
    except OSError as error:
        raise InvalidInputError(f"{path} cannot be read: {error.strerror or error}") from None
    except (KeyError, TypeError, ValueError):
        raise InvalidInputError(f"{path} is no file of a session that this release of activefs can read") from None
