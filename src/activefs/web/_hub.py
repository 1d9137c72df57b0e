"""The application that serves several studies: a page that lists them, and below it each one as it is alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import anyio.to_thread
from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse
from starlette.concurrency import run_in_threadpool
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from activefs import __version__
from activefs.catalog import Catalog
from activefs.exceptions import ActiveFSError, StorageError
from activefs.study import StudyEngine
from activefs.web import _errors
from activefs.web._app import create_app, enter_or_say
from activefs.web._gate import Gate
from activefs.web._guards import TO_OWN, BodyLimit, ProtectiveHeaders, StartAddress, ThisMachine
from activefs.web._health import add_health
from activefs.web._hub_service import HubService
from activefs.web._paths import STUDIES, path_in, root_in, serve_below
from activefs.web._rendering import HERE
from activefs.web._security import is_open
from activefs.web._shelf import Shelf
from activefs.web._webhook import Webhook
from activefs.web.routes import hub_api, hub_new, hub_pages, hub_people

MAX_UPLOAD = 200
"""Megabytes that a table may have, unless something else is said."""
_AROUND = 4096  # bytes of a form around its file
_LOOK_AGAIN = 30.0
"""Seconds after which a server with a webhook looks for studies that are new."""
_THREADS = 200  # one study whose database is slow must not take them all


def create_hub(
    catalog: Catalog,
    *,
    local_only: bool = True,
    root: str = "",
    max_upload: int = MAX_UPLOAD * 10**6,
    media: Path | None = None,
    webhook: Webhook | None = None,
    background: bool = False,
) -> FastAPI:
    """Make the application that serves all studies of a catalog.

    Parameters
    ----------
    catalog : Catalog
        The studies.
    local_only : bool, default True
        Whether it can be reached from this machine only; see :func:`create_app`.
    root : str
        Path below which a proxy lets it be reached.
    max_upload : int
        Bytes that a table may have.
    media : Path, optional
        Folder with a folder for each study, of its name, for the images, sounds and videos that its table names.
    webhook : Webhook, optional
        Is told about milestones of all studies, also of those that nobody visits.
    background : bool, default False
        Whether what study pages show is computed in the background.
    """
    people = catalog.people()
    gate = Gate(people, people.header().created, local_only)

    def make(name: str, engine: StudyEngine) -> FastAPI:
        own = None if media is None else media / name  # which may come later
        return create_app(
            engine,
            local_only=local_only,
            server=gate,
            below=f"{STUDIES}{name}",
            media=own,
            webhook=webhook,
            background=background,
        )

    service = HubService(catalog, Shelf(make), gate, max_upload)

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = _THREADS
        opening = None if webhook is None else asyncio.create_task(_open_all(service))
        yield
        if opening is not None:
            opening.cancel()
            await asyncio.gather(opening, return_exceptions=True)
        service.close()
        await service.shelf.close()
        people.close()

    app = FastAPI(
        title="activefs",
        version=__version__,
        description="A server of labelling studies. The API of each study is below /s/NAME/api/v1.",
        openapi_url="/api/v1/openapi.json",
        docs_url=None,  # its scripts would come from another site
        redoc_url=None,
        lifespan=life,
    )
    app.state.service, app.state.error_page = service, hub_pages.error_page
    _errors.install(app)
    app.include_router(hub_api.router)
    app.include_router(hub_new.router)
    app.include_router(hub_people.router)
    app.include_router(hub_pages.router)
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")

    add_health(app, people)
    sentence = (
        f"The table is larger than the {max_upload / 10**6:,.0f} MB that this server takes (--max-upload); send a "
        "smaller one."
    )
    limits = dict.fromkeys((hub_new.UPLOAD, hub_api.UPLOADS), (max_upload + _AROUND, sentence))
    limits |= dict.fromkeys((f"{hub_new.UPLOAD}/", hub_api.STUDIES), (hub_new.MOST_SAID, ""))
    app.add_middleware(BodyLimit, refuse=_errors.answer, limits=limits)
    app.add_middleware(StartAddress, enter=enter_or_say)
    if local_only:
        app.add_middleware(ThisMachine, is_open=lambda: is_open(service), command=TO_OWN)
    app.add_middleware(ProtectiveHeaders)
    app.add_middleware(ToStudies, service=service)
    serve_below(app, root, hub_api.router, hub_new.router, hub_people.router, hub_pages.router)
    return app


async def _open_all(service: HubService) -> None:
    """Open studies before anybody visits them: what was reached while no server ran, or elsewhere, is told as well."""
    while True:
        try:
            entries = await run_in_threadpool(service.catalog.entries)
        except ActiveFSError:  # a database that is away comes back
            entries = []
        for entry in entries:
            if not entry.problem:
                with suppress(Exception):  # whoever visits it is told why; the others must not suffer
                    await service.shelf.app_of(entry)
        await asyncio.sleep(_LOOK_AGAIN)


class ToStudies:
    """Passes on what is below the address of a study to the study, which answers as if it were alone."""

    def __init__(self, app: ASGIApp, service: HubService) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        path = path_in(scope) if scope["type"] == "http" else ""
        if not path.startswith(STUDIES):
            await self._app(scope, receive, send)
            return
        name, slash, rest = path.removeprefix(STUDIES).partition("/")
        below = f"{root_in(scope)}{STUDIES}{name}"
        found = await self._find(name)
        if isinstance(found, _Trouble):
            await ProtectiveHeaders(found.for_program if rest.startswith("api/") else found.for_people)(
                scope, receive, send
            )
        elif not slash:
            await RedirectResponse(f"{below}/", 307)(scope, receive, send)
        else:
            await found({**scope, "root_path": below}, receive, send)

    async def _find(self, name: str) -> FastAPI | _Trouble:
        try:
            entry = await run_in_threadpool(self._service.catalog.find, name)
            if entry is None:
                await self._service.shelf.drop(name)
                return _Trouble(404, f"There is no study {name[:80]!r} here.")
            if entry.problem:
                raise StorageError(f"the study {entry.place} cannot be opened: {entry.problem}")
            return await self._service.shelf.app_of(entry)
        except ActiveFSError as error:
            _errors.logger.error("%s", error)
            return _Trouble(503, "The study cannot be opened just now; owners of the server see why in its list.")


class _Trouble(NamedTuple):
    """Why there is no study to pass a request on to."""

    status: int
    sentence: str

    async def for_program(self, scope: Scope, receive: Receive, send: Send) -> None:
        await _errors.problem(self.status, self.sentence)(scope, receive, send)

    async def for_people(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await run_in_threadpool(_errors.answer, Request(scope), self.status, self.sentence)
        await response(scope, receive, send)
