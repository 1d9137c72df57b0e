"""Pages of a server of several studies: the list, signing in."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from activefs.exceptions import ActiveFSError
from activefs.web import _hub_security as hub_security
from activefs.web import _security as security
from activefs.web._door import PARAMETER
from activefs.web._hub_security import AtHubHere
from activefs.web._hub_service import HubService, hub_of
from activefs.web._rendering import render
from activefs.web._service import path_of, root_of

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
OnHub = Annotated[HubService, Depends(hub_of)]
Csrf = Annotated[str, Form()]


@router.get("/")
def studies(request: Request, at: AtHubHere, on: OnHub) -> Response:
    """List the studies that somebody may see."""
    lines = on.lines(None if at.studies is None else set(at.studies))
    view: dict[str, Any] = {
        "lines": [line for line in lines if not line.problem and line.state != "archived"],
        "archived": [line for line in lines if not line.problem and line.state == "archived"],
        "broken": [line for line in lines if line.problem] if at.is_owner else [],
        "is_owner": at.is_owner,
        "why_not_new": on.catalog.why_not_new() if at.is_owner else "",
    }
    return render(request, "hub/studies.html", at.here, **view)


@router.get("/sign-in")
def sign_in_form(request: Request) -> Response:
    """Ask for the token."""
    return _sign_in_page(request)


@router.post("/sign-in")
def sign_in(request: Request, token: Annotated[str, Form()] = "") -> Response:
    """Sign in, as an owner of the server or at a study."""
    security.refuse_other_sites(request)
    response = RedirectResponse(f"{root_of(request)}/", 303)
    only = hub_security.sign_in(request, response, token)
    if only is not None:
        response.headers["location"] = f"{root_of(request)}/s/{only}/"
    return response


@router.get("/join")
def join(request: Request) -> Response:
    """Sign in with a link: a script takes the token out of its fragment, which no server has seen."""
    try:
        here = hub_security.at_hub(request).here
    except ActiveFSError:
        here = None
    return render(request, "hub/join.html", here, is_somebody=here is not None)


@router.post("/sign-out")
def sign_out(request: Request, at: AtHubHere, csrf: Csrf = "") -> Response:
    """Sign out everywhere on this server."""
    security.check_form(request, at.here, csrf)
    response = RedirectResponse(f"{root_of(request)}/sign-in", 303)
    hub_security.sign_out(request, response)
    return response


def error_page(request: Request, status: int, sentence: str) -> Response:
    """Show what went wrong."""
    if status == 401:
        tried = path_of(request) == "/sign-in" or PARAMETER in request.query_params
        return _sign_in_page(request, sentence if tried else "", status)
    here = None
    if status < 500:
        try:
            here = hub_security.at_hub(request).here
        except Exception:  # who is there matters less than what went wrong
            here = None
    return render(request, "hub/error.html", here, status=status, notice=sentence)


def _sign_in_page(request: Request, notice: str = "", status: int = 200) -> Response:
    is_open = security.is_open(hub_of(request))
    return render(request, "sign_in.html", None, status=status, notice=notice, open_to_all=is_open)
