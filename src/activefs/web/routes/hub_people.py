"""The page on which owners of a server invite others, and signing in with a link."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from activefs.exceptions import ActiveFSError
from activefs.storages import Role
from activefs.web import _security as security
from activefs.web._errors import status_and_sentence
from activefs.web._hub_security import HubOwner
from activefs.web._hub_service import HubService, hub_of
from activefs.web._people import Invitation, invite, remove, sign_in_again
from activefs.web._rendering import render
from activefs.web._security import Visitor
from activefs.web._service import root_of

PATH = "/people"
router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
OnHub = Annotated[HubService, Depends(hub_of)]
Csrf = Annotated[str, Form()]


@router.get(PATH)
def people(request: Request, here: HubOwner, on: OnHub) -> Response:
    """Show who owns the server."""
    return _page(request, here, on)


@router.post(f"{PATH}/invite")
def invite_owner(
    request: Request, here: HubOwner, on: OnHub, name: Annotated[str, Form()] = "", csrf: Csrf = ""
) -> Response:
    """Give somebody a token that owns all studies, and show the link that signs them in; it is shown only now."""
    security.check_form(request, here, csrf)
    cookies = Response()
    was_open = on.gate.is_open
    try:
        made = invite(request, on.gate, here, name, Role.OWNER)
    except ActiveFSError as error:
        status, sentence = status_and_sentence(error)
        return _page(request, here, on, notice=sentence, status=status)
    if was_open:
        here = sign_in_again(request, cookies, here, on.gate, made.name)
    page = _page(request, here, on, invitation=made)
    page.raw_headers.extend(header for header in cookies.raw_headers if header[0] == b"set-cookie")
    return page


@router.post(f"{PATH}/remove")
def remove_owner(
    request: Request, here: HubOwner, on: OnHub, name: Annotated[str, Form()] = "", csrf: Csrf = ""
) -> Response:
    """Take an owner's token away."""
    security.check_form(request, here, csrf)
    try:
        remove(on.gate, here, name)
    except ActiveFSError as error:
        status, sentence = status_and_sentence(error)
        return _page(request, here, on, notice=sentence, status=status)
    return RedirectResponse(f"{root_of(request)}{PATH}", 303)


def _page(
    request: Request,
    here: Visitor,
    on: HubService,
    *,
    notice: str = "",
    invitation: Invitation | None = None,
    status: int = 200,
) -> Response:
    view: dict[str, Any] = {
        "people": on.gate.storage.annotators(),
        "is_first": on.gate.is_open,
        "local_only": on.gate.local_only,
        "invitation": invitation,
        "notice": notice,
    }
    return render(request, "hub/people.html", here, status=status, **view)
