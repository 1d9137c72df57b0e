"""The page of a study's owners: who takes part, and whether the study goes on."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from activefs.exceptions import ActiveFSError, NotAllowedError
from activefs.storages import Role
from activefs.study import Person, StudyEngine
from activefs.web import _security as security
from activefs.web._errors import status_and_sentence
from activefs.web._people import Invitation, invite, remove, sign_in_again
from activefs.web._rendering import render
from activefs.web._security import OwnerHere, Visitor
from activefs.web._service import Service, root_of, service_here

PATH = "/manage"
router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
On = Annotated[Service, Depends(service_here)]
Csrf = Annotated[str, Form()]
Move = Literal["pause", "resume", "archive", "restore"]


@router.get(PATH)
def manage(request: Request, here: OwnerHere, on: On) -> Response:
    """Show who takes part, and whether the study goes on."""
    return _page(request, here, on)


@router.post(f"{PATH}/invite")
def invite_somebody(
    request: Request,
    here: OwnerHere,
    on: On,
    name: Annotated[str, Form()] = "",
    role: Annotated[Role, Form()] = Role.ANNOTATOR,
    csrf: Csrf = "",
) -> Response:
    """Give somebody a token, and show the link that signs them in; it is shown only now."""
    security.check_form(request, here, csrf)
    cookies = Response()
    was_open = on.gates[0].is_open
    try:
        made = invite(request, on.gates[0], here, name, role, owners_of_server(on))
    except ActiveFSError as error:
        status, sentence = status_and_sentence(error)
        return _page(request, here, on, notice=sentence, status=status)
    if was_open:
        here = sign_in_again(request, cookies, here, on.gates[0], made.name)
    page = _page(request, here, on, invitation=made)
    page.raw_headers.extend(header for header in cookies.raw_headers if header[0] == b"set-cookie")
    return page


@router.post(f"{PATH}/remove")
def remove_somebody(
    request: Request, here: OwnerHere, on: On, name: Annotated[str, Form()] = "", csrf: Csrf = ""
) -> Response:
    """Take somebody's token away; their answers stay, and what they hold is given back."""
    security.check_form(request, here, csrf)
    try:
        remove_from(on, here, name)
    except ActiveFSError as error:
        status, sentence = status_and_sentence(error)
        return _page(request, here, on, notice=sentence, status=status)
    return RedirectResponse(f"{root_of(request)}{PATH}", 303)


@router.post(f"{PATH}/{{move}}")
def change_state(request: Request, here: OwnerHere, on: On, move: Move, csrf: Csrf = "") -> Response:
    """Pause the study or go on, archive it or take it out of the archive."""
    security.check_form(request, here, csrf)
    apply_move(on.engine, here.person, move)
    return RedirectResponse(f"{root_of(request)}{PATH}", 303)


def apply_move(engine: StudyEngine, who: Person, move: Move) -> None:
    """Do it."""
    moves: dict[Move, Callable[[Person], None]] = {
        "pause": engine.pause,
        "resume": engine.resume,
        "archive": engine.archive,
        "restore": engine.restore,
    }
    moves[move](who)


def remove_from(on: Service, here: Visitor, name: str) -> None:
    """Send somebody away, and let others have the rows that they hold."""
    remove(on.gates[0], here, name)
    with suppress(NotAllowedError):  # of an archived study nobody gets rows anyway
        on.engine.release(Person(name))


def owners_of_server(on: Service) -> set[str]:
    """Name those who own the study because they own the server."""
    return set() if on.server is None else {a.name for a in on.server.storage.annotators()}


def _page(
    request: Request,
    here: Visitor,
    on: Service,
    *,
    notice: str = "",
    invitation: Invitation | None = None,
    status: int = 200,
) -> Response:
    with on.engine.reading() as state:
        paused, archived = state.paused, state.archived
    view: dict[str, Any] = {
        "people": on.gates[0].storage.annotators(),
        "server_owners": sorted(owners_of_server(on)),
        "is_first": on.gates[0].is_open,
        "local_only": on.local_only,
        "paused": paused,
        "archived": archived,
        "invitation": invitation,
        "notice": notice,
    }
    return render(request, "manage.html", here, status=status, **view)
