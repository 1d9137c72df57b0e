"""What the routes of a server of several studies share."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from fastapi import Request

from activefs.catalog import Catalog, CatalogEntry
from activefs.exceptions import ActiveFSError, InvalidInputError
from activefs.study import StudyEngine, known_status
from activefs.web._gate import Gate
from activefs.web._shelf import Shelf
from activefs.web._uploads import Uploads

_PATIENCE = 3.0
"""Seconds that the list of studies waits for one that cannot be read just now."""

State = Literal["open", "paused", "finished", "archived"]


@dataclass(frozen=True)
class StudyLine:
    """A study in the list of all: where it stands, or why that is not known."""

    name: str
    title: str
    labels: int = 0
    budget: float | None = None
    state: State = "open"
    last: datetime | None = None
    problem: str = ""


@dataclass(frozen=True)
class HubService:
    """Several studies that are being served.

    Attributes
    ----------
    catalog : Catalog
        The studies.
    shelf : Shelf
        Those that are open.
    gate : Gate
        The owners of all studies.
    max_upload : int
        Bytes that a table may have.
    """

    catalog: Catalog
    shelf: Shelf
    gate: Gate
    max_upload: int
    below: str = ""
    _readers: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(8, "list"), repr=False)

    @property
    def uploads(self) -> Uploads:
        """Tables that wait to become studies.

        Raises
        ------
        InvalidInputError
            If studies cannot be made here.
        """
        if (why := self.catalog.why_not_new()) or self.catalog.tables is None:
            raise InvalidInputError(f"studies cannot be made here: {why}")
        return Uploads(self.catalog.tables, self.max_upload)

    @property
    def title(self) -> str:
        """Name of the server."""
        return "activefs"

    @property
    def gates(self) -> tuple[Gate, ...]:
        """Who owns all studies."""
        return (self.gate,)

    def gate_of(self, entry: CatalogEntry) -> Gate:
        """Give the people of a study."""
        engine = self.shelf.engine_of(entry)
        return Gate(engine.storage, engine.created, local_only=False)

    def usable(self) -> list[tuple[CatalogEntry, Gate]]:
        """List the studies that can be opened now, with their people; the others keep nobody from these."""
        entries = [entry for entry in self.catalog.entries() if not entry.problem]
        found = {entry.name: self._readers.submit(self.gate_of, entry) for entry in entries}
        wait(found.values(), _PATIENCE)
        return [
            (entry, found[entry.name].result())
            for entry in entries
            if found[entry.name].done() and found[entry.name].exception() is None
        ]

    def lines(self, names: set[str] | None = None) -> list[StudyLine]:
        """Say where the studies stand: all, damaged ones included, or those that are wanted."""
        entries = [entry for entry in self.catalog.entries() if names is None or entry.name in names]
        reading = {entry.name: self._readers.submit(self._line, entry) for entry in entries if not entry.problem}
        wait(reading.values(), _PATIENCE)
        lines = []
        for entry in entries:
            if entry.problem:
                lines.append(StudyLine(entry.name, entry.place, problem=entry.problem))
            elif not reading[entry.name].done():
                said = "it cannot be read just now: another program holds it, or it is slow"
                lines.append(StudyLine(entry.name, entry.place, problem=said))
            elif (error := reading[entry.name].exception()) is not None:
                said = str(error) if isinstance(error, ActiveFSError) else "it cannot be read"
                lines.append(StudyLine(entry.name, entry.place, problem=said))
            else:
                lines.append(reading[entry.name].result())
        return lines

    def _line(self, entry: CatalogEntry) -> StudyLine:
        engine = self.shelf.engine_of(entry)
        with engine.reading() as state:
            labels, last, state_now = len(state.told), state.last, _state(engine, state.paused, state.archived)
        latest = engine.storage.events(last - 1) if last else []
        if state_now == "open" and _is_finished(engine, labels):
            state_now = "finished"
        return StudyLine(
            name=entry.name,
            title=engine.settings.title,
            labels=labels,
            budget=None if engine.settings.cost else engine.settings.budget,
            state=state_now,
            last=latest[0].time if latest else engine.created,
        )

    def close(self) -> None:
        """Let go of the threads."""
        self._readers.shutdown(wait=False, cancel_futures=True)


def hub_of(request: Request) -> HubService:
    """Find the studies that the application serves."""
    service: HubService = request.app.state.service
    return service


def _state(engine: StudyEngine, paused: bool, archived: bool) -> State:
    return "archived" if archived else "paused" if paused else "open"


def _is_finished(engine: StudyEngine, labels: int) -> bool:
    """Whether nothing is asked any more, as far as that is known without the table."""
    if (known := known_status(engine)) is not None:
        return bool(known.finished)
    budget = engine.settings.budget
    return labels >= engine.n_rows or (not engine.settings.cost and budget is not None and labels >= budget)
