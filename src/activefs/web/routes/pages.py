"""Pages: sign in, look at the study."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.concurrency import run_in_threadpool

from activefs.exceptions import ActiveFSError, NotAllowedError
from activefs.study import Found, Shown
from activefs.web import _security as security
from activefs.web._door import PARAMETER
from activefs.web._looking import newest, newest_status
from activefs.web._rendering import render
from activefs.web._security import Here, NotSignedIn, Visitor, sees_all
from activefs.web._service import Service, path_of, root_of, service_here, service_of
from activefs.web._views import curve_out, forecast_out, study_out
from activefs.web._work import work_page
from activefs.web.routes import answers, media
from activefs.web.routes import label as labelling

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
router.include_router(labelling.router)
router.include_router(answers.router)
router.include_router(media.router)
On = Annotated[Service, Depends(service_here)]
Csrf = Annotated[str, Form()]


@router.get("/study")
async def study(request: Request, here: Here, on: On) -> Response:
    """Show where the study stands."""
    shown = await newest_status(on)
    return await run_in_threadpool(_study, request, here, on, "study.html", shown)


@router.get("/study/now")
async def study_now(request: Request, here: Here, on: On, after: Annotated[int, Query(ge=0, le=2**53)] = 0) -> Response:
    """Show what is new since an entry of the log; nothing, if nothing is."""
    if await run_in_threadpool(_last, on) == after:
        return Response(status_code=204)
    shown = await newest_status(on)
    return await run_in_threadpool(_study, request, here, on, "_study.html", shown)


@router.get("/study/outlook")
async def study_outlook(request: Request, here: Here, on: On) -> Response:
    """Show when it will be done, and how many features are needed: what takes a while to compute."""
    ahead, needed = await newest(on, "forecast"), await newest(on, "curve")
    if ahead is None or needed is None:
        return await run_in_threadpool(render, request, "_outlook_soon.html", here)
    return await run_in_threadpool(_outlook, request, here, on, ahead, needed)


def _study(request: Request, here: Visitor, on: Service, template: str, shown: Shown | None) -> Response:
    """Show the status that is known; if none is, that it will be."""
    study = None if shown is None else study_out(on.engine, shown.status)
    with on.engine.reading() as state:
        count = len(state.told)
    as_of, last = (0, 0) if shown is None else (shown.labels, shown.last)
    view: dict[str, Any] = {
        "study": study,
        "k": on.engine.settings.k,
        "count": count,
        "as_of": as_of,
        "last": last,
        "sees_all": sees_all(request, here.person),
    }
    return render(request, template, here, **view)


def _outlook(request: Request, here: Visitor, on: Service, ahead: Found, needed: Found) -> Response:
    with on.engine.reading() as state:
        count = len(state.told)
    view: dict[str, Any] = {
        "ahead": forecast_out(on.engine, ahead.value),
        "needed": curve_out(needed.value, needed.labels),
        "as_of": min(ahead.labels, needed.labels),  # either may be older, and the page asks again until neither is
        "count": count,
    }
    return render(request, "_outlook.html", here, **view)


def _last(on: Service) -> int:
    with on.engine.reading() as state:
        return state.last


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


@router.get("/join")
def join(request: Request) -> Response:
    """Sign in with a link: a script takes the token out of its fragment, which no server has seen."""
    try:
        here = security.visitor_of(request)
    except ActiveFSError:
        here = None
    return render(request, "join.html", here, is_somebody=here is not None)


@router.post("/sign-out")
def sign_out(request: Request, here: Here, on: On, csrf: Csrf = "") -> Response:
    """Sign out, and give the row back."""
    security.check_form(request, here, csrf)
    with suppress(NotAllowedError):  # of an archived study nobody gets rows anyway
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
        return work_page(request, here, sentence, status)
    return render(request, "error.html", here, status=status, notice=sentence)


def _sign_in_page(request: Request, notice: str = "", status: int = 200) -> Response:
    is_open = security.is_open(service_of(request))
    return render(request, "sign_in.html", None, status=status, notice=notice, open_to_all=is_open)
