"""Getting in while nobody has a token, as whoever has started the server does."""

from typing import Any

import httpx
from fastapi import FastAPI
from fastapi.testclient import TestClient


def at_home(app: FastAPI, *, forms: bool = False, **options: Any) -> TestClient:
    """A browser that has opened the address from the terminal; it may use the API unless `forms` is all it has."""
    client = TestClient(app, **{"base_url": "http://127.0.0.1", **options})
    enter(client, app.state.service.door.secret)
    if not forms:
        client.headers["X-CSRF-Token"] = client.get("/api/v1/me").headers["X-CSRF-Token"]
    return client


def enter(client: TestClient, secret: str) -> httpx.Response:
    """Open the address; what comes is the same address without the secret, and a cookie."""
    done: httpx.Response = client.get("/", params={"start": secret}, follow_redirects=False)
    assert done.status_code == 303 and secret not in done.headers["location"], done.text
    return done
