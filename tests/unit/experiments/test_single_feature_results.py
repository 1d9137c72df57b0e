"""Experiments, intervals, wins, comparison with the published table, kept results."""

import numpy as np
import pytest
from scipy import stats

from activefs.exceptions import InvalidInputError
from activefs.experiments.single_feature import (
    DEFINITIONS,
    Experiment,
    Group,
    Measured,
    SingleFeatureSettings,
    check_groups,
    compare,
    fixed_experiments,
    published,
    reproduce,
    run_experiments,
    uniform_experiments,
    wins,
)
from activefs.runs import Store, half_width

SMALL = SingleFeatureSettings(repetitions=60, budgets=(6, 12))
FEATURE = Experiment("mine", "uniform", "mine", (0.3, 0.7), (0.5, 0.1))


def run(experiments, settings, store, jobs=1):
    return run_experiments(experiments, settings, store, jobs=jobs)[1]


def test_the_papers_numbers_of_experiments():
    uniform, fixed = uniform_experiments(), fixed_experiments()
    assert (len(uniform), len(fixed)) == (25, 95)
    for experiments in (uniform, fixed):
        assert len({e.name for e in experiments}) == len(experiments)
        assert {len(e.p) for e in experiments} == {2, 4, 6, 8, 10}
        assert all(abs(sum(e.p) - 1) < 1e-12 and len(e.p) == len(e.q) for e in experiments)
    assert all(0 <= x <= 0.5 for e in uniform for x in e.q)
    assert len({e.q for e in fixed}) == 95


def test_uniform_q_depend_on_the_seed_only():
    assert uniform_experiments(3) == uniform_experiments(3) != uniform_experiments(4)


def test_names_of_sets():
    assert check_groups(["fixed", " uniform", "fixed"]) == ["uniform", "fixed"]
    for bad in (["everything"], [""], []):
        with pytest.raises(InvalidInputError, match="uniform, fixed, adult"):
            check_groups(bad)


def test_interval_equals_scipy():
    sample = np.random.default_rng(0).exponential(size=50)
    low, high = stats.t.interval(0.95, 49, sample.mean(), stats.sem(sample))
    assert half_width(sample.std(ddof=1), 50) == pytest.approx((high - low) / 2)


def test_wins_by_hand():
    low = np.array([[1.0, 3.0, 4.0], [1.0, 1.5, 9.0], [2.0, 2.0, 2.0]])
    high = np.array([[2.0, 4.0, 5.0], [2.0, 2.5, 9.5], [2.0, 2.0, 2.0]])
    clear, any_win = wins(low, high)
    assert clear.tolist() == [[True, False, False], [False] * 3, [True] * 3]
    assert any_win.tolist() == [[True, False, False], [True, True, False], [True] * 3]


def test_published_table():
    assert published("fixed")[3, 7].tolist() == [4, 42]
    assert published("adult").shape == (4, 9, 2)
    uniform = published("uniform")
    assert np.all(uniform[..., 0] <= uniform[..., 1]) and uniform.max() == 25


@pytest.mark.parametrize(
    "bad", [{"repetitions": 1}, {"repetitions": 2.5}, {"seed": -1}, {"budgets": ()}, {"budgets": (9, 5)}]
)
def test_settings_are_checked(bad):
    with pytest.raises(InvalidInputError):
        SingleFeatureSettings(**bad)


def test_kept_results_are_used_and_settings_do_not_mix(tmp_path, monkeypatch):
    store = Store(tmp_path)
    first = run([FEATURE], SMALL, store)
    monkeypatch.setattr("activefs.experiments.single_feature._items.measure", lambda *_: pytest.fail("computed again"))
    again = run([FEATURE], SMALL, store)
    for definition in DEFINITIONS:
        one, two = first[definition.name]["uniform"], again[definition.name]["uniform"]
        np.testing.assert_array_equal(one.measured.mean, two.measured.mean)
    for other in ({"seed": 1}, {"repetitions": 61}, {"budgets": (6, 13)}):
        with pytest.raises(pytest.fail.Exception):
            run([FEATURE], SingleFeatureSettings(**{**vars(SMALL), **other}), store)


def test_a_damaged_kept_result_is_computed_again(tmp_path):
    store = Store(tmp_path)
    before = run([FEATURE], SMALL, store)
    paths = sorted(store.folder.rglob("*.parquet"))
    assert len(paths) == len(DEFINITIONS)
    for number, path in enumerate(paths):
        path.write_bytes(b"" if number else path.read_bytes()[:100])
    after = run([FEATURE], SMALL, store)
    np.testing.assert_array_equal(before["paper"]["uniform"].measured.mean, after["paper"]["uniform"].measured.mean)


def test_number_of_processes_does_not_matter(tmp_path):
    runs = [run(fixed_experiments()[3:5], SMALL, Store(tmp_path / str(j)), jobs=j) for j in (1, 2)]
    for definition in DEFINITIONS:
        one, two = (r[definition.name]["fixed"].measured for r in runs)
        np.testing.assert_array_equal(one.mean, two.mean)
        np.testing.assert_array_equal(one.covariance, two.covariance)


def test_budget_inside_or_outside(tmp_path):
    # Two values, two draws each: with 6 labels in all 2 are decided, with 6 on top of the draws 6.
    measured = run([FEATURE], SMALL, Store(tmp_path))["paper"]["uniform"].measured
    assert measured.mean.shape == (1, 2, 2, 9)
    assert np.all(measured.mean[0, 0] < measured.mean[0, 1])
    short = run([FEATURE], SingleFeatureSettings(repetitions=9, budgets=(3, 9)), Store(tmp_path))["paper"][
        "uniform"
    ].measured
    assert np.all(np.isnan(short.mean[0, 1, 0])) and np.all(np.isfinite(short.mean[0, 0]))


def test_a_table_equal_to_the_published_one_does_not_differ():
    """A made-up result whose averages lie far apart: the same winner on all features, without chance."""
    names = [policy.name for policy in DEFINITIONS[0].policies]
    mean = np.broadcast_to(np.arange(9.0)[::-1], (95, 2, 4, 9)).copy()
    covariance = np.zeros((95, 2, 4, 9, 9))
    group = Group(
        tuple(fixed_experiments()), DEFINITIONS[0], SingleFeatureSettings(), Measured(mean, covariance, mean, mean * 0)
    )
    found = compare(group)
    assert found.ours[0].tolist() == [[0, 0]] * 8 + [[95, 95]] and names[-1] == "I-CP"
    assert found.differs[0, 0].tolist() == [False, True]  # 0 wins of PROP, 21 published
    assert found.differs[0, -1].all()


def test_reproduce_writes_everything(tmp_path):
    reproduce(fixed_experiments(), tmp_path, SMALL)
    names = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*") if "items" not in path.parts}
    tables = {f"tables/{n}.{s}" for n in ("wins", "fixed-6-part1", "fixed-12-part2") for s in ("md", "tex")}
    assert names >= tables | {"summary.csv", "report.md", "pictures/fixed.png", "pictures/g.png"}
    reproduce(uniform_experiments()[:1], tmp_path, SMALL)
    assert not list(tmp_path.glob("[tp]*/fixed*"))  # nothing of the earlier run is left beside the new
    text = (tmp_path / "report.md").read_text()
    assert "--budgets 6,12" in text and "60 repetitions" in text
