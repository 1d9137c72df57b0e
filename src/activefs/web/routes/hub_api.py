"""The REST API of a server of several studies; that of each study is below its own address."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.security import HTTPBearer
from starlette.concurrency import run_in_threadpool

from activefs.storages import Role
from activefs.web._advice import PREFIX
from activefs.web._hub_models import HowRead, HubMe, MadeOut, NewStudyIn, StudyLineOut, UploadOut, UploadQuery
from activefs.web._hub_security import AtHubHere, HubOwner
from activefs.web._hub_service import HubService, hub_of
from activefs.web._json_body import described, read_json
from activefs.web._manage_models import NOBODY, InvitationOut, OwnerIn, PersonOut
from activefs.web._models import Problem
from activefs.web._new_study import make_study, options_of
from activefs.web._people import invite, remove
from activefs.web._security import CSRF_HEADER, Visitor

_PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "The request is malformed."},
    401: {"model": Problem, "description": "The token is missing or wrong."},
    403: {"model": Problem, "description": "Not yours to do."},
    413: {"model": Problem, "description": "The body is too large."},
    422: {"model": Problem, "description": "The content is not acceptable."},
    507: {"model": Problem, "description": "The disk of the server is full."},
    503: {"model": Problem, "description": "The database cannot be reached."},
}
UPLOADS, STUDIES = f"{PREFIX}/uploads", f"{PREFIX}/studies"
_MISSING: dict[int | str, dict[str, Any]] = {404: {"model": Problem, "description": "There is no such table."}}
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


@router.post(
    "/uploads",
    status_code=201,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def upload(here: HubOwner, on: OnHub, request: Request, said: Annotated[UploadQuery, Query()]) -> UploadOut:
    """Send a table; its name says of which kind it is. It waits for a day to become a study (owners of the server)."""
    dialect = said.dialect
    return UploadOut.of(await on.uploads.receive(said.name, request.stream(), lambda: dialect))


@router.get("/uploads")
def uploads(here: HubOwner, on: OnHub) -> list[UploadOut]:
    """List the tables that wait to become studies (owners of the server)."""
    return [UploadOut.of(upload) for upload in on.uploads.all()]


@router.get("/uploads/{number}", responses=_MISSING)
def uploaded(here: HubOwner, on: OnHub, number: str) -> UploadOut:
    """Say how a table that was sent is read (owners of the server)."""
    return UploadOut.of(on.uploads.find(number))


@router.post("/uploads/{number}/read", responses=_MISSING)
def read_again(here: HubOwner, on: OnHub, number: str, said: HowRead) -> UploadOut:
    """Read a table in another way; if that fails, it stays as it was (owners of the server).

    What is said here counts as well when the study is made.
    """
    found = on.uploads.find(number)
    return UploadOut.of(on.uploads.read_again(found, said.dialect))


@router.delete("/uploads/{number}", status_code=204, responses=_MISSING)
def discard(here: HubOwner, on: OnHub, number: str) -> None:
    """Remove a table that was sent (owners of the server)."""
    on.uploads.discard(number)


@router.post("/studies", status_code=201, responses=_MISSING, openapi_extra=described(NewStudyIn))
async def make(here: HubOwner, on: OnHub, request: Request) -> MadeOut:
    """Make a study of a table that was sent, all of it or nothing (owners of the server)."""
    said = await read_json(request, NewStudyIn)
    return await run_in_threadpool(_make, here, on, said)


@router.get("/owners")
def owners(here: HubOwner, on: OnHub) -> list[PersonOut]:
    """List who owns the server (owners of the server)."""
    return [PersonOut.of(annotator) for annotator in on.gate.storage.annotators()]


@router.post("/owners", status_code=201)
def add_owner(request: Request, here: HubOwner, on: OnHub, said: OwnerIn) -> InvitationOut:
    """Give somebody a token that owns all studies, which is told only now (owners of the server)."""
    return InvitationOut.of(invite(request, on.gate, here, said.name, Role.OWNER))


@router.delete("/owners/{name:path}", status_code=204, responses=NOBODY)
def remove_owner(here: HubOwner, on: OnHub, name: str) -> None:
    """Take an owner's token away (owners of the server)."""
    remove(on.gate, here, name)


def _make(here: Visitor, on: HubService, said: NewStudyIn) -> MadeOut:
    found = on.uploads.find(said.upload)
    options = options_of(found.preview, said.model_dump(exclude={"upload", "name"}))
    make_study(on.catalog, on.uploads, found, said.name, options, here.person.name)
    return MadeOut(name=said.name)
