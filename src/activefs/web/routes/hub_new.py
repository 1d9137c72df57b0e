"""Pages on which an owner of the server makes a study: send a table, see how it is read, choose, make it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData

from activefs.exceptions import ActiveFSError, InvalidInputError
from activefs.web import _security as security
from activefs.web._advice import HOW_READ, for_a_new_study
from activefs.web._choices import Choices
from activefs.web._errors import status_and_sentence
from activefs.web._form_file import FormFile
from activefs.web._how_read import Written, in_form, said_in, text_in
from activefs.web._hub_security import HubOwner
from activefs.web._hub_service import HubService, hub_of
from activefs.web._new_study import make_study, options_of
from activefs.web._rendering import render
from activefs.web._security import Visitor
from activefs.web._service import root_of
from activefs.web._uploads import Upload

UPLOAD = "/new"
MOST_SAID = 3 * 1024**2
"""Bytes that a form may have: instructions may be long."""
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
    fields: dict[str, str] = {}
    try:
        uploads = on.uploads
        form = FormFile(request, lambda token: security.check_form(request, here, token))
        fields = form.fields
        await form.find()
        sent = await uploads.receive(form.name, form.pieces(), lambda: said_in(fields))
    except ActiveFSError as error:
        status, sentence = status_and_sentence(error, for_a_new_study)
        return await run_in_threadpool(_ask, request, here, on, sentence, status, fields)
    return RedirectResponse(f"{root_of(request)}{UPLOAD}/{sent.id}", 303)


@router.get(f"{UPLOAD}/{{number}}")
def preview(request: Request, here: HubOwner, on: OnHub, number: str) -> Response:
    """Show how a table is read, and ask what is to be made of it."""
    found = on.uploads.find(number)
    return _choose(request, here, found, Choices(found.preview, name=found.name))


@router.post(f"{UPLOAD}/{{number}}")
async def make(request: Request, here: HubOwner, on: OnHub, number: str) -> Response:
    """Make the study, or read the table again, or say what is wrong with what was chosen."""
    form = await request.form(max_files=0, max_part_size=MOST_SAID)
    security.check_form(request, here, text_in(form, "csrf"))
    found = await run_in_threadpool(on.uploads.find, number)
    return await run_in_threadpool(_read_or_make, request, here, on, found, form)


@router.post(f"{UPLOAD}/{{number}}/discard")
def discard(request: Request, here: HubOwner, on: OnHub, number: str, csrf: Csrf = "") -> Response:
    """Remove a table that was sent."""
    security.check_form(request, here, csrf)
    on.uploads.discard(number)
    return RedirectResponse(f"{root_of(request)}{UPLOAD}", 303)


def _read_or_make(request: Request, here: Visitor, on: HubService, found: Upload, form: FormData) -> Response:
    written = Written(found, form)
    choices = Choices(found.preview, form)
    try:
        if written.is_of_another_reading:
            choices = Choices(found.preview, form, fresh=True)
            raise InvalidInputError("the table was read anew in another window: look at it again, and choose")
        if (wanted := written.wanted()) is not None:
            now = on.uploads.read_again(found, wanted)
            choices = Choices(now.preview, form, fresh=now.preview.names != found.preview.names)
            return _choose(request, here, now, choices, done="The table was read again.")
        options = options_of(found.preview, choices.said())
        name = choices["name"].strip()
        make_study(on.catalog, on.uploads, found, name, options, here.person.name)
    except ActiveFSError as error:
        status, sentence = status_and_sentence(error, for_a_new_study)
        return _choose(request, here, found, choices, written=written, notice=sentence, status=status)
    return RedirectResponse(f"{root_of(request)}/s/{name}/study", 303)


def _ask(
    request: Request,
    here: Visitor,
    on: HubService,
    notice: str = "",
    status: int = 200,
    typed: Mapping[str, str] | None = None,
) -> Response:
    why = on.catalog.why_not_new()
    view: dict[str, Any] = {
        "waiting": [] if why else on.uploads.all(),
        "why_not": why,
        "limit": on.max_upload,
        "notice": notice,
        "how_read": HOW_READ,
        "typed": {name: (typed or {}).get(name, "") for name in HOW_READ},
        "is_open": bool(notice),
    }
    return render(request, "hub/new.html", here, status=status, **view)


def _choose(
    request: Request,
    here: Visitor,
    found: Upload,
    choices: Choices,
    *,
    written: Written | None = None,
    notice: str = "",
    done: str = "",
    status: int = 200,
) -> Response:
    written = written or Written(found)
    view: dict[str, Any] = {
        "upload": found,
        "preview": found.preview,
        "notes": [for_a_new_study(note) for note in found.preview.notes],
        "choices": choices,
        "notice": notice,
        "done": done,
        "how_read": {name: HOW_READ[name] for name in found.settings},
        "found_out": in_form(found.preview.dialect),
        "typed": written.typed,
        "is_open": bool(done or written.asks or written.differs),
        "tried": written.key if written.asks or written.differs else "",
    }
    return render(request, "hub/preview.html", here, status=status, **view)
