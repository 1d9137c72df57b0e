"""Downloads over the REST API: labels and the log, in several formats, piece by piece."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from activefs.exceptions import NotAllowedError
from activefs.study import FORMATS, Export, Format, export
from activefs.web._advice import PREFIX
from activefs.web._security import OwnerHere, ReaderHere
from activefs.web._service import Service, service_here
from activefs.web.routes.api import BEARER, PROBLEMS, as_file

_FILES: dict[int | str, dict[str, Any]] = {
    200: {"content": {kind: {"schema": {"type": "string", "format": "binary"}} for kind in FORMATS.values()}}
}
router = APIRouter(prefix=PREFIX, responses=PROBLEMS, dependencies=[Depends(BEARER)])
On = Annotated[Service, Depends(service_here)]


class LogWanted(BaseModel):
    """How the log is to be written."""

    format: Format = Field(Format.CSV, description="What to write.")
    spreadsheet_safe: bool = Field(
        False,
        description="Put an apostrophe before cells of CSV that a spreadsheet would take for a formula.",
    )


class LabelsWanted(LogWanted):
    """How labels are to be written."""

    joined: bool = Field(False, description="Add all columns of the table (owners only).")


@router.get("/labels", response_class=Response, responses=_FILES)
def download_labels(here: ReaderHere, on: On, wanted: Annotated[LabelsWanted, Query()]) -> StreamingResponse:
    """Download all labels: row, label, annotator, time, kind; with the columns of the table, for owners.

    CSV also says what was corrected, noted or flagged if anything was; the other formats always do.
    """
    if wanted.joined and not here.person.is_owner:
        raise NotAllowedError("only an owner of the study may have all columns of the table: leave out joined")
    return _streamed(export(on.engine, wanted.format, joined=wanted.joined, spreadsheet_safe=wanted.spreadsheet_safe))


@router.get("/log", response_class=Response, responses=_FILES)
def download_log(here: OwnerHere, on: On, wanted: Annotated[LogWanted, Query()]) -> StreamingResponse:
    """Download the whole log, entry by entry: who was asked, who answered what when, what was taken back (owners)."""
    return _streamed(export(on.engine, wanted.format, log=True, spreadsheet_safe=wanted.spreadsheet_safe))


def _streamed(found: Export) -> StreamingResponse:
    return StreamingResponse(found.pieces, media_type=found.media_type, headers=as_file(found.file_name))
