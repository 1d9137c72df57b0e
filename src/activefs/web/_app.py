"""The application: made by a function, so that it can be tested without a server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path

from fastapi import FastAPI, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.staticfiles import StaticFiles

from activefs import __version__
from activefs.exceptions import ActiveFSError
from activefs.study import Background, Reader, StudyEngine, teacher_for
from activefs.web import _errors
from activefs.web._gate import Gate
from activefs.web._guards import TO_OWN, BodyLimit, ProtectiveHeaders, StartAddress, ThisMachine
from activefs.web._health import add_health
from activefs.web._paths import serve_below
from activefs.web._rendering import HERE
from activefs.web._security import enter, is_open
from activefs.web._service import Service
from activefs.web._webhook import Webhook
from activefs.web.routes import api, exports, manage, manage_api, pages


def create_app(
    engine: StudyEngine,
    *,
    local_only: bool = True,
    root: str = "",
    media: Path | None = None,
    webhook: Webhook | None = None,
    server: Gate | None = None,
    below: str = "",
    background: bool = False,
) -> FastAPI:
    """Make the application that serves a study.

    Parameters
    ----------
    engine : StudyEngine
        The study: `Study.engine`.
    local_only : bool, default True
        Whether it can be reached from this machine only; then, as long as nobody has a token, a browser gets in
        with ``/?start=SECRET``, the secret being ``app.state.service.door.secret``.
    root : str
        Path below which a proxy lets it be reached, such as ``/studies``.
    server : Gate, optional
        The owners of a server of several studies, of which this is one.
    below : str
        Where the study is among them, such as ``/s/heart``.
    webhook : Webhook, optional
        Is told about milestones of the study while the application runs.
    media : Path, optional
        Folder of the images, sounds and videos that the table names.
    background : bool, default False
        Whether what the study page shows is computed in the background, so that those who label do not wait for it.

    Examples
    --------
    >>> import numpy as np
    >>> from activefs.storages import MemoryStorage
    >>> from activefs.study import create_engine
    >>> X = np.random.default_rng(0).integers(0, 3, size=(50, 4))
    >>> app = create_app(create_engine(MemoryStorage(), X, k=2, classes=["healthy", "ill"], random_state=0))
    >>> app.title
    'activefs'
    """

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        name = below.rpartition("/")[2] or None
        async with nullcontext() if webhook is None else webhook.watching(engine, looking or service.reader, name):
            yield
        if looking is not None:
            await run_in_threadpool(looking.close)
        engine.close()

    app = FastAPI(
        title="activefs",
        version=__version__,
        description="A labelling study: ask for rows, answer, and see which features tell most about the label.",
        openapi_url="/api/v1/openapi.json",
        docs_url=None,  # its scripts would come from another site
        redoc_url=None,
        lifespan=life,
    )
    looking = Background(engine) if background else None
    if background:
        engine.teacher = teacher_for(engine)
    service = app.state.service = Service(
        engine, Reader(engine), local_only, media=media, server=server, below=below, background=looking
    )
    app.state.error_page = pages.error_page
    _errors.install(app)
    app.include_router(api.router)
    app.include_router(exports.router)
    app.include_router(manage_api.router)
    app.include_router(manage.router)
    app.include_router(pages.router)
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")

    add_health(app, engine.storage)
    app.add_middleware(BodyLimit, refuse=_errors.answer)
    app.add_middleware(StartAddress, enter=enter_or_say)
    if local_only:
        command = "activefs study annotator add STUDY NAME" if server is None else TO_OWN
        app.add_middleware(ThisMachine, is_open=lambda: is_open(service), command=command)
    app.add_middleware(ProtectiveHeaders)
    serve_below(app, root, api.router, exports.router, manage.router, pages.router)
    return app


def enter_or_say(request: Request) -> Response:
    """Let a browser in that has the address from the terminal, or say why not."""
    try:
        return enter(request)
    except ActiveFSError as error:  # outside of what handles errors of routes
        return _errors.explained(request, error)
