"""Errors as answers: a status, and a sentence that helps, as a page or as JSON."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import compile_path

from activefs.exceptions import (
    ActiveFSError,
    InvalidInputError,
    NotAllowedError,
    NothingToUndo,
    StaleQuestionError,
    StorageError,
)
from activefs.web._advice import for_programs, for_the_page
from activefs.web._security import NotSignedIn
from activefs.web._service import path_of

logger = logging.getLogger("activefs.web")

# From the special to the general: the first that fits counts.
_STATUS: tuple[tuple[type[Exception], int], ...] = (
    (NotSignedIn, 401),
    (NotAllowedError, 403),
    (StaleQuestionError, 409),
    (NothingToUndo, 409),
    (InvalidInputError, 422),
    (StorageError, 503),
    (ActiveFSError, 400),
)
_AWAY = (
    "The database cannot be used just now, and the log of the server says why. Nothing that was acknowledged is lost; "
    "try again in a moment."
)


def install(app: FastAPI) -> None:
    """Answer every error in the way of the page or of the API.

    The handlers are no coroutines: they look into the database, which may take its time, in a thread of their own.
    """

    def http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        said = error.detail if isinstance(error.detail, str) else HTTPStatus(error.status_code).phrase
        if error.status_code == 404 and said == "Not Found":
            said = f"there is nothing at {request.url.path[:200]}"
        headers = dict(error.headers or {})
        if error.status_code == 405:
            said = f"{request.method} is not possible at {request.url.path[:200]}"
            # Routes know their own method only; the description knows all methods of a path.
            if methods := _methods(request):
                headers["allow"] = ", ".join(sorted(method.upper() for method in methods))
        return answer(request, error.status_code, _sentence(said), headers)

    def invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return answer(request, 422, _sentence("the request cannot be understood: " + _listed(error)))

    def unexpected(request: Request, error: Exception) -> Response:
        logger.error("unexpected error", exc_info=error)  # no exception is being handled any more
        return answer(request, 500, "Something went wrong on our side; nothing that was acknowledged is lost.")

    def gone(request: Request, error: Exception) -> Response:
        return Response(status_code=400)  # nobody is there any more to read it

    app.add_exception_handler(ActiveFSError, explained)
    app.add_exception_handler(ClientDisconnect, gone)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(Exception, unexpected)


def explained(request: Request, error: Exception) -> Response:
    """Answer an error of ours with its status and its sentence."""
    status = next(code for kind, code in _STATUS if isinstance(error, kind))
    if status >= 500:
        # What the database says about itself is for whoever runs the server.
        logger.error("%s", error)
        return answer(request, status, _AWAY)
    said = for_programs(str(error)) if _is_program(request) else for_the_page(str(error))
    return answer(request, status, _sentence(said))


def answer(request: Request, status: int, sentence: str, headers: dict[str, str] | None = None) -> Response:
    """Say what is wrong: in JSON to programs, on a page to people."""
    headers = dict(headers or {})
    sentence = sentence.encode("utf-8", "replace").decode()
    if _is_program(request):
        if status == 401:
            headers["WWW-Authenticate"] = "Bearer"
        return problem(status, sentence, headers)
    response: Response = request.app.state.error_page(request, status, sentence)  # pages know how errors look
    response.headers.update(headers)
    return response


def problem(status: int, sentence: str, headers: dict[str, str] | None = None) -> Response:
    """Say what is wrong to a program."""
    body: dict[str, Any] = {"status": status, "title": HTTPStatus(status).phrase, "message": sentence}
    return JSONResponse(body, status, headers)


def status_and_sentence(error: ActiveFSError, words: Callable[[str], str] = for_the_page) -> tuple[int, str]:
    """Say what is wrong to people at a page, in its words, for whoever shows it there."""
    status = next(code for kind, code in _STATUS if isinstance(error, kind))
    if status >= 500:
        logger.error("%s", error)
        return status, _AWAY
    return status, _sentence(words(str(error)))


def _methods(request: Request) -> list[str]:
    """List what is possible at a path, as the description of the API says."""
    paths: dict[str, dict[str, Any]] = request.app.openapi()["paths"]
    path = path_of(request)
    return next((list(methods) for at, methods in paths.items() if compile_path(at)[0].match(path)), [])


def _is_program(request: Request) -> bool:
    return path_of(request).startswith("/api/")


def _listed(error: RequestValidationError) -> str:
    """Say what is wrong where. What was sent is not repeated: it may be huge, or not even be text."""
    said = []
    for one in error.errors()[:5]:
        place = ".".join(str(part) for part in one["loc"][1:])
        if one["type"] == "json_invalid":
            said.append(f"the body is no JSON (see its character {place})")
        elif not place:
            said.append("the body must be JSON, sent with the header 'Content-Type: application/json'")
        else:
            said.append(f"{place}: {one['msg']}")
    return "; ".join(said)


def _sentence(text: str) -> str:
    """Begin with a capital, unless that is the name of a file, and end with a full stop."""
    begun = text if re.match(r"\S+\.\w+\s", text) else text[:1].upper() + text[1:]
    return begun + ("" if text.endswith((".", "!", "?")) else ".")
