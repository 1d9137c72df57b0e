"""Files of rows: images, sound and videos below the folder that the server was started with."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Response
from fastapi.responses import FileResponse
from starlette.exceptions import HTTPException

from activefs.web._media import find_file
from activefs.web._security import Here
from activefs.web._service import Service, service_here

router = APIRouter(include_in_schema=False)
_HEADERS = {
    # Whoever opens a file by itself sees it, and nothing in it can act: an SVG image may hold scripts.
    "Content-Security-Policy": "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; "
    "sandbox",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "private, max-age=3600",
}


@router.api_route("/media/{row}/{column}", methods=["GET", "HEAD"])
def media(here: Here, on: Annotated[Service, Depends(service_here)], row: int, column: int) -> Response:
    """Send the file that a row of the study names, whole or in part."""
    found = find_file(on.engine, on.media, row, column)
    if found is None:
        raise HTTPException(404, "there is no such file in the folder of the study's media")
    path, kind = found
    return FileResponse(path, media_type=kind, headers=_HEADERS)
