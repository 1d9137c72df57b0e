"""What all routes share: the study, and whether it is open to everybody on this machine."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

from fastapi import Request

from activefs.study import Reader, StudyEngine


@dataclass(frozen=True)
class Service:
    """A study that is being served.

    Attributes
    ----------
    engine, reader : StudyEngine, Reader
        The study, to be changed and to be looked at.
    local_only : bool
        Whether the server listens on this machine only: then, as long as nobody has a token, none is needed.
    secret : str
        Random, new with every start: protects forms where nobody is signed in.
    """

    engine: StudyEngine
    reader: Reader
    local_only: bool
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)


def service_of(request: Request) -> Service:
    """Find the study that the application serves."""
    service: Service = request.app.state.service
    return service


def root_of(request: Request) -> str:
    """Path below which the study is served: of a proxy, and of its name among several studies; empty at the top."""
    return str(request.scope.get("root_path", "")).rstrip("/")


def path_of(request: Request) -> str:
    """Path of a request as the study sees it, without what it is served below."""
    return request.url.path.removeprefix(root_of(request)) or "/"
