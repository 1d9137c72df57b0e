"""Changes that come at the same moment are written together; each of them is as safe as it is alone."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from machines import PATIENCE, wait_until

from activefs.exceptions import InvalidLabelError, StorageError
from activefs.storages import Kind, MemoryStorage
from activefs.study import Person, StudyState, create_engine

X = np.random.default_rng(0).integers(0, 3, size=(200, 4))
PEOPLE = [Person(f"annotator {i}") for i in range(8)]


class Slow(MemoryStorage):
    """A storage whose transactions can be held open, counted, and made to fail."""

    def __init__(self):
        super().__init__()
        self.go, self.opened, self.broken = threading.Event(), 0, False
        self.go.set()

    @contextmanager
    def transaction(self):
        with super().transaction() as log:
            self.opened += 1
            assert self.go.wait(PATIENCE)
            yield log
            if self.broken:
                raise StorageError("the disk is full")


@pytest.fixture
def engine():
    made = create_engine(Slow(), X, k=1, classes=["yes", "no"], strategy="random", random_state=0)
    yield made
    made.close()


def _together(engine, changes):
    """Let threads make changes while a transaction is open, so that they wait together; returns what came of each."""
    found: list[Any] = [None] * len(changes)

    def run(i):
        try:
            found[i] = changes[i]()
        except Exception as error:
            found[i] = error

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(changes))]
    engine.storage.go.clear()
    opened = engine.storage.opened
    threads[0].start()
    wait_until(lambda: engine.storage.opened > opened)
    for thread in threads[1:]:
        thread.start()
    wait_until(lambda: len(engine._turns._waiting) == len(changes) - 1)
    engine.storage.go.set()
    for thread in threads:
        thread.join(PATIENCE)
    return found


def _answers(engine, labels):
    asked = [engine.ask(who) for who in PEOPLE]
    pairs = zip(PEOPLE, asked, labels, strict=True)
    return asked, [lambda who=who, q=q, label=label: engine.answer(who, q.id, label) for who, q, label in pairs]


def _is_what_the_log_says(engine):
    told = StudyState(engine.storage.events()).position().told
    return engine.position().told == told


def test_they_share_a_transaction(engine):
    asked, changes = _answers(engine, ["yes", "no"] * 4)
    before = engine.storage.opened
    found = _together(engine, changes)
    assert [(a.row, a.label) for a in found] == [
        (q.row, label) for q, label in zip(asked, ["yes", "no"] * 4, strict=True)
    ]
    assert engine.storage.opened - before == 2
    assert _is_what_the_log_says(engine)


def test_what_is_refused_changes_nothing_for_others(engine):
    _, changes = _answers(engine, ["yes"] * 5 + ["perhaps"] + ["no"] * 2)
    found = _together(engine, changes)
    assert [isinstance(one, InvalidLabelError) for one in found] == [i == 5 for i in range(8)]
    assert sum(e.kind is Kind.LABELLED for e in engine.storage.events()) == 7
    assert _is_what_the_log_says(engine)


def test_a_storage_that_fails_fails_for_all_and_nothing_is_kept(engine):
    _, changes = _answers(engine, ["yes"] * 8)
    count = len(engine.storage.events())
    engine.storage.broken = True
    found = _together(engine, changes)
    engine.storage.broken = False
    assert all(isinstance(one, StorageError) for one in found)
    assert len(engine.storage.events()) == count
    assert _is_what_the_log_says(engine)
    assert [change().label for change in changes] == ["yes"] * 8  # and it goes on
    assert _is_what_the_log_says(engine)


def test_a_fault_in_one_is_its_own(engine):
    _, changes = _answers(engine, ["yes"] * 8)

    def faulty(state, log):
        log.append([])
        raise ZeroDivisionError

    changes[3] = lambda: engine._change(faulty)
    found = _together(engine, changes)
    assert [isinstance(one, ZeroDivisionError) for one in found] == [i == 3 for i in range(8)]
    assert sum(e.kind is Kind.LABELLED for e in engine.storage.events()) == 7
    assert _is_what_the_log_says(engine)


def test_no_row_is_leased_twice_by_those_who_ask_together(engine):
    with ThreadPoolExecutor(len(PEOPLE)) as pool:
        found = list(pool.map(engine.ask, PEOPLE))
    assert len({question.row for question in found}) == len(PEOPLE)
    assert _is_what_the_log_says(engine)
