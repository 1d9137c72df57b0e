"""Answers: looked at, corrected, settled."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from activefs.exceptions import InvalidInputError, NotAllowedError
from activefs.web import _security as security
from activefs.web._errors import status_and_sentence
from activefs.web._review import Place, review_page
from activefs.web._security import Here
from activefs.web._service import Service, root_of, service_here
from activefs.web._work import done, doubt_about, work_page

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
On = Annotated[Service, Depends(service_here)]
Typed = Annotated[str, Form()]


@router.get("/answers")
def answers(request: Request, here: Here) -> Response:
    """List answers, to be corrected or taken back: one's own, or as an owner those of all."""
    return review_page(request, here, Place.of(request.url.query))


@router.post("/correct")
def correct(
    request: Request,
    here: Here,
    on: On,
    row: Typed,
    label: Typed = "",
    instead: Typed = "",
    confirmed: Typed = "",
    settle: Typed = "",
    back: Annotated[str | None, Form(max_length=4000)] = None,
    csrf: Typed = "",
) -> Response:
    """Replace the label of a row, or decide between two, and go back to where that was done."""
    security.check_form(request, here, csrf)
    said, place = instead or label, Place.of(back or "")
    try:
        if (doubt := doubt_about(on, said, confirmed, row=row, back=back, settle=settle or None)) is not None:
            if back is not None:
                return review_page(request, here, place, doubt=doubt)
            return work_page(request, here, doubt=doubt)
        change = on.engine.settle if settle else on.engine.correct
        kept = change(here.person, on.engine.names.row(row), said, text=True)
    except (InvalidInputError, NotAllowedError) as error:
        if back is None:
            raise
        status, sentence = status_and_sentence(error)
        return review_page(request, here, place, sentence, status)
    ranges = "" if on.engine.rules.ranges is None else f" ({kept.told.label})"
    notice = f"Row {on.engine.names.of(kept.row)} is now {kept.label}{ranges}."
    if back is None:
        return done(request, here, notice)
    if "HX-Request" in request.headers:
        return review_page(request, here, place, notice)
    return RedirectResponse(f"{root_of(request)}/answers?{place.query()}#answer-{kept.id}", 303)
