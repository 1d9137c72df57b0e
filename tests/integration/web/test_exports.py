"""Downloads over the REST API and on the study page."""

import io
import json

import pandas as pd
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient

from activefs.storages import Role, open_storage
from activefs.study import Person, create_engine
from activefs.web import create_app

OWNER = Person("eva", Role.OWNER)
OPTIONS = {"classes": ["ill", "healthy"], "random_state": 0, "strategy": "random", "id_column": "patient"}


@pytest.fixture
def clients(table, tmp_path, add_annotator):
    """An owner and an annotator of a study with a few labels."""

    def make(**options):
        more = {"ignore": ["note"], "show": ["age"], "title": "h\u00e9art", **OPTIONS, **options}
        engine = create_engine(tmp_path / "s.db", table, k=1, budget=40, **more)
        engine.tell(OWNER, [(0, "ill"), (1, "healthy"), (2, None)])
        storage = open_storage(tmp_path / "s.db")
        made = {"engine": engine}
        for name, role in (("eva", Role.OWNER), ("ana", Role.ANNOTATOR)):
            token = add_annotator(storage, name, role=role)
            made[name] = TestClient(
                create_app(engine), headers={"Authorization": f"Bearer {token}"}, base_url="http://127.0.0.1"
            )
        storage.close()
        return made

    return make


def test_formats(clients):
    owner = clients()["eva"]
    text = owner.get("/api/v1/labels", params={"format": "jsonl"})
    assert (
        text.headers["content-type"] == "application/x-ndjson" and "labels.jsonl" in text.headers["content-disposition"]
    )
    assert [json.loads(line)["row"] for line in text.text.splitlines()] == ["P000", "P001", "P002"]
    found = owner.get("/api/v1/labels", params={"format": "parquet", "joined": True})
    assert found.headers["content-type"] == "application/vnd.apache.parquet"
    table = pq.read_table(io.BytesIO(found.content))
    assert table["age"].to_pylist() and table["table.note"][0].as_py() == "<script>alert(0)</script> & so on"
    assert table.schema.metadata[b"activefs.title"].decode() == "h\u00e9art"
    plain = owner.get("/api/v1/labels")
    assert plain.headers["content-type"].startswith("text/csv") and len(pd.read_csv(io.StringIO(plain.text))) == 3
    log = owner.get("/api/v1/log", params={"format": "jsonl"})
    assert [json.loads(line)["kind"] for line in log.text.splitlines()] == ["labelled", "labelled", "skipped"]
    assert "log.jsonl" in log.headers["content-disposition"]


def test_what_came_out_goes_in_again(clients):
    made = clients()
    safe = made["eva"].get("/api/v1/labels", params={"spreadsheet_safe": True, "joined": True})
    said = made["eva"].post("/api/v1/labels", content=safe.content, headers={"Content-Type": "text/csv"})
    assert said.json() == {"new": 0, "total": 3}


def test_who_may_have_what(clients):
    made = clients()
    ana = made["ana"]
    assert ana.get("/api/v1/labels").status_code == 200
    assert ana.get("/api/v1/labels", params={"joined": True}).status_code == 403  # columns that are not shown
    assert ana.get("/api/v1/log").status_code == 403
    assert TestClient(ana.app, base_url="http://127.0.0.1").get("/api/v1/log").status_code == 401
    page = ana.get("/study").text
    assert "/api/v1/labels?format=parquet" in page and "/api/v1/log" not in page and "joined" not in page
    page = made["eva"].get("/study").text
    assert "/api/v1/log?format=jsonl" in page and "joined=true&amp;format=parquet" in page


def test_second_annotators_do_not_see_first_answers(clients):
    made = clients(overlap=0.5)
    assert made["eva"].get("/api/v1/labels").status_code == 200
    assert made["ana"].get("/api/v1/labels").status_code == 403
    assert "/api/v1/labels" not in made["ana"].get("/study").text
    assert "/api/v1/labels" in made["eva"].get("/study").text


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"format": "xlsx"}, "format"),
        ({"format": "parquet", "spreadsheet_safe": True}, "cells of CSV"),
        ({"joined": "perhaps"}, "joined"),
    ],
)
def test_refused(clients, wanted, said):
    refused = clients()["eva"].get("/api/v1/labels", params=wanted)
    assert refused.status_code == 422 and said in refused.json()["message"]


def test_a_table_that_changed_is_said_before_anything_is_sent(clients, table):
    owner = clients()["eva"]
    table.write_text(table.read_text().replace("P149", "P150"))
    refused = owner.get("/api/v1/labels", params={"joined": True})
    assert refused.status_code == 422 and "not the table" in refused.json()["message"]
    assert owner.get("/api/v1/labels").status_code == 200
