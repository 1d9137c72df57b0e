"""What the study page shows is computed beside labelling: once, in a process that comes and goes."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
import psutil
import pytest
from commanded import commanded
from machines import DATABASES, PATIENCE, wait_until
from platforms import kill, needs_signals

from activefs import Study
from activefs.storages import MemoryStorage, open_storage
from activefs.study import Background, Person, create_engine, look, open_engine, teacher_for
from activefs.study import _background as background
from activefs.study._helper import Helper, where_of
from activefs.study._looking import Part

X = np.random.default_rng(0).integers(0, 3, size=(200, 5))
OPTIONS: dict[str, Any] = {"k": 2, "classes": ["yes", "no"], "random_state": 0}
only_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has processes that wait for others")
PARTS: tuple[Part, ...] = ("status", "history", "forecast", "curve")


@pytest.fixture
def file(tmp_path):
    np.savetxt(tmp_path / "table.csv", X, fmt="%d", delimiter=",", header="a,b,c,d,e", comments="")
    return tmp_path / "table.csv"


def _label(engine, count=12):
    ana = Person("ana")
    for _ in range(count):
        asked = engine.ask(ana)
        engine.answer(ana, asked.id, "yes" if X[asked.row, 2] else "no")


def _workers_of(process):
    """Numbers of the processes that compute for a process, and that run."""
    found = {}
    for child in psutil.Process(process).children(recursive=True):
        with suppress(psutil.Error):  # it has ended meanwhile
            if any("_worker" in word for word in child.cmdline()) and child.status() != psutil.STATUS_ZOMBIE:
                found[child.pid] = child.ppid()
    # In an environment of Windows, Python is a program that starts another one.
    return [number for number, parent in found.items() if parent not in found]


@pytest.mark.parametrize("database", DATABASES)
def test_another_process_finds_what_this_one_does(database, file):
    with DATABASES[database]() as url:
        Study.create(url, file, **OPTIONS).close()
        engine = open_engine(url)
        _label(engine)
        with Study.open(url) as study:
            expected = study.status(), study.forecast()
        looking = Background(engine)
        try:
            found = {part: looking.ask(part).result(PATIENCE) for part in PARTS}
            assert _workers_of(os.getpid())
            report = looking.ask("report").result(PATIENCE)
        finally:
            looking.close()
            engine.close()
        assert found["status"].labels == 12 and found["status"].value.places == expected[0].places
        assert found["forecast"].value == expected[1]
        assert "<!doctype html>" in report.value
        assert not _workers_of(os.getpid())
        with Study.open(url) as study:  # and what it found is kept by this one
            assert study.status().places == expected[0].places


def test_however_many_look_it_is_computed_once(monkeypatch):
    computed, go = [], threading.Event()

    def slowly(*what):
        computed.append(what[-1])
        found = look(*what)
        assert go.wait(PATIENCE)
        return found

    monkeypatch.setattr(background, "look", slowly)
    engine = create_engine(MemoryStorage(), X, **OPTIONS)
    _label(engine)
    looking = Background(engine)
    first = [looking.ask("status") for _ in range(5)]
    wait_until(lambda: computed == ["status"])
    assert looking.shown() is None  # nothing is known, and nobody waits
    _label(engine, 3)
    later = [looking.ask("status") for _ in range(5)]
    go.set()
    wait([*first, *later], PATIENCE)
    assert {one.result().labels for one in first} == {12} and {one.result().labels for one in later} == {15}
    assert computed == ["status", "status"]
    _label(engine, 1)
    shown = looking.shown()
    assert shown is not None
    assert (shown.status.n_labels, shown.labels) == (16, 15)  # the counts are those of now
    wait_until(lambda: (newer := looking.shown()) is not None and newer.labels == 16)
    looking.close()
    engine.close()


def test_the_process_may_die(file, tmp_path):
    engine = create_engine(tmp_path / "study.db", file, **OPTIONS)
    _label(engine)
    looking = Background(engine)
    try:
        looking.ask("status").result(PATIENCE)
        for _ in range(5):  # it is started again, until it is not, and then a thread does it
            for worker in _workers_of(os.getpid()):
                kill(worker)
            _label(engine, 1)
            found = looking.ask("status").result(PATIENCE)
            assert found.labels == engine_labels(engine)
    finally:
        looking.close()
        engine.close()


def engine_labels(engine):
    with engine.reading() as state:
        return len(state.told)


def test_a_table_that_another_process_cannot_read_is_no_obstacle(file, tmp_path):
    engine = create_engine(tmp_path / "study.db", file, **OPTIONS)
    _label(engine)
    file.unlink()
    looking = Background(engine)
    try:
        assert looking.ask("status").result(PATIENCE).labels == 12
    finally:
        looking.close()
        engine.close()


@only_linux
def test_labelling_comes_first(file, tmp_path):
    """The process gets what others leave; priorities mean something among processes of one session."""
    engine = create_engine(tmp_path / "study.db", file, **OPTIONS)
    where = where_of(engine)
    assert where is not None
    helper = Helper(where, last=True)
    try:
        if sys.platform == "linux":
            assert os.sched_getscheduler(helper.process) == os.SCHED_IDLE
            assert os.getsid(helper.process) == os.getsid(0) and os.getpgid(helper.process) != os.getpgid(0)
    finally:
        helper.end()
        engine.close()


@only_linux
def test_on_a_machine_that_others_keep_busy_it_does_not_wait_for_ever(file, tmp_path):
    engine = create_engine(tmp_path / "study.db", file, **OPTIONS)
    _label(engine)
    looking = Background(engine)
    with _on_a_busy_processor():
        try:
            assert looking.ask("status").result(PATIENCE).labels == 12
            (worker,) = _workers_of(os.getpid())
            if sys.platform == "linux":
                assert os.sched_getscheduler(worker) == os.SCHED_OTHER
        finally:
            looking.close()
            engine.close()


@contextmanager
def _on_a_busy_processor():
    """Have one processor for this thread and all that it starts, which somebody else keeps busy."""
    if sys.platform == "linux":
        allowed = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(allowed)})
        others = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        try:
            yield
        finally:
            os.sched_setaffinity(0, allowed)
            others.kill()
            others.wait()


def _interrupt(process):
    process.send_signal(signal.SIGINT)


ENDS: dict[str, Callable[[subprocess.Popen[str]], None]] = {
    "kill": subprocess.Popen.kill,
    "terminate": subprocess.Popen.terminate,
    "interrupt": _interrupt,
}


@pytest.mark.parametrize("how", ["kill", "terminate", pytest.param("interrupt", marks=needs_signals)])
def test_it_ends_with_the_server_however_that_ends(how, file, tmp_path, add_annotator):
    engine = create_engine(tmp_path / "study.db", file, **OPTIONS)
    _label(engine)
    token = add_annotator(engine.storage, "ana")
    engine.close()
    with commanded(tmp_path / "study.db", tmp_path, token) as server:
        assert server.get("/api/v1/study").json()["labels"] == 12
        (worker,) = _workers_of(server.process.pid)
        ENDS[how](server.process)
        server.process.wait(PATIENCE)
        wait_until(lambda: not _is_alive(worker))
    assert "Traceback" not in server.log.read_text(encoding="utf-8")


def _is_alive(process):
    try:
        return psutil.Process(process).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_pages_show_what_is_known_and_the_api_waits(file, tmp_path, add_annotator):
    engine = create_engine(tmp_path / "study.db", file, budget=60, **OPTIONS)
    token = add_annotator(engine.storage, "ana")
    engine.close()
    with commanded(tmp_path / "study.db", tmp_path, token) as server, ThreadPoolExecutor(8) as pool:
        for done in range(1, 31):
            assert server.answer("yes" if done % 2 else "no").status_code == 200
            if done % 10 == 0:
                pages = list(pool.map(server.get, ("/study", "/study/now", "/study/outlook", "/study/outlook") * 2))
                assert {page.status_code for page in pages} == {200}
                assert all(f"<b>{done}</b>" in page.text for page in pages[:2])
                assert server.get("/api/v1/study").json()["labels"] == done
                assert server.get("/api/v1/history").json()[-1]["labels"] == done
                assert server.get("/api/v1/curve").json()["labels"] == done
                assert server.get("/api/v1/forecast").status_code == 200
        last = server.get("/api/v1/study").json()["last_event"]
        wait_until(lambda: server.get(f"/study/now?after={last}").status_code == 204)
        wait_until(lambda: "As of label" not in server.get("/study/outlook").text)
        storage = open_storage(tmp_path / "study.db")
        storage.remove_annotator("ana")
        storage.close()
        assert server.get("/api/v1/study").status_code == 401
    assert " ERROR " not in server.log.read_text(encoding="utf-8")


def test_a_model_that_learns_in_another_process_asks_the_same(file, tmp_path):
    """Six people label, without such a process and with one that is killed: the same rows, to the last digit."""
    logs = [_labelled_by_six(create_engine(tmp_path / f"{n}.db", file, **OPTIONS), n == 1) for n in range(2)]
    assert logs[0] == logs[1]
    assert not _workers_of(os.getpid())


def _labelled_by_six(engine, apart):
    people = [Person(f"annotator {i}") for i in range(6)]
    engine.teacher = teacher_for(engine) if apart else None
    held = {who.name: engine.ask(who) for who in people}
    for i in range(120):
        who = people[i % len(people)]
        engine.answer(who, held[who.name].id, "yes" if X[held[who.name].row, 2] else "no")
        held[who.name] = engine.ask(who)
        if apart and i in (30, 60):
            wait_until(lambda: engine.teacher._helper is not None)
        if apart and i == 40:
            (worker,) = _workers_of(os.getpid())
            kill(worker)
    if apart:
        assert engine.teacher._deaths == 1 and _workers_of(os.getpid())
    found = [(e.kind, e.row, e.label, e.chance) for e in engine.storage.events()]
    engine.close()
    return found
