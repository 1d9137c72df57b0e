"""What all routes share: the study, and whether it is open to whoever is at this machine."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from fastapi import Request

from activefs.storages import Storage
from activefs.study import Reader, StudyEngine
from activefs.web._door import Door
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
    media : Path or None
        Folder of the files that columns of media name.
    """

    engine: StudyEngine
    reader: Reader
    local_only: bool
    door: Door = field(default_factory=Door)
    media: Path | None = None

    @cached_property
    def cookie(self) -> str:
        """Name of the cookie of this study: browsers send cookies of a host to all of its ports."""
        return cookie_name(self.engine.storage, self.engine.created.isoformat())


def cookie_name(storage: Storage, created: str) -> str:
    """Name a cookie for what is kept in a place; the same after a restart, another one for a copy elsewhere."""
    path = getattr(storage, "path", None)
    place = str(path.resolve()) if isinstance(path, Path) else storage.place
    return f"activefs-{hashlib.sha256(f'{created} {place}'.encode('utf-8', 'replace')).hexdigest()[:12]}"


def service_of(request: Request) -> Service:
    """Find the study that the application serves."""
    service: Service = request.app.state.service
    return service


def root_of(request: Request) -> str:
    """Path below which the study is served: of a proxy, and of its name among several studies; empty at the top."""
    return root_in(request.scope)


def path_of(request: Request) -> str:
    """Path of a request as the study sees it, without what it is served below."""
    return path_in(request.scope)
