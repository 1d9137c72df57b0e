"""What people want to know besides, of a study: when it is done, how many features it needs, how good its model is."""

import json

import numpy as np
import pytest

from activefs import Study
from activefs.selection import Selection
from activefs.storages import MemoryStorage
from activefs.study import Reader, html_report, selection_csv

RNG = np.random.default_rng(2)
X = RNG.integers(0, 3, size=(300, 10))
Y = ((X[:, 3] + X[:, 7] > 2) ^ (RNG.random(300) < 0.02)).astype(int)


def made(n, y=Y, **options):
    study = Study.create(MemoryStorage(), X, **{"k": 3, "random_state": 0, "budget": 150} | options)
    if n:
        study.tell(list(range(n)), y[:n].tolist())
    return study


@pytest.fixture(scope="module")
def usual():
    return made(60)


class TestBeforeThereIsAnythingToSay:
    @pytest.mark.parametrize(
        ("n", "why"), [(0, "there is no label yet"), (12, "all labels so far are of one class (0)")]
    )
    @pytest.mark.parametrize("strategy", ["assisted", "afs"])
    def test_no_ranking_is_shown(self, n, why, strategy):
        study = made(n, np.zeros(300, dtype=int), strategy=strategy)
        status, reader = study.status(), Reader(study.engine)
        assert status.places == () and status.arbitrary == why and status.sure == f"too few labels to say: {why}"
        assert reader.history() == [] and selection_csv(status).count("\n") == 1
        page = html_report(study.engine, reader)
        assert "any ranking would be arbitrary" in page and "x3</td>" not in page
        assert study.status().to_json()["places"] == ()
        assert len(status.selection) == 3  # the interface still has k features, and says what they are worth
        assert str(status.selection).splitlines()[1] == "No features are listed: any ranking would be arbitrary."

    def test_too_few_labels_is_not_no_connection(self):
        noise = RNG.integers(0, 2, size=300)
        assert made(12, noise).status().sure == "too few labels to say: 12 so far"
        said = "no connection found: with 80 labels, no feature shows more than chance might"
        study = made(80, noise)
        assert study.status().sure == said and study.forecast().sentence == said
        assert made(80, noise, strategy="afs").status().sure == said


class TestContested:
    @pytest.mark.parametrize("strategy", ["assisted", "afs"])
    @pytest.mark.parametrize("redundancy", ["none", "mrmr"])
    def test_means_the_same_everywhere(self, strategy, redundancy):
        study = made(25, strategy=strategy, redundancy=redundancy)
        found, status = study.contested(), study.status()
        names = {study.pool.names[j] for j in found.features}
        chosen = [p.name for p in status.places if p.contested]
        assert set(chosen) == names & set(status.selection.names) and chosen
        assert {p.challengers for p in status.places if p.contested} == {len(names) - len(chosen)}
        assert {p.strongest for p in status.places if p.contested} <= names - set(chosen)
        assert all(p.challengers == 0 and p.strongest == "" for p in status.places if not p.contested)
        assert Reader(study.engine).history()[-1].contested == len(names) == 2 * status.n_contested
        assert status.contest.startswith(f"{len(chosen)} of the 3 chosen features and {len(chosen)} other")


class TestForecast:
    def test_rests_on_the_history(self, usual):
        points = Reader(usual.engine).history()
        assert points[-1].labels == 60
        assert all(p.expected_gap is not None and p.expected_gap >= 0 for p in points)
        assert points[-1].expected_gap == usual.selection().expected_gap
        found = usual.forecast()
        assert found.labels == 60 and found.gap == points[-1].expected_gap
        assert found.target == pytest.approx(0.05 * usual.selection().scores.sum())

    def test_aims_at_what_the_study_stops_at(self):
        found = made(45, stop_when_gap_below=0.5).forecast()
        assert found.state == "there" and found.target == 0.5 and "less than 0.500 nats together" in str(found)

    def test_without_a_model(self):
        assert "judged by the labels alone" in made(60, strategy="afs").forecast().sentence

    def test_is_kept_and_so_is_the_history(self, usual, monkeypatch):
        before, points = usual.forecast(), Reader(usual.engine).history()
        other = Study.open(usual.engine.storage, X)
        monkeypatch.setattr("activefs.engine.Engine.contested", None)  # nothing is computed again
        assert Reader(other.engine).history() == points and other.forecast() == before

    @pytest.mark.parametrize("damage", [{}, {"state": 1}, {"line": 5}])
    def test_what_is_damaged_is_computed_again(self, damage):
        study = made(45)
        whole, points = study.forecast(), Reader(study.engine).history()
        storage = study.engine.storage
        for key in list(storage._answers):
            storage.keep_answer(key, damage)
        assert study.forecast() == whole and Reader(study.engine).history() == points


def test_the_curve_of_a_study_is_that_of_its_session(usual):
    curve = Reader(usual.engine).curve()
    assert str(curve) == str(usual.selection().curve()) == str(Reader(usual.engine).curve())


def test_the_model_is_checked_in_one_line(usual):
    check = usual.status().model_check
    assert check == usual.selection().model_check and check.n_rows == 60
    assert 0.6 < check.lower < check.accuracy < check.upper and "the model is right in" in str(check)
    assert usual.status().to_json()["model_check"]["sentence"] == str(check)
    assert made(60, strategy="afs").status().model_check is None


def test_the_report_has_all_of_it(usual):
    page = usual.report()
    for said in (
        *("When will it be done?", "Is the model any good here?", "How many features are needed?"),
        *("mutual information (nats)", "of what all columns tell", "contested", "tells alone (nats)"),
    ):
        assert said in page
    assert page.count("<img alt=") >= 4 and 'alt=""' not in page


def test_answers_of_earlier_releases_can_be_read():
    old = made(40).status().summary.selection
    old = {name: value for name, value in old.items() if name not in ("arbitrary", "model_check", "curve")}
    again = Selection.from_json(json.loads(json.dumps(old)))
    assert again.arbitrary == "" and again.model_check is None and again.sure.startswith("expected to lack")


def test_units():
    assert made(40).status().sure.endswith("nats against the best")
    gini = made(40, criterion="gini").status()
    assert "nats" not in gini.sure + str(gini.selection) and gini.to_json()["unit"] == ""
