"""What was taken from Label Studio before: read from the log of the study, which is the only memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from activefs.label_studio._records import Project
from activefs.storages import Event, Kind, Storage

_DETAILS = "label_studio"
_ANSWERS = {Kind.LABELLED, Kind.SKIPPED, Kind.CORRECTED}
_CHANGES = _ANSWERS | {Kind.UNDONE, Kind.IMPORTED, Kind.SETTLED}


@dataclass(frozen=True)
class Taken:
    """An annotation that the study has: what it said (None: skipped), on which task, about which row."""

    annotation: int
    task: int
    row: int
    said: str | None


class Memory:
    """Annotations of one project that a study has taken.

    An entry of the log says which annotation it comes from, so an answer and the memory of it are kept together or not
    at all: whoever is killed in between has lost nothing, and takes nothing twice.

    Parameters
    ----------
    storage : Storage
        The study's.
    project : Project
        The project.

    Attributes
    ----------
    taken : dict of int to Taken
        By number of the annotation.
    source : dict of int to Taken
        By row: where its answer comes from, unless somebody changed it in the study itself since.
    """

    def __init__(self, storage: Storage, project: Project) -> None:
        self._storage, self._project = storage, project
        self._last = 0
        self.taken: dict[int, Taken] = {}
        self.source: dict[int, Taken] = {}

    def update(self) -> None:
        """Read what was added to the log."""
        for event in self._storage.events(self._last):
            self._last = event.id
            if event.kind in _CHANGES:
                self._apply(event)

    def details(self, task: int, annotation: int, said: str | None) -> dict[str, Any]:
        """Write what an entry of the log says about its annotation."""
        where = {"project": self._project.id, "created": self._project.created}
        return {_DETAILS: {**where, "task": task, "annotation": annotation, "said": said}}

    def _apply(self, event: Event) -> None:
        found = (event.details or {}).get(_DETAILS)
        self.source.pop(event.row, None)
        if not isinstance(found, Mapping):
            return
        if (found.get("project"), found.get("created")) != (self._project.id, self._project.created):
            return
        taken = Taken(int(found["annotation"]), int(found["task"]), event.row, found["said"])
        if event.kind in _ANSWERS:
            self.taken[taken.annotation] = self.source[event.row] = taken
        else:
            self.taken.pop(taken.annotation, None)
