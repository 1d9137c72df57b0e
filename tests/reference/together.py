"""Annotators who label at the same time over the REST API, and browsers that look at the study page meanwhile."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from machines import PATIENCE
from servers import served

from activefs import Study
from activefs.storages import Event, Storage, open_storage

ANNOTATORS = 16
X = np.random.default_rng(0).integers(0, 3, size=(5_000, 6))
LOOKED_AT = ("/study/now", "/study/outlook", "/api/v1/history")
EVERY = 4.0  # seconds, as the page does


def label_together(
    url: str, folder: Path, add_annotator: Callable[[Storage, str], str], labels: int, browsers: int
) -> tuple[float, list[float], list[Event]]:
    """Make a study, label it by 16 annotators who do not think; returns seconds, seconds of each answer, and events."""
    path = folder / "table.csv"
    np.savetxt(path, X, fmt="%d", delimiter=",", header="a,b,c,d,e,f", comments="")
    options: dict[str, Any] = {
        "classes": ["yes", "no"],
        "budget": labels,
        "when_certified": "continue",
        "random_state": 0,
    }
    Study.create(url, path, 2, **options).close()
    storage = open_storage(url)
    tokens = [add_annotator(storage, f"annotator {i:02d}") for i in range(ANNOTATORS)]
    times: list[float] = []
    errors: list[Exception] = []
    end = threading.Event()
    with served(url) as server:
        looking = [(server.base, tokens[0], end, errors)] * browsers
        lookers = [threading.Thread(target=_look, args=arguments) for arguments in looking]
        threads = [threading.Thread(target=_label, args=(server.base, t, times, errors)) for t in tokens]
        start = time.perf_counter()
        for thread in (*threads, *lookers):
            thread.start()
        for thread in threads:
            thread.join()
        seconds = time.perf_counter() - start
        end.set()
        for thread in lookers:
            thread.join()
    events = storage.events()
    storage.close()
    assert errors == []
    return seconds, times, events


def _label(base: str, token: str, times: list[float], errors: list[Exception]) -> None:
    try:
        with httpx.Client(base_url=f"{base}/api/v1", timeout=PATIENCE) as client:
            client.headers["Authorization"] = f"Bearer {token}"
            asked = _posted(client, "/questions", {})
            while not asked["finished"]:
                if not asked["questions"]:  # others hold the last rows
                    time.sleep(0.05)
                    asked = _posted(client, "/questions", {})
                    continue
                question = asked["questions"][0]
                label = "yes" if X[question["row"], 2] else "no"
                start = time.perf_counter()
                said = {"question": question["id"], "label": label, "next": True}
                asked = _posted(client, "/answers", said)["next"]
                times.append(time.perf_counter() - start)
    except Exception as error:
        errors.append(error)


def _look(base: str, token: str, end: threading.Event, errors: list[Exception]) -> None:
    """Look at the study page until the others are done, as a browser does."""
    try:
        with httpx.Client(base_url=base, timeout=PATIENCE, headers={"Authorization": f"Bearer {token}"}) as client:
            while True:
                for path in LOOKED_AT:
                    assert client.get(path).status_code in (200, 204), path  # 204: nothing new
                if end.wait(EVERY):
                    return
    except Exception as error:
        errors.append(error)


def _posted(client: httpx.Client, path: str, body: dict[str, Any]) -> Any:
    response = client.post(path, json=body)
    assert response.status_code == 200, response.text
    return response.json()
