"""A study and a real Label Studio: the same rows as in a study alone, nothing lost, whoever is killed in the middle."""

import json
import os
import random
import subprocess
import sys
import threading
from collections import Counter
from contextlib import contextmanager
from typing import Any

import httpx
import numpy as np
import pytest
from label_studios import StudioServer, annotate, change, next_task
from machines import DATABASES, PATIENCE, wait_until

from activefs import Study
from activefs.storages import Kind

pytestmark = pytest.mark.long

ROWS, QUEUE = 200, 3
CLASSES = ["healthy", "ill"]
RNG = np.random.default_rng(0)
X = RNG.integers(0, 3, size=(ROWS, 6))
ILL = (X[:, 2] > 0) ^ (RNG.random(ROWS) < 0.1)


def truth(name):
    return CLASSES[int(ILL[int(name.removeprefix("p"))])]


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    server = StudioServer(tmp_path_factory.mktemp("label-studio")).start()
    for email in ("ana@example.com", "ben@example.com"):
        server.sign_in(email)
    yield server
    server.kill()


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "patients.csv"
    head = "patient," + ",".join(f"f{i}" for i in range(X.shape[1]))
    path.write_text("\n".join([head, *(f"p{i}," + ",".join(map(str, row)) for i, row in enumerate(X))]) + "\n")
    return path


def made(url, table, **options):
    options = {"k": 2, "budget": 24, "classes": CLASSES, "random_state": 0, "when_certified": "continue", **options}
    return Study.create(url, table, **{"id_column": "patient", "strategy": "afs", **options})


