"""Where things are: below which path the server is reached, and what is asked for below it."""

from __future__ import annotations

import re

from fastapi import APIRouter, FastAPI
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from activefs.exceptions import InvalidInputError

STUDIES = "/s/"
"""Below which the studies of a server of several are."""
_ROOT = re.compile(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+")


def checked_root(said: str) -> str:
    """Check a path that the server is to be reached below, as a proxy has it.

    Examples
    --------
    >>> checked_root("/studies/"), checked_root("team/studies"), checked_root("/")
    ('/studies', '/team/studies', '')
    """
    path = "/" + said.strip().strip("/")
    if path == "/":
        return ""
    if not _ROOT.fullmatch(path):
        raise InvalidInputError(
            f"the path that the server is reached below must be like /studies (letters, digits, '-', '_'), got {said!r}"
        )
    return path


def root_in(scope: Scope) -> str:
    """Path below which the server, or a study of it, is reached; empty at the top."""
    return str(scope.get("root_path", "")).rstrip("/")


def path_in(scope: Scope) -> str:
    """Path that is asked for, without what the server is reached below.

    Examples
    --------
    >>> path_in({"path": "/studies/api/v1/me", "root_path": "/studies"}), path_in({"path": "/x", "root_path": "/"})
    ('/api/v1/me', '/x')
    """
    path, root = str(scope["path"]), root_in(scope)
    if root and (path == root or path.startswith(f"{root}/")):
        path = path[len(root) :]
    return path or "/"


def serve_below(app: FastAPI, root: str, *routers: APIRouter) -> None:
    """Let an application, which is made of these routers, be reached below a path.

    Raises
    ------
    InvalidInputError
        If the path begins as a page of the application does: nobody could tell which one is meant.
    """
    if not root:
        return
    routes = [*app.routes, *(route for router in routers for route in router.routes)]
    own = {route.path.split("/")[1] for route in routes if isinstance(route, (Route, Mount))}
    if root.split("/")[1] in {*own, STUDIES.strip("/")}:
        raise InvalidInputError(
            f"a page of the server itself is at {root}, so the server cannot be reached below it: take another path, "
            "like /studies"
        )
    app.add_middleware(BelowPath, root=root)


class BelowPath:
    """Serves everything below a path, whether the proxy in front passes that path on or takes it away."""

    def __init__(self, app: ASGIApp, root: str) -> None:
        self._app = app
        self._root = root

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] == "http":
            path = scope["path"]
            if path != self._root and not path.startswith(f"{self._root}/"):
                path = self._root + path
            elif path == self._root:
                path += "/"
            scope["path"], scope["root_path"] = path, self._root
        await self._app(scope, receive, send)
