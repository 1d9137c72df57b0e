"""What needs no Label Studio: formats, label configs, requests, and what is taken in which order."""

import json
import threading
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from xml.etree import ElementTree

import httpx
import numpy as np
import pandas as pd
import pytest

from activefs.exceptions import ActiveFSError, InvalidInputError, InvalidLabelError
from activefs.label_studio import Client, export_json, import_json, pulled_table
from activefs.label_studio._client import checked_token, checked_url
from activefs.label_studio._config import fitting_control, label_config
from activefs.label_studio._errors import NotThere, Refused, Unavailable
from activefs.label_studio._labels import result_of, said
from activefs.label_studio._records import Control, Project, Task
from activefs.label_studio._tasks import fields, shown_fields, task_data
from activefs.label_studio._webhook import Listener
from activefs.storages import MemoryStorage, Role
from activefs.study import Person, create_engine

EVA = Person("eva", Role.OWNER)
PERSONAL = "aaaa.bbbb.cccc"


def engine_with(**more):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"id": [f"p{i}" for i in range(30)], "a": rng.integers(0, 2, 30), "b": rng.integers(0, 3, 30)})
    table["story"] = [f"<b>row {i}</b>" for i in range(30)]
    options: dict[str, Any] = {
        "k": 1,
        "id_column": "id",
        "classes": ["no", "<yes> & more"],
        "strategy": "afs",
        **more,
    }
    return create_engine(MemoryStorage(), table, show_text="story", show=["a"], random_state=0, **options)


def child(view, tag):
    """The one element of that kind inside of another."""
    (found,) = view.findall(tag)
    return found


# --- labels and label configs ---


@pytest.mark.parametrize(
    ("kind", "label", "text"), [("Choices", "ill", "ill"), ("TextArea", " new ", "new"), ("Number", 6.25, "6.25")]
)
def test_a_label_is_read_as_it_was_written(kind, label, text):
    result = result_of(label, Control("label", kind, "row"))
    assert said(result) == said(result, "label") == text
    with pytest.raises(InvalidLabelError, match="no label"):
        said(result, "another")


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ([], "no label"),
        ([{"type": "choices", "value": {"choices": []}}], "no label"),
        ([{"type": "choices", "value": None}, {"type": "rectangle", "value": {}}], "no label"),
        ([{"type": "choices", "value": {"choices": ["a", "b"]}}], "2 labels"),
    ],
)
def test_what_holds_not_one_label_is_refused(result, words):
    with pytest.raises(InvalidLabelError, match=words):
        said(result)


def test_what_comes_from_the_study_is_no_markup_in_a_label_config():
    engine = engine_with(question='Is "a" < b?')
    view = ElementTree.fromstring(label_config(engine, shown_fields(engine)))
    assert [tag.tag for tag in view] == ["Header", "Choices", "Text", "Table"]
    assert child(view, "Header").get("value") == 'Is "a" < b?'
    assert [choice.get("value") for choice in child(view, "Choices")] == ["no", "<yes> & more"]
    assert task_data(engine, 3, ("a",)) == {
        "activefs_row": "p3",
        "activefs_text": "<b>row 3</b>",
        "activefs_cells": dict(engine.table.cells(3)),
        "a": dict(engine.table.cells(3))["a"],
    }


def test_numbers_and_free_labels_are_typed():
    numbers = engine_with(classes=None, label_edges=[5.0])
    assert ElementTree.fromstring(label_config(numbers, shown_fields(numbers))).find("Number") is not None
    free = engine_with(classes=None)
    assert ElementTree.fromstring(label_config(free, shown_fields(free))).find("TextArea") is not None
    with pytest.raises(InvalidInputError, match=r"class '\$x'"):
        label_config(engine_with(classes=["$x", "y"]), {"activefs_text": "Text"})


