"""Sessions in files and pickles: what comes back is what was kept, and what cannot be is refused."""

import json
import pickle

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from activefs import Pool, Session
from activefs.exceptions import InvalidInputError
from activefs.model import Assistant

RNG = np.random.default_rng(0)
X = RNG.integers(0, 3, size=(60, 5))
Y = (X[:, 1] > 0).astype(int)
PRICED = {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "price": np.arange(1, 61)}


def labelled(session, n=15):
    rows = list(range(n))
    session.tell(rows, [int(Y[row]) for row in rows])
    return session


@pytest.fixture
def path(tmp_path):
    return tmp_path / "session.json"


class TestAssistant:
    """A model that was prepared by the user is part of the session."""

    @pytest.fixture
    def session(self):
        pool = Pool.from_table(X)
        assistant = Assistant(pool, DecisionTreeClassifier(max_depth=1, random_state=0), seed=5)
        return labelled(Session(pool, 2, assistant=assistant, random_state=0))

    def test_a_pickle_keeps_it(self, session):
        again = pickle.loads(pickle.dumps(session))
        np.testing.assert_array_equal(again.values(), session.values())
        assert again.ask() == session.ask()
        # ... which another model would not have given
        assert not np.array_equal(labelled(Session(X, 2, random_state=0)).values(), session.values())

    def test_a_file_cannot(self, session, path):
        with pytest.raises(InvalidInputError, match="pickle it"):
            session.save(path)
        assert not path.exists()

    def test_a_shared_one_of_the_default_kind_can(self, path):
        pool = Pool.from_table(X)
        session = labelled(Session(pool, 2, assistant=Assistant(pool, seed=3), random_state=3))
        session.save(path)
        np.testing.assert_array_equal(Session.load(path, pool).values(), session.values())


class TestCosts:
    @pytest.fixture
    def table(self):
        pd = pytest.importorskip("pandas")
        return pd.DataFrame(PRICED)

    def test_they_come_back_with_table_or_pool(self, table, path):
        session = labelled(Session(table, 1, cost="price", budget=500, strategy="afs", random_state=0))
        session.save(path)
        for X_again in (table, session.pool):
            again = Session.load(path, X_again)
            assert repr(again) == repr(session)
            assert again.ask() == Session.load(path, table).ask()
            assert "15 labels, which cost 120 of 500" in repr(again)

    def test_other_prices_are_another_table(self, table, path):
        labelled(Session(table, 1, cost="price", budget=500, strategy="afs", random_state=0)).save(path)
        with pytest.raises(InvalidInputError, match="not the one"):
            Session.load(path, table.assign(price=7))


class TestDamagedFiles:
    @pytest.fixture
    def content(self, path):
        session = labelled(Session(X, 2, strategy="afs", random_state=0))
        session.ask()
        session.save(path)
        return json.loads(path.read_text())

    @pytest.mark.parametrize(
        "change",
        [
            lambda c: c["told"].append([999, 1, True]),
            lambda c: c["told"].append([-1, 1, True]),
            lambda c: c["told"].append(["7", 1, True]),
            lambda c: c["told"].append(c["told"][0]),
            lambda c: c["told"].append([c["pending"][0], 1, True]),
            lambda c: c["told"].append([40, ["a", 1], True]),
            lambda c: c.update(options=[]),
            lambda c: c.update(options={}),
            lambda c: c.update(kind="something else"),
            lambda c: c.pop("asked"),
            lambda c: c.update(moves=[[c["told"][0][0], False, 1.5, 0.5, 0, 0, 0]]),
            lambda c: c.update(moves=[[c["told"][0][0], False, 0.2, 0.5, 0, 0, 0]]),
            lambda c: c.update(moves=[[c["told"][0][0], False, 0.5, 0.5]]),
            lambda c: c.update(moves=[[c["told"][0][0], True]]),
            lambda c: c.update(moves=[[c["told"][0][0], False], [c["told"][0][0], False]]),
            lambda c: c.update(moves=[[999, False], [999, True]]),
            lambda c: c.update(moves=[["7", False]]),
        ],
    )
    def test_they_are_refused(self, content, path, change):
        change(content)
        path.write_text(json.dumps(content))
        with pytest.raises(InvalidInputError, match=r"no file of a session|not the one"):
            Session.load(path, X)

    def test_labels_that_text_cannot_hold(self, path):
        session = Session(X, 2, strategy="afs", random_state=0)
        session.tell([0, 1], [("a", 1), ("b", 2)])
        with pytest.raises(InvalidInputError, match="cannot be written as text"):
            session.save(path)
        fixed = Session(X, 2, strategy="afs", random_state=0, classes=[("a", 1), ("b", 2)])
        with pytest.raises(InvalidInputError, match="where they are kept"):
            fixed.save(path)
        assert not path.exists()


def test_a_pickle_from_before_a_setting_has_its_default():
    session = labelled(Session(X, 2, strategy="afs", random_state=0))
    state = session.__getstate__()
    state["options"] = {name: value for name, value in state["options"].items() if name != "stop_when_gap_below"}
    again = Session.__new__(Session)
    again.__setstate__(state)
    assert again.ask() == session.ask()


class TestInterrupts:
    """Ctrl-C in the middle of a computation leaves nothing half done."""

    @pytest.mark.parametrize("strategy", ["afs", "random"])
    def test_the_next_answer_is_as_if_nothing_had_been(self, monkeypatch, strategy):
        session = labelled(Session(X, 2, strategy=strategy, random_state=0, classes=[0, 1]), 20)
        expected = pickle.loads(pickle.dumps(session))
        state = session._engine._labelled
        original, calls = state.estimates.add, []

        def interrupted(row, code):
            calls.append(row)
            if len(calls) == 3:
                raise KeyboardInterrupt
            original(row, code)

        for row in range(20, 26):
            for one in (session, expected):
                one._asked |= {row}
        session.selection()
        for one in (session, expected):
            one.tell(list(range(20, 26)), [int(y) for y in Y[20:26]])
        monkeypatch.setattr(state.estimates, "add", interrupted)
        with pytest.raises(KeyboardInterrupt):
            session.selection()
        assert len(calls) == 3
        monkeypatch.undo()
        np.testing.assert_array_equal(session.values(), expected.values())
        assert session.ask() == expected.ask() and session.classes == expected.classes


class TestOwnership:
    def test_what_is_handed_out_is_the_callers(self):
        session = labelled(Session(X, 2, strategy="afs", random_state=0))
        before, (lower, upper) = session.values(), session.bounds()
        kept = before.copy(), lower.copy(), upper.copy()
        session.tell(40, int(Y[40]))
        for mine, then in zip((before, lower, upper), kept, strict=True):
            np.testing.assert_array_equal(mine, then)
        scores = session.selection().scores
        session.values()[:] = 0
        np.testing.assert_array_equal(session.selection().scores, scores)


def test_what_is_guaranteed_survives(path):
    session = Session(X, 2, strategy="random", classes=[0, 1], random_state=0, when_certified="continue")
    for _ in range(30):
        row = session.ask()
        session.tell(row, int(Y[row]))
    session.save(path)
    again = Session.load(path, X)
    np.testing.assert_array_equal(again.guaranteed_bounds(), session.guaranteed_bounds())
    content = json.loads(path.read_text())
    assert any(len(move) > 2 for move in content["moves"])
    del content["moves"]  # as release 0.1 wrote it
    path.write_text(json.dumps(content))
    old = Session.load(path, X)
    widths = [np.subtract(*one.guaranteed_bounds()[::-1]).mean() for one in (session, old)]
    assert widths[0] < widths[1] and old.ask() == session.ask()
