"""Pages on which an owner of the server makes a study: send a table, see how it is read, choose, make it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.concurrency import run_in_threadpool

from activefs.exceptions import ActiveFSError
from activefs.web import _security as security
from activefs.web._choices import Choices
from activefs.web._errors import status_and_sentence
from activefs.web._form_file import FormFile
from activefs.web._hub_security import HubOwner
from activefs.web._hub_service import HubService, hub_of
from activefs.web._new_study import make_study, options_of
from activefs.web._rendering import render
from activefs.web._security import Visitor
from activefs.web._service import root_of
from activefs.web._uploads import Upload

UPLOAD = "/new"
router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
OnHub = Annotated[HubService, Depends(hub_of)]
Csrf = Annotated[str, Form()]


@router.get(UPLOAD)
def new(request: Request, here: HubOwner, on: OnHub) -> Response:
    """Ask for a table."""
    return _ask(request, here, on)


@router.post(UPLOAD)
async def upload(request: Request, here: HubOwner, on: OnHub) -> Response:
    """Take a table, and show how it is read; its size is limited while it comes."""
    try:
        uploads = on.uploads
        form = FormFile(request, lambda token: security.check_form(request, here, token))
        await form.find()
        sent = await uploads.receive(form.name, form.pieces())
    except ActiveFSError as error:
        status, sentence = status_and_sentence(error)
        return await run_in_threadpool(_ask, request, here, on, sentence, status)
    return RedirectResponse(f"{root_of(request)}{UPLOAD}/{sent.id}", 303)


@router.get(f"{UPLOAD}/{{number}}")
def preview(request: Request, here: HubOwner, on: OnHub, number: str) -> Response:
    """Show how a table is read, and ask what is to be made of it."""
    found = on.uploads.find(number)
    return _choose(request, here, found, Choices(found.preview, name=found.name))


@router.post(f"{UPLOAD}/{{number}}")
async def make(request: Request, here: HubOwner, on: OnHub, number: str) -> Response:
    """Make the study, or say what is wrong with what was chosen."""
    form = await request.form(max_files=0)
    token = form.get("csrf", "")
    security.check_form(request, here, token if isinstance(token, str) else "")
    found = await run_in_threadpool(on.uploads.find, number)
    choices = Choices(found.preview, form)
    name = choices["name"].strip()
    try:
        options = options_of(found.preview, choices.said())
        await run_in_threadpool(make_study, on.catalog, on.uploads, found, name, options, here.person.name)
    except ActiveFSError as error:
        status, sentence = status_and_sentence(error)
        return await run_in_threadpool(_choose, request, here, found, choices, sentence, status)
    return RedirectResponse(f"{root_of(request)}/s/{name}/study", 303)


@router.post(f"{UPLOAD}/{{number}}/discard")
def discard(request: Request, here: HubOwner, on: OnHub, number: str, csrf: Csrf = "") -> Response:
    """Remove a table that was sent."""
    security.check_form(request, here, csrf)
    on.uploads.discard(number)
    return RedirectResponse(f"{root_of(request)}{UPLOAD}", 303)


def _ask(request: Request, here: Visitor, on: HubService, notice: str = "", status: int = 200) -> Response:
    why = on.catalog.why_not_new()
    view: dict[str, Any] = {
        "waiting": [] if why else on.uploads.all(),
        "why_not": why,
        "limit": on.max_upload,
        "notice": notice,
    }
    return render(request, "hub/new.html", here, status=status, **view)


def _choose(
    request: Request, here: Visitor, found: Upload, choices: Choices, notice: str = "", status: int = 200
) -> Response:
    notes = [note.replace("missing='value'", "the box 'A missing value is ...' below") for note in found.preview.notes]
    view: dict[str, Any] = {"upload": found, "preview": found.preview, "notes": notes, "choices": choices}
    view["notice"] = notice
    return render(request, "hub/preview.html", here, status=status, **view)
