"""Sixteen annotators at once, on both databases, alone and with three browsers that look at the study page."""

import threading
import time
from collections import Counter

import httpx
import numpy as np
import pytest
from machines import DATABASES, PATIENCE
from servers import served

from activefs import Study
from activefs.storages import Kind, open_storage

ANNOTATORS, LABELS = 16, 2_000
LOOKED_AT = ("/study/now", "/study/outlook", "/api/v1/history")
EVERY = 4.0  # seconds, as the page does


@pytest.mark.long
@pytest.mark.parametrize("browsers", [0, 3])
@pytest.mark.parametrize("database", DATABASES)
def test_sixteen_annotators(database, browsers, tmp_path, add_annotator, record_property):
    path = tmp_path / "table.csv"
    X = np.random.default_rng(0).integers(0, 3, size=(5_000, 6))
    np.savetxt(path, X, fmt="%d", delimiter=",", header="a,b,c,d,e,f", comments="")
    with DATABASES[database]() as url:
        options = {"classes": ["yes", "no"], "budget": LABELS, "when_certified": "continue", "random_state": 0}
        Study.create(url, path, 2, **options).close()
        storage = open_storage(url)
        tokens = [add_annotator(storage, f"annotator {i:02d}") for i in range(ANNOTATORS)]
        times, errors, end = [], [], threading.Event()
        with served(url) as server:
            looking = [(server.base, tokens[0], end, errors)] * browsers
            lookers = [threading.Thread(target=_look, args=arguments) for arguments in looking]
            threads = [threading.Thread(target=_label, args=(server.base, t, X, times, errors)) for t in tokens]
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
    labelled = Counter(e.row for e in events if e.kind is Kind.LABELLED)
    assert sum(labelled.values()) == LABELS and max(labelled.values()) == 1
    held = {}
    for event in events:
        if event.kind is Kind.ASKED:
            assert event.row not in held, f"row {event.row} was leased twice"
            held[event.row] = event.annotator
        else:
            held.pop(event.row, None)
    p50, p95 = np.percentile(times, [50, 95]) * 1000
    record_property(
        "measured",
        f"{database}, {browsers} browsers look on: {ANNOTATORS} annotators, {LABELS} labels in {seconds:.1f} s; "
        f"answer and next row: median {p50:.0f} ms, p95 {p95:.0f} ms",
    )


def _label(base, token, X, times, errors):
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


def _look(base, token, end, errors):
    """Look at the study page until the others are done, as a browser does."""
    try:
        with httpx.Client(base_url=base, timeout=PATIENCE, headers={"Authorization": f"Bearer {token}"}) as client:
            while not end.wait(EVERY):
                for path in LOOKED_AT:
                    assert client.get(path).status_code == 200
    except Exception as error:
        errors.append(error)


def _posted(client, path, body):
    response = client.post(path, json=body)
    assert response.status_code == 200, response.text
    return response.json()