def test_media_instructions_and_descriptions_of_classes_are_shown():
    address = "https://pictures.example/{}.png?size=1"
    table = pd.DataFrame({"a": [0, 1] * 10, "scan": [address.format(i) for i in range(20)], "file": ["x.mp3"] * 20})
    options: dict[str, Any] = {
        "k": 1,
        "strategy": "afs",
        "show": ["a"],
        "show_media": ["scan", "file"],
        "random_state": 0,
    }
    engine = create_engine(
        MemoryStorage(), table, classes=["no", "yes"], class_descriptions={"yes": "<it is>"}, **options
    )
    assert shown_fields(engine) == {"activefs_media_0": "Image", "activefs_media_1": "Text", "activefs_cells": "Table"}
    view = ElementTree.fromstring(label_config(engine, shown_fields(engine)))
    assert [choice.get("hint") for choice in child(view, "Choices")] == [None, "<it is>"]
    data = task_data(engine, 4, ("scan",))
    assert data["activefs_media_0"] == data["scan"] == address.format(4)


def project_with(*controls):
    return Project(7, "Mine", "2024", controls)


def test_a_project_must_ask_for_the_labels_of_the_study():
    engine = engine_with()
    good = Control("c", "Choices", "t", ("<yes> & more", "no"), ("a",))
    other = Control("n", "Number", "t")
    assert fitting_control(engine, project_with(other, good), fields(engine)) == good
    for controls, words in (
        ((), "it has none at all"),
        ((other,), "it has Number 'n'"),
        ((Control("c", "Choices", "t", ("no", "perhaps")),), "lacks '<yes> & more' and has 'perhaps' besides"),
        ((good, Control("d", "Choices", "t", good.labels)), "2 controls that could hold the label"),
        ((Control("c", "Choices", "t", good.labels, ("picture",)),), r"shows \$picture, which the study does not"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            fitting_control(engine, project_with(*controls), fields(engine))


# --- files ---


def test_labels_come_back_from_json_with_their_annotators():
    one, two = engine_with(), engine_with()
    question = one.ask(EVA)
    one.answer(EVA, question.id, "no")
    one.tell(Person("ana"), [(20, "<yes> & more"), (21, None)])
    content = export_json(one)
    assert [task["annotations"][0]["was_cancelled"] for task in json.loads(content)] == [False, False, True]
    assert import_json(two, content, EVA) == (3, 3, 0)
    assert import_json(two, content, EVA) == (0, 3, 0)
    with one.reading() as there, two.reading() as here:
        for was, came in zip(there.answers(), here.answers(), strict=True):
            assert (was.row, was.label, was.annotator, was.time, was.asked) == (
                came.row, came.label, came.annotator, came.time, came.asked,
            )  # fmt: skip


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ('{"a": 1}', "list of tasks"),
        ('[{"data": {}, "annotations": [{"result": [], "was_cancelled": true}]}]', "does not say which row"),
        ('[{"data": {"id": "p1"}, "annotations": 5}]', "not written as Label Studio"),
        ('[{"id": "1", "label": "no"}]', "does not say which row"),  # that would be the number of the task
        ('[{"activefs_row": "p99", "label": "no"}]', "no row with the id 'p99'"),
        ('[{"activefs_row": "p1", "label": "what"}]', "task 1 of the file: .*what"),
        (
            '[{"activefs_row": "p1", "label": "no"}, {"data": {"id": "p1"}, "annotations": [{"was_cancelled": true}]}]',
            "another",
        ),
    ],
)
def test_a_file_with_a_mistake_changes_nothing(content, words):
    engine = engine_with()
    with pytest.raises(InvalidInputError, match=words):
        import_json(engine, content, EVA)
    assert not engine.storage.events()


