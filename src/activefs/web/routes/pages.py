"""Pages: sign in, label, look at the study."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from activefs.web import _security as security
from activefs.web._door import PARAMETER
from activefs.web._rendering import render
from activefs.web._security import Here, NotSignedIn, Visitor
from activefs.web._service import Service, path_of, root_of, service_of
from activefs.web._views import (
    answer_out,
    choices,
    curve_out,
    forecast_out,
    how_answered,
    questions_out,
    study_out,
)

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
On = Annotated[Service, Depends(service_of)]
Csrf = Annotated[str, Form()]
_RECENT = 5
_ON_A_SHEET = 50
_SHEETS = 1_000_000


@router.get("/")
def label(request: Request, here: Here) -> Response:
    """Show one row, to be labelled."""
    return _work(request, here)


@router.post("/answer")
def answer(
    request: Request,
    here: Here,
    on: On,
    question: Annotated[int, Form()],
    label: Annotated[str, Form()] = "",
    csrf: Csrf = "",
) -> Response:
    """Take an answer and show the next row."""
    security.check_form(request, here, csrf)
    on.engine.answer(here.person, question, label, text=True)
    return _done(request, here)


@router.post("/skip")
def skip(request: Request, here: Here, on: On, question: Annotated[int, Form()], csrf: Csrf = "") -> Response:
    """Set the row aside and show the next one."""
    security.check_form(request, here, csrf)
    kept = on.engine.skip(here.person, question)
    return _done(request, here, f"Skipped row {on.engine.names.of(kept.row)}.")


@router.post("/undo")
def undo(request: Request, here: Here, on: On, row: Annotated[str | None, Form()] = None, csrf: Csrf = "") -> Response:
    """Take the last answer back, or that of a row, and show the row again."""
    security.check_form(request, here, csrf)
    taken = on.engine.undo(here.person, None if row is None else on.engine.names.row(row))
    return _done(request, here, f"Took back the answer for row {on.engine.names.of(taken.row)}: answer it again.")


@router.post("/correct")
def correct(
    request: Request,
    here: Here,
    on: On,
    row: Annotated[str, Form()],
    label: Annotated[str, Form()] = "",
    sheet: Annotated[int | None, Form(ge=1, le=_SHEETS)] = None,
    csrf: Csrf = "",
) -> Response:
    """Replace the label of a row, and go back to where that was done."""
    security.check_form(request, here, csrf)
    kept = on.engine.correct(here.person, on.engine.names.row(row), label, text=True)
    if sheet is not None:
        return RedirectResponse(f"{root_of(request)}/answers?sheet={sheet}", 303)
    ranges = "" if on.engine.rules.ranges is None else f" ({kept.told.label})"
    return _done(request, here, f"Row {on.engine.names.of(kept.row)} is now {kept.label}{ranges}.")


@router.get("/answers")
def answers(request: Request, here: Here, on: On, sheet: Annotated[int, Query(ge=1, le=_SHEETS)] = 1) -> Response:
    """List answers, to be corrected or taken back: one's own, or as an owner those of all."""
    engine = on.engine
    with engine.reading() as state:
        found = state.answers(None if here.person.is_owner else here.person.name)[::-1]
    sheets = max(1, -(-len(found) // _ON_A_SHEET))
    sheet = min(sheet, sheets)
    view: dict[str, Any] = {
        "answers": [answer_out(engine, a) for a in found[(sheet - 1) * _ON_A_SHEET : sheet * _ON_A_SHEET]],
        "classes": choices(engine),
        "how": how_answered(engine),
        "total": len(found),
        "sheet": sheet,
        "sheets": sheets,
    }
    return render(request, "answers.html", here, **view)


@router.get("/study")
def study(request: Request, here: Here, on: On) -> Response:
    """Show where the study stands."""
    return render(request, "study.html", here, study=study_out(on.engine, on.reader.status()))


@router.get("/study/now")
def study_now(request: Request, here: Here, on: On, after: Annotated[int, Query(ge=0, le=2**53)] = 0) -> Response:
    """Show what is new since an entry of the log; nothing, if nothing is."""
    with on.engine.reading() as state:
        if state.last == after:
            return Response(status_code=204)
    return render(request, "_study.html", here, study=study_out(on.engine, on.reader.status()))


@router.get("/study/outlook")
def study_outlook(request: Request, here: Here, on: On) -> Response:
    """Show when it will be done, and how many features are needed: what takes a while to compute."""
    moment = on.reader.moment()
    ahead = forecast_out(on.engine, on.reader.forecast(moment))
    needed = curve_out(on.reader.curve(moment), len(moment.position.told))
    return render(request, "_outlook.html", here, ahead=ahead, needed=needed)


@router.get("/sign-in")
def sign_in_form(request: Request) -> Response:
    """Ask for the token."""
    return _sign_in_page(request)


@router.post("/sign-in")
def sign_in(request: Request, token: Annotated[str, Form()] = "") -> Response:
    """Sign in."""
    security.refuse_other_sites(request)
    response = RedirectResponse(f"{root_of(request)}/", 303)
    security.sign_in(request, response, token)
    return response


@router.post("/sign-out")
def sign_out(request: Request, here: Here, on: On, csrf: Csrf = "") -> Response:
    """Sign out, and give the row back."""
    security.check_form(request, here, csrf)
    on.engine.release(here.person)
    response = RedirectResponse(f"{root_of(request)}/sign-in", 303)
    security.sign_out(request, response, here.gate)
    return response


def error_page(request: Request, status: int, sentence: str) -> Response:
    """Show what went wrong, where the person was."""
    is_htmx = "HX-Request" in request.headers
    try:
        if status == 401 or status >= 500:  # nobody is there, or the database that knows them is away
            raise NotSignedIn
        here = security.visitor_of(request)
    except Exception:
        if status == 401 and is_htmx:
            return Response(status_code=401, headers={"HX-Redirect": f"{root_of(request)}/sign-in"})
        if status == 401:
            tried = path_of(request) == "/sign-in" or PARAMETER in request.query_params
            return _sign_in_page(request, sentence if tried else "", status)
        return render(request, "error.html", None, status=status, notice=sentence)
    if status in (403, 409, 422) and request.method == "POST":
        return _work(request, here, sentence, status)
    return render(request, "error.html", here, status=status, notice=sentence)


def _sign_in_page(request: Request, notice: str = "", status: int = 200) -> Response:
    is_open = security.is_open(service_of(request))
    return render(request, "sign_in.html", None, status=status, notice=notice, open_to_all=is_open)


def _done(request: Request, here: Visitor, notice: str = "") -> Response:
    """Show the next row; a browser without scripts is sent to the page, so that reloading it sends nothing twice."""
    if "HX-Request" in request.headers:
        return _work(request, here, notice)
    return RedirectResponse(f"{root_of(request)}/", 303)


def _work(request: Request, here: Visitor, notice: str = "", status: int = 200) -> Response:
    engine = service_of(request).engine
    asked = questions_out(engine, here.person)
    with engine.reading() as state:
        mine = state.answers(here.person.name)[: -_RECENT - 1 : -1]
        cost = engine.cost(list(state.told))
        count, done = len(state.told), sum(a.annotator == here.person.name for a in state.told.values())
    view: dict[str, Any] = {
        "asked": asked,
        "classes": asked.classes,
        "how": how_answered(engine),
        "sheet": None,
        "recent": [answer_out(engine, a) for a in mine],
        "count": count,
        "done": done,
        "budget": engine.settings.budget,
        "cost": cost,
        "prompt": engine.settings.question,
        "notice": notice,
        "failed": status >= 400,
    }
    template = "_work.html" if "HX-Request" in request.headers else "label.html"
    return render(request, template, here, status=status, **view)