def command(studio, *arguments, token=None):
    token = token or studio.tokens["ana@example.com"]
    environment = {**os.environ, "LABEL_STUDIO_API_KEY": token, "PYTHONUNBUFFERED": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", "activefs", "label-studio", *map(str, arguments)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def finished(process):
    said, _ = process.communicate(timeout=PATIENCE)
    return process.returncode, said


def done(process):
    code, said = finished(process)
    assert code == 0, said
    return said


class Feeding:
    """The command, started and killed at will."""

    def __init__(self, studio, study, *arguments):
        self._studio, self._arguments = studio, (study, "--url", studio.url, *arguments)
        self.said = ""

    def start(self):
        self.process = command(self._studio, *self._arguments)
        threading.Thread(target=self._listen, args=(self.process,), daemon=True).start()

    def _listen(self, process):
        for line in process.stdout:
            self.said += line

    def kill(self):
        self.process.kill()
        self.process.wait(timeout=PATIENCE)


@contextmanager
def feeding(studio, study, *arguments):
    found = Feeding(studio, study, *arguments)
    found.start()
    try:
        yield found
    finally:
        if found.process.poll() is None:
            found.kill()


def awaited_task(client, project):
    task = None

    def shown():
        nonlocal task
        task = next_task(client, project)
        return task is not None

    wait_until(shown, pause=0.1)
    return task


def told(url):
    with Study.open(url) as study:
        return [(study.name_of(row), label) for row, label in zip(study.labelled, study.labels, strict=True)]


def test_one_annotator_gets_the_rows_of_a_plain_study_although_both_sides_are_killed(studio, table, tmp_path):
    with made(tmp_path / "plain.db", table) as plain:
        rows = list(plain.ask(QUEUE))
        while rows:  # as many rows pending as there are tasks open
            plain.tell(rows[0], truth(plain.name_of(rows.pop(0))))
            while not plain.finished and len(rows) < QUEUE and plain.n_labels + len(rows) < 24:
                rows.append(plain.ask())
    url = tmp_path / "fed.db"
    made(url, table).close()
    ana = studio.people["ana@example.com"]
    arguments = ("--create-project", "Killed", "--queue", QUEUE, "--poll", "0.2")
    with feeding(studio, url, *arguments) as feeder:
        wait_until(lambda: "new tasks;" in feeder.said)
        project = studio.project("Killed")
        for n in range(24):
            if n in (5, 15):
                feeder.kill()
                feeder.start()
            if n == 10:
                studio.kill()
                studio.start()
            task = awaited_task(ana, project)
            annotate(ana, task["id"], truth(task["data"]["activefs_row"]))
        wait_until(lambda: "The study is finished" in feeder.said, pause=0.1)
    assert told(url) == told(tmp_path / "plain.db")
    assert "cannot be reached" in feeder.said and "works again" in feeder.said
    with Study.open(url) as study:
        events = study.engine.storage.events()
    assert Counter(event.kind for event in events) == {Kind.ASKED: 24, Kind.LABELLED: 24}
    assert {event.annotator for event in events if event.kind is Kind.LABELLED} == {"ana@example.com"}
    assert len(studio.tasks(project)) == 24


@pytest.mark.parametrize("database", DATABASES)
def test_two_annotators_at_once_and_no_answer_is_lost_or_counted_twice(studio, table, database, record_property):
    title, budget = f"Two on {database}", 40
    receipts: dict[int, Any] = {}
    over = threading.Event()
    with DATABASES[database]() as url:
        made(url, table, budget=budget).close()
        with feeding(studio, url, "--create-project", title, "--poll", "0.2") as feeder:
            wait_until(lambda: "new tasks;" in feeder.said)
            project = studio.project(title)
            people = [
                threading.Thread(target=_label, args=(client, project, receipts, email, over))
                for email, client in studio.people.items()
            ]
            for person in people:
                person.start()
            rng = random.Random(database)
            for at in (5, 12, 20, 30):
                _wait_for_labels(receipts, at, rng)
                feeder.kill()
                if at == 20:
                    studio.kill()
                    studio.start()
                feeder.start()
            wait_until(lambda: "The study is finished" in feeder.said, pause=0.1)
            over.set()
            for person in people:
                person.join(timeout=PATIENCE)
        said = {t["data"]["activefs_row"]: t["annotations"] for t in studio.tasks(project)}
        emails = {user["id"]: user["email"] for user in studio.people["ana@example.com"].get("/api/users/").json()}
        with Study.open(url) as study, study.engine.reading() as state:
            answers = {study.name_of(row): answer for row, answer in state.told.items()}
            asked = Counter(e.row for e in study.engine.storage.events() if e.kind is Kind.ASKED)
    assert len(answers) == len(said) == budget
    assert set(asked.values()) == {1}
    assert receipts.keys() <= {annotation["id"] for found in said.values() for annotation in found}
    for name, answer in answers.items():
        annotation = min(said[name], key=lambda found: found["id"])  # on SQLite two people may be shown the same task
        assert (answer.label, answer.annotator) == (truth(name), emails[annotation["completed_by"]])
    record_property("measured", f"Label Studio, {database}: 4 kills of activefs, 1 of Label Studio, {budget} labels")


def _wait_for_labels(receipts, at, rng):
    """Wait until there are about so many labels, each time that it looks another number."""
    wait_until(lambda: len(receipts) >= at + rng.randrange(3))


def _label(client, project, receipts, email, over):
    """Label what Label Studio shows, as fast as it goes, through restarts."""
    while not over.is_set():
        try:
            task = next_task(client, project)
            if task is not None:
                receipts[annotate(client, task["id"], truth(task["data"]["activefs_row"]))] = email
        except httpx.TransportError:
            over.wait(0.2)


def test_changes_in_label_studio_are_changes_in_the_study(studio, table, tmp_path):
    url = tmp_path / "study.db"
    made(url, table).close()
    ana, ben = studio.people.values()
    # Between two looks an hour goes by: only the webhook can be so quick.
    arguments = ("--create-project", "Changes", "--queue", "4", "--poll", "3600", "--webhook-port", "0")
    with feeding(studio, url, *arguments) as feeder, Study.open(url) as study:
        wait_until(lambda: "new tasks;" in feeder.said)
        project = studio.project("Changes")
        one, two, three, four = (task["id"] for task in studio.tasks(project))
        row = {t["id"]: study.engine.names.row(t["data"]["activefs_row"]) for t in studio.tasks(project)}

        def label_of(task):
            return dict(zip(study.labelled.tolist(), study.labels, strict=True)).get(row[task])

        first = annotate(ana, one, "ill")
        wait_until(lambda: label_of(one) == "ill")
        change(ben, first, "healthy")
        wait_until(lambda: label_of(one) == "healthy")
        assert ana.delete(f"/api/annotations/{first}/").status_code == 204
        wait_until(lambda: label_of(one) is None)
        assert row[one] in study.pending  # its task is open again
        annotate(ben, one, "ill")
        wait_until(lambda: label_of(one) == "ill")
        annotate(ana, two, None)
        wait_until(lambda: row[two] in study.skipped)
        empty = ana.post(f"/api/tasks/{three}/annotations/", json={"result": []}).json()["id"]
        wait_until(lambda: f"annotation {empty} is not taken: it holds no label" in feeder.said)
        change(ana, empty, "ill")
        wait_until(lambda: label_of(three) == "ill")
        assert ana.delete(f"/api/tasks/{four}/").status_code == 204
        wait_until(lambda: "its task was deleted" in feeder.said)
        # What the study says itself stands: here somebody corrects and takes back on its own pages.
        study.correct(row[three], "healthy")
        study.take_back(row=study.name_of(row[one]))
        newest = annotate(ana, studio.tasks(project)[-1]["id"], "ill")
        wait_until(lambda: study.n_labels == 2)
        assert label_of(three) == "healthy" and label_of(one) is None
        assert ana.delete(f"/api/annotations/{newest}/").status_code == 204
        wait_until(lambda: study.n_labels == 1)
        with study.engine.reading() as state:
            correction = state.told[row[three]].correction
            assert correction is not None and correction.label == "ill"
            by = {answer.annotator for answer in state.answers()}
        assert by == {"ana@example.com"}


def test_trouble_is_one_sentence_and_loses_nothing(studio, table, tmp_path):
    url = tmp_path / "study.db"
    made(url, table).close()
    ana = studio.people["ana@example.com"]
    config = '<View><Text name="t" value="$f0"/><Choices name="c" toName="t"><Choice value="ill"/></Choices></View>'
    other = ana.post("/api/projects/", json={"title": "Other classes", "label_config": config}).json()["id"]
    wrong = studio.tokens["ana@example.com"][:-4] + "AAAA"
    for arguments, token, code, words in (
        (("--url", "http://127.0.0.1:9"), None, 1, "cannot be reached"),
        (("--url", studio.url), wrong, 2, "does not accept the token"),
        (("--url", studio.url), "0123456789abcdef", 2, "does not accept the token"),
        (("--url", studio.url, "--project", "99999"), None, 1, "there is no project 99999"),
        (("--url", studio.url, "--project", str(other)), None, 2, "Choices 'c' lacks 'healthy'"),
    ):
        more = () if "--project" in arguments else ("--project", str(other))
        process = command(studio, url, *arguments, *more, token=token)
        found, said = finished(process)
        assert found == code and words in said and len(said.strip().splitlines()) == 1, said
        assert wrong not in said and studio.tokens["ana@example.com"] not in said
    with feeding(studio, url, "--create-project", "Deleted", "--poll", "0.2", "--queue", "5") as feeder:
        wait_until(lambda: "new tasks;" in feeder.said)
        project = studio.project("Deleted")
        again, said = finished(command(studio, url, "--url", studio.url, "--project", project))
        assert again == 1 and "feeds this project already" in said
        annotate(ana, studio.tasks(project)[0]["id"], "ill")
        wait_until(lambda: "1 label by ana@example.com" in feeder.said)
        assert ana.delete(f"/api/projects/{project}/").status_code == 204
        assert feeder.process.wait(timeout=PATIENCE) == 1
        wait_until(lambda: "is not in Label Studio any more: 5 rows were given back" in feeder.said)
    with Study.open(url) as study:
        assert study.n_labels == 1 and not study.pending


def test_a_project_that_somebody_else_feeds_too(studio, table, tmp_path):
    made(tmp_path / "study.db", table).close()
    arguments = (tmp_path / "study.db", "--url", studio.url, "--queue", QUEUE, "--once")
    done(command(studio, *arguments, "--create-project", "twice"))
    project, ana = studio.project("twice"), studio.people["ana@example.com"]
    first = studio.tasks(project)[0]
    # What the same command does on another machine that looks at the same moment.
    again = {"project": project, "data": first["data"], "meta": first["meta"]}
    assert ana.post("/api/tasks/", json=again).status_code == 201
    said = done(command(studio, *arguments, "--project", project))
    assert "Does the same command run somewhere else" in said and f"row {first['data']['activefs_row']}" in said.lower()
    annotate(ana, first["id"], "ill")
    assert "run somewhere else" not in done(command(studio, *arguments, "--project", project))
    assert told(tmp_path / "study.db") == [(first["data"]["activefs_row"], "ill")]


def test_labels_go_both_ways_as_json(studio, table, tmp_path):
    ana = studio.people["ana@example.com"]
    with made(tmp_path / "one.db", table, annotator="eva") as study:
        study.tell([0, 1, 2], ["ill", "healthy", "ill"])
        study.skip(3)
    exported = tmp_path / "labels.json"
    done(command(studio, "export", tmp_path / "one.db", exported))
    made(tmp_path / "two.db", table).close()
    done(command(studio, tmp_path / "two.db", "--url", studio.url, "--create-project", "Files", "--once"))
    project = studio.project("Files")
    sent = ana.post(f"/api/projects/{project}/import", json=json.loads(exported.read_text()))
    assert (sent.status_code, sent.json()["task_count"], sent.json()["annotation_count"]) == (201, 4, 4)
    for kind in ("JSON", "JSON_MIN"):
        file = tmp_path / f"{kind}.json"
        file.write_text(ana.get(f"/api/projects/{project}/export", params={"exportType": kind}).text)
        made(tmp_path / f"{kind}.db", table).close()
        done(command(studio, "import", tmp_path / f"{kind}.db", file))
        assert sorted(told(tmp_path / f"{kind}.db")) == [("p0", "ill"), ("p1", "healthy"), ("p2", "ill")]
    with Study.open(tmp_path / "JSON.db") as study, study.engine.reading() as state:
        assert {a.annotator for a in state.answers()} == {"eva"} and list(state.skipped) == [3]
    pulled, annotations = tmp_path / "pulled.csv", tmp_path / "annotations.json"
    arguments = (pulled, "--url", studio.url, "--project", project, "--annotations", annotations)
    done(command(studio, "pull", *arguments))
    with made(tmp_path / "pulled.db", pulled, id_column="task_id", k=1, ignore=["activefs_row"]) as study:
        assert study.pool.n_rows == len(studio.tasks(project))
    done(command(studio, "import", tmp_path / "pulled.db", annotations))
    assert sorted(label for _, label in told(tmp_path / "pulled.db")) == ["healthy", "ill", "ill"]
