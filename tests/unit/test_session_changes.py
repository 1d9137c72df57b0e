"""A session that is corrected, kept, copied and looked at."""

import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

from activefs import ActiveFeatureSelector, Pool, Session
from activefs.exceptions import ActiveFSError, InvalidInputError, InvalidLabelError
from activefs.strategies import AFS
from activefs.testing import random_problem

PROBLEM = random_problem(3, (2, 3, 4, 5, 3), rows=60)
X, Y = PROBLEM.X, PROBLEM.y


def running(count=14, **options):
    session = Session(X, 2, **{"strategy": "afs", "random_state": 0, "when_certified": "continue", **options})
    for _ in range(count):
        row = session.ask()
        session.tell(row, int(Y[row]))
    return session


class TestChanges:
    def test_a_correction_is_as_if_it_had_been_told_so(self):
        wrong, right = running(0), running(0)
        for t in range(12):
            row = wrong.ask()
            wrong.tell(row, 1 - int(Y[row]) if t == 4 else int(Y[row]))
        wrong.correct(int(wrong.labelled[4]), int(Y[wrong.labelled[4]]))
        for row in wrong.labelled.tolist():  # the rows of the one, the labels of both
            right._position = right._position.asking(row)
            right.tell(row, int(Y[row]))
        assert wrong.labels == right.labels and wrong.selection() == right.selection()
        assert wrong.ask() == right.ask()

    def test_corrections_are_checked(self):
        session = running(5, classes=[0, 1])
        first = int(session.labelled[0])
        before = session.labels
        with pytest.raises(InvalidLabelError, match="classes"):
            session.correct(first, "perhaps")
        with pytest.raises(InvalidInputError, match="no label"):
            session.correct(next(r for r in range(60) if r not in session.labelled), 1)
        with pytest.raises(InvalidInputError, match="from 0 to 59"):
            session.correct(60, 1)
        assert session.labels == before

    def test_a_class_that_is_corrected_away_is_gone(self):
        session = running(0, strategy="random")
        session.tell([0, 1, 2], ["a", "typo", "b"])
        session.correct(1, "b")
        assert session.classes == ("a", "b") and session.labels == ["a", "b", "b"]

    def test_skips_and_questions_can_be_taken_back(self):
        session = running()
        row = session.ask()
        session.skip(row)
        following = session.ask()
        assert following != row
        session.release(following)
        session.unskip(row)
        assert session.pending == session.skipped == () and session.ask() == row
        for call in (lambda: session.unskip(row), lambda: session.release(following)):
            with pytest.raises(InvalidInputError, match="is not"):
                call()

    def test_reason(self):
        session = running(3, budget=4)
        before = session.reason
        assert before is None and not session.finished
        session.tell(session.ask(), 1)
        assert session.reason == "the budget of 4 labels is used" and session.finished

    def test_a_callback_hears_of_every_label(self):
        heard = []
        session = Session(
            X, 2, strategy="random", budget=6, random_state=0, callback=lambda s: heard.append(s.n_labels)
        )
        session.tell([0, 1], [0, 1])
        while not session.finished:
            session.tell(session.ask(), 1)
        session.tell(0, 0)  # known already
        assert heard == [2, 2, 3, 4, 5, 6]  # two were told at once
        counts = []
        ActiveFeatureSelector(2, budget=5, strategy="random").fit(X, Y, callback=lambda s: counts.append(s.n_labels))
        assert counts == [1, 2, 3, 4, 5]
        with pytest.raises(InvalidInputError, match="callable"):
            Session(X, 2, callback=3)  # type: ignore[arg-type]  # as it should be


OPTIONS: dict[str, dict[str, Any]] = {
    "afs": {"strategy": AFS(psi="l2")},
    "assisted": {"strategy": "assisted"},
    "costs": {"strategy": "single", "cost": np.linspace(1, 2, 60), "budget": 70.0},
    "rule": {"strategy": "afs", "redundancy": "mrmr", "classes": [0, 1]},
}


