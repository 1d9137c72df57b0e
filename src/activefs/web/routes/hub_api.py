"""The REST API of a server of several studies; that of each study is below its own address."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Response
from fastapi.security import HTTPBearer

from activefs.web._advice import PREFIX
from activefs.web._hub_models import HubMe, StudyLineOut
from activefs.web._hub_security import AtHubHere
from activefs.web._hub_service import HubService, hub_of
from activefs.web._models import Problem
from activefs.web._security import CSRF_HEADER

_PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "The request is malformed."},
    401: {"model": Problem, "description": "The token is missing or wrong."},
    403: {"model": Problem, "description": "Not yours to do."},
    413: {"model": Problem, "description": "The body is too large."},
    422: {"model": Problem, "description": "The content is not acceptable."},
    503: {"model": Problem, "description": "The database cannot be reached."},
}
router = APIRouter(
    prefix=PREFIX,
    responses=_PROBLEMS,
    dependencies=[
        Depends(HTTPBearer(auto_error=False, description="A token of an owner of the server, or of a study."))
    ],
)
OnHub = Annotated[HubService, Depends(hub_of)]


@router.get("/me")
def me(at: AtHubHere, response: Response) -> HubMe:
    """Say who you are.

    To whoever is signed in by a cookie, the header X-CSRF-Token of the reply says what that header of requests that
    change something must be.
    """
    if at.here.has_cookie:
        response.headers[CSRF_HEADER] = at.here.csrf
    return HubMe(name=at.here.person.name, owns_server=at.is_owner)


@router.get("/studies")
def studies(at: AtHubHere, on: OnHub) -> list[StudyLineOut]:
    """List the studies that you may see, and where they stand; those that cannot be read, to owners of the server."""
    lines = on.lines(None if at.studies is None else set(at.studies))
    return [StudyLineOut.of(line) for line in lines if at.is_owner or not line.problem]
