"""What `status` says: all of it about one moment, and classes counted as the engine counts them."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from activefs import Study
from activefs.exceptions import InvalidLabelError
from activefs.storages import MemoryStorage
from activefs.study import Imported, Reader, open_engine
from activefs.testing import random_problem

PROBLEM = random_problem(3, (2, 3, 4, 5, 3), rows=60)
OPTIONS: dict[str, Any] = {"k": 1, "strategy": "afs", "random_state": 0, "when_certified": "continue"}


class Interrupted(MemoryStorage):
    """Somebody else labels rows while an answer is looked for."""

    def __init__(self):
        super().__init__()
        self.meanwhile = []

    def find_answer(self, key):
        found = super().find_answer(key)
        if self.meanwhile:
            self.meanwhile.pop()()
        return found


class TestOneMoment:
    @pytest.fixture(params=["the answer was known", "the answer is computed"])
    def interrupted(self, request):
        storage = Interrupted()
        study = Study.create(storage, PROBLEM.X, **OPTIONS)
        study.tell(list(range(20)), PROBLEM.y[:20].tolist())
        if request.param == "the answer was known":
            study.status()
        other = Study.open(storage, PROBLEM.X)
        storage.meanwhile.append(lambda: other.tell(list(range(20, 40)), (1 - PROBLEM.y[20:40]).tolist()))
        return study

    def test_labels_that_come_meanwhile_are_in_the_next_status(self, interrupted):
        reader = Reader(interrupted.engine)
        before, after = reader.status(), interrupted.status()
        assert (before.n_labels, after.n_labels) == (20, 40)
        for status in (before, after):
            assert status.selection.n_labels == status.n_labels
            assert sum(count for _, count in status.classes) == status.n_labels
            assert [person.labels for person in status.annotators] == [status.n_labels]
            assert status.last == status.n_labels

    def test_the_report_is_of_one_moment_as_well(self, interrupted):
        page = interrupted.report()
        assert "20 labels" in page and "All 20 answers" in page

    def test_the_page_learns_of_them(self, interrupted):
        pytest.importorskip("fastapi.testclient")
        from at_home import at_home

        from activefs.web import create_app

        app = create_app(open_engine(interrupted.engine.storage, PROBLEM.X))
        client = at_home(app)
        shown = client.get("/api/v1/study").json()
        assert shown["labels"] == 20
        assert client.get(f"/study/now?after={shown['last_event']}").status_code == 200


class TestKept:
    @pytest.mark.parametrize("content", ['{"places": [', "", "[]", "{}", '{"places": 1}', "null"])
    def test_what_is_damaged_is_computed_again(self, tmp_path, content):
        with Study.create(tmp_path / "study.db", PROBLEM.X, **OPTIONS) as study:
            study.tell(list(range(20)), PROBLEM.y[:20].tolist())
            whole = study.status()
            with closing(sqlite3.connect(tmp_path / "study.db")) as connection, connection:
                assert connection.execute("UPDATE activefs_kept_answers SET content = ?", (content,)).rowcount == 1
            assert study.status() == whole


class TestClasses:
    def test_a_list_of_one_class_written_twice_is_no_list(self, study):
        header = study.engine.storage.header()
        old = MemoryStorage()
        old.create(replace(header, settings={**header.settings, "classes": ["a ", " a"]}))
        opened = Study.open(old, PROBLEM.X)
        opened.tell([0, 1], ["a", "b"])
        assert opened.classes == ("a", "b")

    @pytest.fixture
    def study(self):
        return Study.create(MemoryStorage(), PROBLEM.X, **OPTIONS)

    def test_of_one_call_are_compared_with_each_other(self, study):
        study.tell([0, 1, 2, 3], [1, "1", " 1", 1.0])
        assert study.labels == [1, 1, 1, 1] and study.classes == (1,)
        assert study.status().classes == ((1, 4),)
        assert "one class" in study.status().caution

    def test_of_one_file_are_compared_with_each_other(self, study):
        study.import_csv("row,label\n0,e\u0301\n1,\u00e9\n2,1\n3,1.0\n")
        assert study.status().classes == (("\u00e9", 2), (1, 2))

    def test_of_a_file_are_compared_with_those_that_came_while_it_was_read(self, study):
        known = study.engine.clock()
        study.tell(0, "1")
        study.engine.import_answers(study.person, [Imported(1, 1, "ana", known), Imported(0, 1, "ana", known)])
        assert study.labels == ["1", "1"]

    def test_the_same_said_in_another_way_changes_nothing(self, study):
        study.tell([0, 1], ["1", 0])
        study.tell([0, 1], [1, "0 "])
        study.correct(0, 1)
        assert study.labels == ["1", 0] and study.status().last == 2

    def test_what_is_not_the_same_is_still_refused(self, study):
        study.tell(0, 1)
        for again in (lambda: study.tell(0, "0"), lambda: study.tell([1, 1], [0, "1"])):
            with pytest.raises(InvalidLabelError, match=r"already has the label"):
                again()
        assert study.labels == [1]
