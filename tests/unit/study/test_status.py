"""What `status` says: all of it about one moment, and classes counted as the engine counts them."""

import pytest

from activefs import Study
from activefs.storages import MemoryStorage
from activefs.study import Reader, open_engine
from activefs.testing import random_problem

PROBLEM = random_problem(3, (2, 3, 4, 5, 3), rows=60)
OPTIONS = {"k": 1, "strategy": "afs", "random_state": 0, "when_certified": "continue"}


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

    def test_the_page_learns_of_them(self, interrupted):
        testclient = pytest.importorskip("fastapi.testclient")
        from activefs.web import create_app

        app = create_app(open_engine(interrupted.engine.storage, PROBLEM.X))
        client = testclient.TestClient(app, base_url="http://127.0.0.1")
        shown = client.get("/api/v1/study").json()
        assert shown["labels"] == 20
        assert client.get(f"/study/now?after={shown['last_event']}").status_code == 200