class TestKeeping:
    @pytest.mark.parametrize("name", OPTIONS)
    @pytest.mark.parametrize("way", ["pickle", "file", "file and pool"])
    def test_it_goes_on_in_the_same_way(self, name, way, tmp_path):
        session = running(**OPTIONS[name])
        session.skip(session.ask())
        session.ask()
        last = session.undo()
        if way == "pickle":
            again = pickle.loads(pickle.dumps(session))
        else:
            session.save(tmp_path / "session.json")
            again = Session.load(tmp_path / "session.json", session.pool if "pool" in way else X)
        assert again.options.keys() == session.options.keys()
        for _ in range(4):
            assert (again.pending, again.skipped) == (session.pending, session.skipped)
            assert again.labelled.tolist() == session.labelled.tolist() and again.labels == session.labels
            assert again.selection() == session.selection()
            row = session.ask()
            assert again.ask() == row
            for one in (session, again):
                one.tell([row, last], [int(Y[row]), int(Y[last])])

    def test_a_column_of_costs(self, tmp_path):
        frame = pd.DataFrame(X, columns=list("abcde")).assign(price=np.linspace(1, 2, 60))
        session = Session(frame, 2, cost="price", budget=30, strategy="afs", random_state=1)
        session.tell(session.ask(), 1)
        session.save(tmp_path / "s.json")
        again = Session.load(tmp_path / "s.json", frame)
        assert again.pool.names == tuple("abcde") and again.ask() == session.ask()

    def test_wrong_files_and_tables(self, tmp_path):
        path = tmp_path / "s.json"
        session = running(3)
        session.save(path)
        with pytest.raises(InvalidInputError, match="not the one"):
            Session.load(path, X[:, ::-1])
        with pytest.raises(InvalidInputError, match="cannot be read"):
            Session.load(tmp_path / "none.json", X)
        for text in ("", "{}", "[1]", json.dumps({"kind": "activefs session", "version": 99})):
            path.write_text(text)
            with pytest.raises(InvalidInputError, match="no file of a session"):
                Session.load(path, X)
        with pytest.raises(ActiveFSError, match="could not be written"):
            session.save(tmp_path / "no folder" / "s.json")

        class Mine(AFS):
            name = "mine"

        with pytest.raises(InvalidInputError, match="by name"):
            running(1, strategy=Mine()).save(path)


class TestLooks:
    def test_repr(self):
        session = running(3, budget=20)
        session.ask(2)
        assert repr(session) == "<Session: 2 of 5 features, 60 rows, strategy AFS(): 3 of 20 labels, 2 pending>"

    def test_consoles_show_what_print_does(self):
        selection = running(25).selection()
        assert repr(selection) == str(selection) and repr(selection.curve()) == str(selection.curve())

    def test_html(self):
        session = Session(pd.DataFrame(X, columns=["<b>", "b", "c", "d", "e"]), 4, strategy="afs", random_state=0)
        assert "<table" not in session._repr_html_()
        session.tell(range(30), Y[:30])
        page = session._repr_html_()
        assert "&lt;b&gt;" in page and "<b>" not in page and "30" in page
        assert session.selection()._repr_html_().count("<tr>") == 5

    @pytest.mark.parametrize("strategy", ["afs", "assisted"])
    def test_frame_of_chosen_and_of_all_features(self, strategy):
        session = running(25, strategy=strategy)
        chosen = session.selection()
        frame = chosen.to_frame()
        assert frame["feature"].tolist() == list(chosen.names) and frame["rank"].tolist() == [1, 2]
        np.testing.assert_array_equal(frame["mutual_information"], chosen.scores)
        every = chosen.to_frame(all_features=True)
        assert len(every) == 5 and every["chosen"].tolist() == [True, True, False, False, False]
        assert every["feature"].tolist()[:2] == list(chosen.names)
        np.testing.assert_allclose(every["mutual_information"][:2], chosen.scores)
        assert (every["lower"] <= every["mutual_information"] + 1e-12).all()
        assert (every["mutual_information"] <= every["upper"] + 1e-12).all()

    def test_plot(self):
        from matplotlib.figure import Figure

        axes = running(25).selection().plot(Figure().subplots())
        assert len(axes.patches) == 2 and "mutual information" in axes.get_xlabel()

    def test_settings_stay_as_they_are(self):
        session = running(0, budget=9)
        for name in ("budget", "strategy", "delta"):
            with pytest.raises(AttributeError, match=f"{name} is a setting of the session"):
                setattr(session, name, 20)
        assert session.budget == 9

    def test_settings_can_be_read(self):
        session = running(0, delta=0.1, budget=9)
        assert (session.delta, session.budget, session.estimator, session.rule.name) == (0.1, 9, "plug-in", "none")
        with pytest.raises(AttributeError, match="nonsense"):
            _ = session.nonsense


def test_a_pool_is_used_as_it_is():
    pool = Pool.from_table(X, bins=4)
    assert Session(pool, 2, strategy="random").pool is pool
