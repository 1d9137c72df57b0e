"""Running the server."""

from __future__ import annotations

import logging
import os
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import Any, NamedTuple

from fastapi import FastAPI

from activefs.catalog import Catalog, open_catalog
from activefs.exceptions import ActiveFSError, InvalidInputError
from activefs.pool import Cluster
from activefs.study import open_engine
from activefs.web._app import create_app
from activefs.web._gate import Gate
from activefs.web._guards import is_loopback
from activefs.web._hub import MAX_UPLOAD, create_hub
from activefs.web._log import AccessLog, set_up
from activefs.web._paths import checked_root
from activefs.web._server import WAITING, Server
from activefs.web._webhook import webhook_to

logger = logging.getLogger("activefs.web")

Progress = Callable[[str, float], None]
"""Is told what is done, and which share of it."""


def run(
    url: str,
    data: str | Path | None,
    host: str,
    port: int,
    opening: AbstractContextManager[Progress] | None = None,
    *,
    root: str = "",
    tables: Path | None = None,
    max_upload: int = MAX_UPLOAD,
    webhooks: Sequence[str] = (),
    secret_file: Path | None = None,
    media: Path | None = None,
    access_log: bool = False,
    cluster: Cluster | None = None,
    say: Callable[[str], None] = lambda said: print(said, flush=True),
) -> None:
    """Serve a study, or all studies of a folder or a database, until the process is told to stop.

    Parameters
    ----------
    url, data : str, Path or None
        The study, and its table if that was moved; or the place of several studies.
    host, port : str, int
        Where to listen.
    opening : context manager, optional
        Entered while the study is being opened.
    root : str
        Path below which a proxy lets the server be reached.
    tables : Path, optional
        Folder for the tables of studies that are made on the page, in a database.
    max_upload : int
        Megabytes that such a table may have.
    webhooks, secret_file : sequence of str, Path or None
        Addresses that are told about milestones, and the file of the secret that signs what they are told; by default
        it is in the environment.
    media : Path, optional
        Folder of the images, sounds and videos that the table names.
    access_log : bool
        Whether the log has a line for every request.
    cluster : Cluster, optional
        Whose workers keep the encoded table of the study.
    say : callable
        Shows a line to whoever started the server.

    Raises
    ------
    InvalidInputError
        If it should listen to other machines although nobody has a token.
    """
    local_only, root = is_loopback(host), checked_root(root)
    webhook = webhook_to(webhooks, secret_file, os.environ)
    if media is not None and not media.is_dir():
        raise InvalidInputError(f"--media names the folder of images, sounds and videos, but {media} is none")
    with opening or nullcontext() as progress:
        catalog = open_catalog(url, tables)
        if catalog is None:
            served = _one(url, data, progress, cluster, local_only=local_only, root=root, media=media, webhook=webhook)
        elif cluster is not None:
            raise InvalidInputError(f"--cluster and --workers are for one study; {catalog.place} may have several")
        else:
            options = {"max_upload": max_upload * 10**6, "media": media, "webhook": webhook}
            served = _several(catalog, data, local_only=local_only, root=root, **options)
    try:
        tokens = not served.gate.is_open
        if not local_only and not served.gate.storage.annotators():
            raise InvalidInputError(
                f"nobody has a token for {served.what}, so it is served to this machine only, not on {host!r}: give "
                f"tokens with {served.command}"
            )
        listening = _listen(host, port)
        shown = f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}{root}/"
        say(f"Serving {served.place} at {shown} (stop with Ctrl-C)")
        if not tokens:
            door = served.gate.door
            door.announce = lambda secret: say(f"A browser was let in. For another one, open {shown}?start={secret}")
            say(
                f"Open {shown}?start={door.secret}\n"
                "Nobody has a token yet, so only this machine is listened to, and this address lets one browser in. "
                f"For a team: {served.command}"
            )
        set_up(access=access_log)
        logger.info("serving %s at %s", served.place, shown)
        with suppress(KeyboardInterrupt):  # that is how it is meant to end
            Server(AccessLog(served.app)).run(sockets=[listening])
    finally:
        served.close()


class _ToServe(NamedTuple):
    """What is served: the application, who gets in, how it is called, and how people get tokens."""

    app: FastAPI
    gate: Gate
    what: str
    place: str
    command: str
    close: Callable[[], None]


def _one(
    url: str, data: str | Path | None, progress: Progress | None, cluster: Cluster | None, **options: Any
) -> _ToServe:
    engine = open_engine(url, data, progress=progress, cluster=cluster)
    try:
        app = create_app(engine, background=True, **options)
    except BaseException:
        engine.close()
        raise
    command = f"activefs study annotator add {engine.storage.place} NAME"
    return _ToServe(app, app.state.service.gates[0], "this study", engine.storage.place, command, engine.close)


def _several(catalog: Catalog, data: str | Path | None, **options: Any) -> _ToServe:
    if data is not None:
        raise InvalidInputError(f"--data is for one study; {catalog.place} may have several")
    app = create_hub(catalog, background=True, **options)
    gate: Gate = app.state.service.gate
    command = f"activefs server owner add {catalog.place} NAME"
    return _ToServe(app, gate, "this server", f"the studies of {catalog.place}", command, gate.storage.close)


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # With the protocol named, asyncio switches off Nagle's algorithm, which would cost 40 ms per answer.
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        if sys.platform != "win32":  # where it would let two servers have the same port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(WAITING)  # from now on whoever comes waits until the server is ready, instead of being refused
    except OSError as error:
        raise ActiveFSError(
            f"cannot listen on {host} port {port}: {error.strerror or error}; try another --port"
        ) from None
    return listening
