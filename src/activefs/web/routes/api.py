"""The REST API: everything that the page does."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Path, Query, Request, Response
from fastapi.responses import HTMLResponse, PlainTextResponse
from fastapi.security import HTTPBearer
from starlette.concurrency import run_in_threadpool

from activefs.study import OF_OTHERS, Filter, import_csv, review, selection_csv
from activefs.web._advice import PREFIX
from activefs.web._looking import looked_at
from activefs.web._models import (
    AnsweredOut,
    AnswerIn,
    AnswerOut,
    AnswersWanted,
    CorrectionIn,
    CurveOut,
    DisagreementOut,
    ForecastOut,
    ImportedOut,
    LeaseOut,
    Me,
    PointOut,
    Problem,
    QuestionsIn,
    QuestionsOut,
    SettlementIn,
    SkipIn,
    StudyOut,
    UndoIn,
)
from activefs.web._security import CSRF_HEADER, Here, OwnerHere, ReaderHere, reader_of, sees_all
from activefs.web._service import Service, service_here
from activefs.web._views import (
    answer_out,
    curve_out,
    disagreements_out,
    forecast_out,
    lease_out,
    questions_out,
    study_out,
)

PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "The request is malformed."},
    401: {"model": Problem, "description": "The token is missing or wrong."},
    403: {"model": Problem, "description": "Not yours to change."},
    409: {"model": Problem, "description": "The question is not open any more, or there is nothing to take back."},
    413: {"model": Problem, "description": "The body is too large."},
    422: {"model": Problem, "description": "The content is not acceptable."},
    503: {"model": Problem, "description": "The database cannot be reached."},
}
_CSV: dict[int | str, dict[str, Any]] = {200: {"content": {"text/csv": {"schema": {"type": "string"}}}}}
_HTML: dict[int | str, dict[str, Any]] = {200: {"content": {"text/html": {"schema": {"type": "string"}}}}}
# It only describes the header; who is there is found out by `Here`, which knows cookies as well.
BEARER = HTTPBearer(auto_error=False, description="The personal token of an annotator.")
router = APIRouter(
    prefix=PREFIX,
    responses=PROBLEMS,
    dependencies=[Depends(BEARER)],
)
On = Annotated[Service, Depends(service_here)]


@router.get("/me")
def me(here: Here, response: Response) -> Me:
    """Say who you are.

    To whoever is signed in by a cookie, the header X-CSRF-Token of the reply says what that header of requests that
    change something must be; a token needs no such header.
    """
    if here.has_cookie:
        response.headers[CSRF_HEADER] = here.csrf
    return Me(name=here.person.name, role=here.person.role.value)


@router.get("/study")
async def study(here: Here, on: On) -> StudyOut:
    """Say where the study stands: progress, current top k with intervals, who did how much."""
    found = await looked_at(on, "status")
    return await run_in_threadpool(study_out, on.engine, found.value)


@router.get("/history")
async def history(here: Here, on: On) -> list[PointOut]:
    """Say how the top k settled, label by label (with steps, if there are many)."""
    return [PointOut(**asdict(p)) for p in (await looked_at(on, "history")).value]


@router.get("/forecast")
async def forecast(here: Here, on: On) -> ForecastOut:
    """Say about how many more labels it takes until the chosen features are expected to lack little."""
    return forecast_out(on.engine, (await looked_at(on, "forecast")).value)


@router.get("/curve")
async def curve(here: Here, on: On) -> CurveOut:
    """Say what 1 to 2k features tell, each alone and together: how many are needed."""
    found = await looked_at(on, "curve")
    return curve_out(found.value, found.labels)


@router.post("/questions")
def questions(request: Request, here: Here, wanted: Annotated[QuestionsIn | None, Body()] = None) -> QuestionsOut:
    """Lease rows until you hold as many as wanted; what you hold already comes first."""
    return questions_out(request, here.person, 1 if wanted is None else wanted.count)


@router.post("/questions/{number}/renew")
def renew(here: Here, on: On, number: Annotated[int, Path(ge=1, le=2**53)]) -> LeaseOut:
    """Keep a question that you are still at: once half of its time is over, it begins anew."""
    return lease_out(on.engine, on.engine.renew(here.person, number))


@router.delete("/questions", status_code=204)
def give_back(here: Here, on: On) -> None:
    """Give back all rows that you hold."""
    on.engine.release(here.person)


@router.post("/answers")
def answer(request: Request, here: Here, on: On, said: AnswerIn) -> AnsweredOut:
    """Answer a question. When this returns, the answer is safe; sending it twice changes nothing."""
    kept = on.engine.answer(here.person, said.question, said.label, note=said.note, flag=said.flag)
    following = questions_out(request, here.person) if said.next else None
    return AnsweredOut(answer=answer_out(on.engine, kept), next=following)


@router.post("/skips")
def skip(request: Request, here: Here, on: On, said: SkipIn) -> AnsweredOut:
    """Say that a question cannot be answered."""
    kept = on.engine.skip(here.person, said.question, note=said.note, flag=said.flag)
    following = questions_out(request, here.person) if said.next else None
    return AnsweredOut(answer=answer_out(on.engine, kept), next=following)


@router.post("/undo")
def undo(here: Here, on: On, said: Annotated[UndoIn | None, Body()] = None) -> AnswerOut:
    """Take back your last answer, or that of a row; the row is leased to you again."""
    row = None if said is None or said.row is None else on.engine.names.row(said.row)
    return answer_out(on.engine, on.engine.undo(here.person, row, most=on.engine.settings.hold))


@router.post("/corrections")
def correct(here: Here, on: On, said: CorrectionIn) -> AnswerOut:
    """Replace the label of a row that you answered (an owner: of any row)."""
    return answer_out(on.engine, on.engine.correct(here.person, on.engine.names.row(said.row), said.label))


@router.get("/disagreements")
def disagreements(here: OwnerHere, on: On) -> list[DisagreementOut]:
    """List rows with two different answers, which are to be settled (owners only)."""
    return disagreements_out(on.engine)


@router.post("/settlements")
def settle(here: OwnerHere, on: On, said: SettlementIn) -> AnswerOut:
    """Decide about a row that two annotators answered (owners only)."""
    return answer_out(on.engine, on.engine.settle(here.person, on.engine.names.row(said.row), said.label))


@router.get("/answers")
def answers(request: Request, here: Here, on: On, wanted: Annotated[AnswersWanted, Query()]) -> list[AnswerOut]:
    """List answers, the latest first; while rows are answered by two annotators, those see their own only."""
    annotator = wanted.annotator
    if not sees_all(request, here.person):
        if annotator not in (None, here.person.name) or wanted.kind in OF_OTHERS:
            reader_of(request, here)
        annotator = here.person.name
    found = review(on.engine, Filter(wanted.label, annotator, wanted.kind, wanted.row))
    return [answer_out(on.engine, a) for a in found[: wanted.limit]]


@router.post(
    "/labels",
    openapi_extra={"requestBody": {"required": True, "content": {"text/csv": {"schema": {"type": "string"}}}}},
)
async def upload_labels(here: OwnerHere, on: On, request: Request) -> ImportedOut:
    """Import labels from CSV with the columns row and label, all or none (owners only)."""
    content = await request.body()
    new, total = await run_in_threadpool(import_csv, on.engine, content, here.person)
    return ImportedOut(new=new, total=total)


@router.get("/selection", response_class=Response, responses=_CSV)
async def download_selection(here: Here, on: On) -> PlainTextResponse:
    """Download the current top k as CSV."""
    content = selection_csv((await looked_at(on, "status")).value)
    return PlainTextResponse(content, media_type="text/csv", headers=as_file("selection.csv"))


@router.get("/report", response_class=Response, responses=_HTML)
async def download_report(here: ReaderHere, on: On) -> HTMLResponse:
    """Download a report: one HTML file with tables and pictures."""
    return HTMLResponse((await looked_at(on, "report")).value, headers=as_file("report.html"))


def as_file(name: str) -> dict[str, str]:
    """Headers of a reply that a browser keeps as a file."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}
