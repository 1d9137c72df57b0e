"""Points of a history that took a model, kept with the study: another process need not compute them again."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from activefs.engine import Position, Told
from activefs.exceptions import StorageError
from activefs.storages import Storage

Stand = tuple[frozenset[int], int, float | None]
"""Which features are chosen, how many features are contested, and what the chosen ones are expected to lack."""


def recall(storage: Storage, told: tuple[Told, ...], counts: Sequence[int]) -> dict[int, Stand]:
    """Find what is kept of the first so many labels."""
    kept = storage.find_answer(_key()) or {}
    found: dict[int, Stand] = {}
    with suppress(KeyError, TypeError, ValueError):  # somebody changed it: then it is computed again
        for n in counts:
            if (stand := kept.get(_name(told, n))) is not None:
                leaders, contested, gap = stand
                found[n] = frozenset(map(int, leaders)), int(contested), None if gap is None else float(gap)
    return found


def remember(storage: Storage, told: tuple[Told, ...], stands: dict[int, Stand]) -> None:
    """Keep what was found, in the place of what was kept before."""
    kept = {_name(told, n): [sorted(leaders), contested, gap] for n, (leaders, contested, gap) in stands.items()}
    with suppress(StorageError):
        storage.keep_answer(_key(), kept)


def _key() -> str:
    from activefs import __version__

    return f"history {__version__}"


def _name(told: tuple[Told, ...], n: int) -> str:
    return Position(told[:n]).key_of_answer()