def test_tables_of_tasks():
    tasks = [Task(3, {}, data={"x": "=1+1", "more": {"y": [1]}}), Task(5, {}, data={"x": None})]
    assert pulled_table(tasks, ".csv") == 'task_id,x,more\n3,=1+1,"{""y"": [1]}"\n5,,\n'
    assert [json.loads(line)["task_id"] for line in pulled_table(tasks, ".jsonl").splitlines()] == [3, 5]
    for wrong, suffix, words in (
        ([], ".csv", "no tasks"),
        ([Task(1, {}, data={"task_id": 2})], ".csv", "rename"),
        (tasks, ".xlsx", ".csv or .jsonl"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            pulled_table(wrong, suffix)


# --- requests ---


@contextmanager
def serving(answers):
    """A server that gives these answers (status, headers, body), one after the other, and notes what it was asked."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def _answer(self):
            asked.append((self.command, self.path, self.headers.get("Authorization")))
            status, headers, body = answers[len(asked) - 1]
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_DELETE = _answer  # noqa: N815

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()


ACCESS: tuple[int, dict[str, str], bytes] = (200, {}, b'{"access": "short"}')


def test_an_access_token_is_renewed_when_it_is_over():
    with serving([ACCESS, (200, {}, b"1"), (401, {}, b"{}"), ACCESS, (200, {}, b"2")]) as (url, asked):
        client = Client(url, PERSONAL)
        assert (client.get("/a"), client.get("/b")) == (1, 2)
    refresh = ("POST", "/api/token/refresh/", None)
    bearer = "Bearer short"
    assert asked == [refresh, ("GET", "/a", bearer), ("GET", "/b", bearer), refresh, ("GET", "/b", bearer)]


def test_legacy_tokens_are_sent_as_they_are():
    with serving([(200, {}, b"1"), (401, {}, b'{"detail": "off"}')]) as (url, asked):
        client = Client(url, "0123abcd")
        assert client.get("/a") == 1
        with pytest.raises(Refused, match=r"does not accept the token \(off\)"):
            client.get("/a")
    assert asked[0][2] == "Token 0123abcd"


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        ((302, {"Location": "http://elsewhere.example/"}, b""), InvalidInputError, "sends us on to http://elsewhere"),
        ((404, {}, b'{"detail": "none"}'), NotThere, "none"),
        ((403, {}, b'{"detail": "no\\u001b[2J"}'), Refused, r"may not do this in Label Studio: no \[2J"),
        ((400, {}, b'{"validation_errors": {"title": ["short"]}}'), Refused, '"title": .*short'),
        ((429, {"Retry-After": "7"}, b""), Unavailable, "status 429"),
        ((503, {}, b"<html>"), Unavailable, "it gives no reason"),
        ((200, {}, b"<html>"), ActiveFSError, "no JSON"),
        ((200, {"Content-Length": "9"}, b"short"), Unavailable, "cannot be reached"),
    ],
)
def test_every_trouble_is_one_sentence_without_the_token(answer, kind, words):
    with serving([ACCESS, answer]) as (url, asked):
        with pytest.raises(kind, match=words) as raised:
            Client(url, PERSONAL).get("/a")
        assert len(asked) == 2 and PERSONAL not in str(raised.value) and "\x1b" not in str(raised.value)
    assert getattr(raised.value, "wait", None) == (7.0 if answer[0] == 429 else None)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "x",
        "ftp://a",
        "http://",
        "http://a b",
        "http://a:0",
        "http://a:x",
        "http://u:p@a",
        "http://a/?q",
        "file:///etc",
    ],
)
def test_what_is_no_address_is_refused(url):
    with pytest.raises(InvalidInputError):
        checked_url(url)


def test_addresses_and_tokens_are_plain():
    assert checked_url(" https://studio.example:8443/under/ ") == "https://studio.example:8443/under"
    assert checked_token(" abc\n") == "abc"
    for token in ("", "a b", "a\r\nX: y", "ä"):
        with pytest.raises(InvalidInputError) as raised:
            checked_token(token)
        assert not token or token not in str(raised.value)


# --- the webhook ---


def test_only_a_call_with_the_secret_causes_a_round():
    wake = threading.Event()
    listener = Listener("127.0.0.1", 0, wake)
    try:
        wrong: tuple[Any, ...] = ({}, {"X-Activefs-Secret": "wrong"}, {"X-Activefs-Secret": "ö".encode()})
        for headers in wrong:
            assert httpx.post(listener.url, json={}, headers=headers).status_code == 403
        good = {"X-Activefs-Secret": listener.secret}
        assert httpx.get(listener.url, headers=good).status_code == 501
        port = httpx.URL(listener.url).port
        assert port is not None
        large = HTTPConnection("127.0.0.1", port)
        large.request("POST", "/", headers={**good, "Content-Length": "99999999"})
        assert large.getresponse().status == 413
        assert not wake.is_set()
        assert httpx.post(listener.url, json={"action": "ANNOTATION_CREATED"}, headers=good).status_code == 204
        assert wake.is_set()
        with pytest.raises(ActiveFSError, match="cannot listen"):
            Listener("127.0.0.1", port, wake)
    finally:
        listener.close()
