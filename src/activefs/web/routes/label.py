"""Labelling in the browser: one row, an answer, the next row."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request, Response
from fastapi.responses import HTMLResponse

from activefs.exceptions import InvalidInputError, NothingToUndo, StaleQuestionError
from activefs.web import _security as security
from activefs.web._errors import status_and_sentence
from activefs.web._security import Here
from activefs.web._service import Service, root_of, service_here
from activefs.web._work import Draft, done, doubt_about, work_page

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
On = Annotated[Service, Depends(service_here)]
Csrf = Annotated[str, Form()]
QuestionId = Annotated[int, Form(ge=1, le=2**53)]
Typed = Annotated[str, Form()]
_NOT_TAKEN = (StaleQuestionError, InvalidInputError)


@router.get("/")
def label(request: Request, here: Here) -> Response:
    """Show one row, to be labelled."""
    return work_page(request, here)


@router.post("/answer")
def answer(
    request: Request,
    here: Here,
    on: On,
    question: QuestionId,
    label: Typed = "",
    instead: Typed = "",
    confirmed: Typed = "",
    note: Typed = "",
    flag: Typed = "",
    csrf: Csrf = "",
) -> Response:
    """Take an answer and show the next row; a new class is asked about first."""
    security.check_form(request, here, csrf)
    said = instead or label
    draft = Draft(question, said, note, bool(flag))
    try:
        if (doubt := doubt_about(on, said, confirmed)) is not None:
            return work_page(request, here, draft=draft, doubt=doubt)
        on.engine.answer(here.person, question, said, text=True, note=note, flag=bool(flag))
    except _NOT_TAKEN as error:
        status, sentence = status_and_sentence(error)
        return work_page(request, here, sentence, status, draft=draft)
    return done(request, here)


@router.post("/skip")
def skip(
    request: Request,
    here: Here,
    on: On,
    question: QuestionId,
    note: Typed = "",
    flag: Typed = "",
    csrf: Csrf = "",
) -> Response:
    """Set the row aside and show the next one."""
    security.check_form(request, here, csrf)
    try:
        kept = on.engine.skip(here.person, question, note=note, flag=bool(flag))
    except _NOT_TAKEN as error:
        status, sentence = status_and_sentence(error)
        return work_page(request, here, sentence, status, draft=Draft(question, "", note, bool(flag)))
    return done(request, here, f"Skipped row {on.engine.names.of(kept.row)}.")


@router.post("/undo")
def undo(
    request: Request,
    here: Here,
    on: On,
    row: Annotated[str | None, Form()] = None,
    answer: Annotated[int | None, Form(ge=1, le=2**53)] = None,
    back: Annotated[str | None, Form(max_length=4000)] = None,
    csrf: Csrf = "",
) -> Response:
    """Take the last answer back, or that of a row, and show the row again.

    With the number of the answer, it may be sent again after a lost connection: no other answer is taken back then.
    """
    security.check_form(request, here, csrf)
    at = None if row is None else on.engine.names.row(row)
    try:
        taken = on.engine.undo(here.person, at, answer=answer, most=on.engine.settings.hold)
    except NothingToUndo:
        if answer is None:
            raise
        return done(request, here, "That answer has been taken back.")
    if back is not None and "HX-Request" in request.headers:  # from the list of answers to the row
        return Response(headers={"HX-Redirect": f"{root_of(request)}/"})
    return done(request, here, f"Took back the answer for row {on.engine.names.of(taken.row)}: answer it again.")
