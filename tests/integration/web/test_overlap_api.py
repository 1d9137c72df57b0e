"""Two annotators of one row over the REST API: nobody sees the other's answer, owners settle what differs."""

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from activefs.storages import MemoryStorage, Role
from activefs.study import create_engine
from activefs.web import create_app

X = np.random.default_rng(0).integers(0, 3, size=(60, 4))


@pytest.fixture
def people(add_annotator):
    options: dict[str, Any] = {
        "classes": ["ill", "well"],
        "random_state": 0,
        "overlap": 1.0,
        "when_certified": "continue",
    }
    engine = create_engine(MemoryStorage(), X, k=2, budget=30, **options)
    app = create_app(engine)
    made = {}
    for name in ("ana", "ben", "eva"):
        token = add_annotator(engine.storage, name, role=Role.OWNER if name == "eva" else Role.ANNOTATOR)
        headers = {"Authorization": f"Bearer {token}"}
        made[name] = TestClient(app, base_url="http://127.0.0.1/api/v1", headers=headers)
    yield made
    engine.close()


def answer(client, label):
    asked = client.post("/questions").json()["questions"][0]
    assert client.post("/answers", json={"question": asked["id"], "label": label}).status_code == 200
    return asked


def test_annotators_see_their_own_answers_only(people):
    first = answer(people["ana"], "ill")
    second = people["ben"].post("/questions").json()["questions"][0]
    assert second["row"] == first["row"] and {*second} == {*first}, "nothing tells that it is the second"
    assert people["ben"].get("/answers").json() == []
    for path in (
        "/labels",
        "/labels?format=jsonl",
        "/report",
        "/log",
        "/disagreements",
        "/answers?annotator=ana",
        "/answers?kind=unsettled",
    ):
        refused = people["ben"].get(path)
        assert refused.status_code == 403 and "owner" in refused.json()["message"]
        assert people["eva"].get(path).status_code == 200
    people["ben"].post("/answers", json={"question": second["id"], "label": "well"})
    assert [a["label"] for a in people["ben"].get("/answers").json()] == ["well"]
    assert [a["second"] for a in people["eva"].get("/answers").json()] == [True, False]


def test_owners_settle(people):
    rows = [answer(people["ana"], "ill")["row"] for _ in range(4)]
    for label in ("ill", "well", "ill", "ill"):
        answer(people["ben"], label)
    (found,) = people["eva"].get("/disagreements").json()
    assert found["row"] == rows[1] and [a["label"] for a in found["answers"]] == ["ill", "well"]
    assert sum(c["probability"] for c in found["probabilities"]) == pytest.approx(1)
    study = people["eva"].get("/study").json()
    assert study["disagreements"] == 1 and study["awaiting_second"] == 0
    agreement = study["agreement"]
    assert (agreement["coefficient"], agreement["n_rows"], agreement["n_agreed"]) == ("Cohen's kappa", 4, 3)
    assert {p["name"]: (p["compared"], p["agreed"]) for p in study["annotators"]} == {"ana": (4, 3), "ben": (4, 3)}
    assert all(p["seconds_per_row"] >= 0 and p["labels_per_day"] == 4 for p in study["annotators"])
    assert study["time_left"]["answers"] == 52
    said = {"row": rows[1], "label": "well"}
    assert people["ben"].post("/settlements", json=said).status_code == 403
    assert [a["row"] for a in people["eva"].get("/answers?kind=unsettled").json()] == [rows[1]]
    assert len(people["eva"].get("/answers?kind=disagreed").json()) == 2
    assert people["eva"].post("/settlements", json={**said, "label": "perhaps"}).status_code == 422
    settled = people["eva"].post("/settlements", json=said).json()
    assert settled["label"] == "well" and settled["correction"]["annotator"] == "eva"
    assert people["eva"].get("/disagreements").json() == []
    assert (
        people["eva"].post("/settlements", json={"row": 59 if 59 not in rows else 58, "label": "ill"}).status_code
        == 422
    )
