"""What all routes share: the study, and whether it is open to whoever is at this machine."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Protocol

from fastapi import Request

from activefs.study import Background, Reader, StudyEngine
from activefs.web._door import Door
from activefs.web._gate import Gate
from activefs.web._paths import path_in, root_in


@dataclass(frozen=True)
class Service:
    """A study that is being served.

    Attributes
    ----------
    engine, reader : StudyEngine, Reader
        The study, to be changed and to be looked at.
    local_only : bool
        Whether the server listens on this machine only: then, as long as nobody has a token, none is needed.
    door : Door
        The way in as long as nobody has a token.
    server : Gate or None
        The owners of the server, if it has several studies; they own this one, too.
    below : str
        Where the study is, below the path of the server.
    media : Path or None
        Folder of the files that columns of media name.
    background : Background or None
        Looks at the study while people label; None: whoever looks waits for what the reader computes.
    """

    engine: StudyEngine
    reader: Reader
    local_only: bool
    door: Door = field(default_factory=Door)
    media: Path | None = None
    background: Background | None = None
    server: Gate | None = None
    below: str = ""

    @property
    def title(self) -> str:
        """Name of the study."""
        return self.engine.settings.title

    @cached_property
    def gates(self) -> tuple[Gate, ...]:
        """Who may use the study: its own people, and the owners of the server."""
        # Among several studies, one without people is open to the owners of the server only.
        own = Gate(self.engine.storage, self.engine.created, self.local_only and self.server is None, self.door)
        return (own,) if self.server is None else (own, self.server)


class Served(Protocol):
    """What a study and a server of several studies have in common."""

    @property
    def below(self) -> str:
        """Where it is, below the path of the server."""

    @property
    def title(self) -> str:
        """What it is called."""

    @property
    def gates(self) -> tuple[Gate, ...]:
        """Who may use it."""


def served_by(request: Request) -> Served:
    """Find what the application serves: a study, or several."""
    served: Served = request.app.state.service
    return served


def home_of(request: Request) -> str:
    """Path below which the whole server is reached."""
    return root_in(request.scope).removesuffix(served_by(request).below)


def service_of(request: Request) -> Service:
    """Find the study that the application serves."""
    service: Service = request.app.state.service
    return service


async def service_here(request: Request) -> Service:
    """Find the study that the application serves; as a coroutine, it needs no thread."""
    return service_of(request)


def root_of(request: Request) -> str:
    """Path below which the study is served: of a proxy, and of its name among several studies; empty at the top."""
    return root_in(request.scope)


def path_of(request: Request) -> str:
    """Path of a request as the study sees it, without what it is served below."""
    return path_in(request.scope)
