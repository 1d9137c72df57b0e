"""A session in a file: settings and position as JSON, and by which table they go."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from activefs.codec import is_scalar
from activefs.engine._engine import Engine
from activefs.engine._moves import lead_to, moves_from_json, moves_to_json
from activefs.engine._position import Position, Told
from activefs.engine._probabilities import ClassProbabilities
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
    cost : list of float or None
        What the label of each row costs.
    position : Position
        Labels, pending and skipped rows.
    asked : frozenset of int
        Rows that were ever asked.
    """

    options: dict[str, Any]
    fingerprint: str
    cost: list[float] | None
    position: Position
    asked: frozenset[int]

    def is_of(self, engine: Engine) -> bool:
        """Whether it was made with the table of this engine, and with its costs."""
        cost = engine.budget.cost
        same_cost = self.cost is None or (cost is not None and cost.tolist() == self.cost)
        moved = (move.row for move in self.position.moves)
        rows = {*self.position.rows, *self.position.pending, *self.position.skipped, *self.asked, *moved}
        inside = max(rows, default=0) < engine.pool.n_rows
        return same_cost and inside and engine.pool.has_fingerprint(self.fingerprint)


def save(path: Path, engine: Engine, position: Position, asked: Iterable[int]) -> None:
    """Write a session; whoever reads the file meanwhile, or after a crash, sees the old one or the new one."""
    options = dict(engine.options)
    if not isinstance(options["cost"], str):
        options["cost"] = None
    made = engine.assistant
    if made is not None and (made.model is not options["model"] or made.seed != engine.seed):
        raise InvalidInputError(
            "a session that was given an assistant of its own cannot be written as text: pickle it, or give it the "
            "model instead"
        )
    if strange := [told.label for told in position.told if not all(map(is_scalar, _parts(told.label)))]:
        raise InvalidInputError(f"the label {strange[0]!r} cannot be written as text: labels must be text or numbers")
    content = {
        "kind": _KIND,
        "version": _VERSION,
        "options": to_json(options),
        "cost": None if engine.budget.cost is None else engine.budget.cost.tolist(),
        "fingerprint": engine.pool.fingerprint,
        "told": [[row, _to_json(label), asked] for row, label, asked in position.told],
        "pending": list(position.pending),
        "skipped": list(position.skipped),
        "asked": sorted(asked),
        "moves": moves_to_json(position.moves),
    }
    try:
        write_whole(path, json.dumps(content).encode())
    except OSError as error:
        raise ActiveFSError(cannot_write(path, error)) from error


def load(path: Path) -> SavedSession:
    """Read what :func:`save` wrote."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["kind"] != _KIND or content["version"] > _VERSION:
            raise KeyError
        options = from_json(content["options"])
        cost = content["cost"]
        if options.get("cost") is None:
            options["cost"] = cost
        position = Position(
            tuple(_told(row, label, asked) for row, label, asked in content["told"]),
            tuple(content["pending"]),
            tuple(content["skipped"]),
            moves_from_json(content.get("moves", ())),  # releases before 0.2 kept none
        )
        if "k" not in options or not _is_sound(position, content["asked"]):
            raise KeyError
        return SavedSession(options, content["fingerprint"], cost, position, frozenset(content["asked"]))
    except OSError as error:
        raise InvalidInputError(f"{path} cannot be read: {error.strerror or error}") from None
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InvalidInputError(f"{path} is no file of a session that this release of activefs can read") from None


def _to_json(label: Any) -> Any:
    """Write a label; class probabilities as pairs, since a number is no key in JSON."""
    return [list(pair) for pair in label.items()] if isinstance(label, ClassProbabilities) else label


def _parts(label: Any) -> tuple[Any, ...]:
    return tuple(label) if isinstance(label, ClassProbabilities) else (label,)


def _told(row: int, label: Any, asked: bool) -> Told:
    if isinstance(label, list):
        label = ClassProbabilities([(name, p) for name, p in label])
    if not all(map(is_scalar, _parts(label))) or not isinstance(asked, bool):
        raise ValueError
    return Told(row, label, asked)


def _is_sound(position: Position, asked: list[int]) -> bool:
    """Whether no row is in two states, all of them are numbers of rows, and their moves led there."""
    rows = [*position.rows, *position.pending, *position.skipped]
    are_rows = all(type(row) is int and row >= 0 for row in [*rows, *asked])
    return are_rows and len(set(rows)) == len(rows) and lead_to(position.moves, set(rows))
