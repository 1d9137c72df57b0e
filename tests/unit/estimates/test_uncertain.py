"""Labels with class probabilities in the plug-in estimate: against a slow version, and their laws."""

import fractional_reference as slow
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from activefs.criteria import AdjustedMutualInformation, Gini, MutualInformation
from activefs.estimates import Estimates
from activefs.intervals import ClopperPearson
from activefs.pool import Pool
from activefs.redundancy import CMIM, JMI, MRMR
from activefs.redundancy._conditional import PairEntropies

CRITERIA = [MutualInformation(), Gini(), AdjustedMutualInformation()]


@st.composite
def problems(draw, most=4):
    """A small table, and labels of some of its rows: certain ones and others."""
    n_rows, n_columns, n_classes = draw(st.integers(4, 25)), draw(st.integers(1, 4)), draw(st.integers(2, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.integers(0, draw(st.integers(2, 4)), size=(n_rows, n_columns))
    X[:2] = [[0], [1]]  # no column is constant
    rows = rng.permutation(n_rows)[: draw(st.integers(1, n_rows))]
    shares = rng.dirichlet(np.full(n_classes, 0.5), rows.size)
    certain = rng.random(rows.size) < draw(st.sampled_from([0.0, 0.5, 0.9]))
    shares[certain] = np.eye(n_classes)[rng.integers(0, n_classes, certain.sum())]
    return X, rows, shares


def estimates_of(X, rows, shares, criterion=None, **options):
    made = Estimates(Pool.from_table(X), shares.shape[1], criterion=criterion, **options)
    made.add_many(rows, shares)
    return made


def as_dictionaries(rows, shares):
    return {
        int(row): {c: float(p) for c, p in enumerate(some) if p > 0} for row, some in zip(rows, shares, strict=True)
    }


class TestAgainstReference:
    @given(problems())
    def test_values(self, problem):
        X, rows, shares = problem
        labels = as_dictionaries(rows, shares)
        for criterion, impurity in ((MutualInformation(), slow.entropy), (Gini(), slow.gini)):
            found = estimates_of(X, rows, shares, criterion).value
            wanted = [
                slow.conditional_impurity(X.tolist(), labels, j, shares.shape[1], impurity) for j in range(X.shape[1])
            ]
            assert found == pytest.approx(wanted, abs=1e-12)

    @given(problems(most=2))
    def test_bounds_of_two_classes(self, problem):
        X, rows, shares = problem
        found = estimates_of(X, rows, shares)
        labels = as_dictionaries(rows, shares)
        wanted = np.array([slow.binary_bounds(X.tolist(), labels, j, 0.05) for j in range(X.shape[1])])
        assert found.lower == pytest.approx(wanted[:, 0], abs=1e-9)
        assert found.upper == pytest.approx(wanted[:, 1], abs=1e-9)

    @given(problems())
    def test_values_are_within_their_bounds(self, problem):
        X, rows, shares = problem
        found = estimates_of(X, rows, shares)
        assert (found.lower <= found.value + 1e-9).all() and (found.value <= found.upper + 1e-9).all()

    @given(problems())
    def test_pairs_of_features(self, problem):
        X, rows, shares = problem
        if X.shape[1] < 2:
            return
        estimates = estimates_of(X, rows, shares)
        pairs = PairEntropies(estimates.pool)
        pairs.update(estimates)
        labels = as_dictionaries(rows, shares)
        wanted = [slow.pair_entropy(X.tolist(), labels, j, 0, shares.shape[1]) for j in range(1, X.shape[1])]
        assert pairs.given(np.arange(1, X.shape[1]), 0) == pytest.approx(wanted, abs=1e-12)
        assert [pairs._wide(j, 0) for j in range(1, X.shape[1])] == pytest.approx(wanted, abs=1e-12)


def everything(estimates):
    """All that anybody reads."""
    cells = np.arange(len(estimates.counts))
    every = np.arange(estimates.pool.n_features)
    return [
        estimates.value, estimates.lower, estimates.upper, estimates.draws(), estimates.spread_upper(cells),
        estimates.class_shares(every), estimates.chance.expected,
    ]  # fmt: skip


class TestLaws:
    @given(problems(), st.sampled_from(CRITERIA))
    @settings(max_examples=50)
    def test_certain_probabilities_are_the_plain_label(self, problem, criterion):
        X, rows, shares = problem
        classes = shares.argmax(axis=1)
        hot = np.eye(shares.shape[1])[classes]
        plain, certain, one_by_one = (
            Estimates(Pool.from_table(X), shares.shape[1], criterion=criterion) for _ in "abc"
        )
        plain.add_many(rows, classes)
        certain.add_many(rows, hot)
        for row, some in zip(rows.tolist(), hot, strict=True):
            one_by_one.add(row, some)
        for other in (certain, one_by_one):
            assert np.array_equal(plain.counts, other.counts)
            assert all(np.array_equal(a, b) for a, b in zip(everything(plain), everything(other), strict=True))
            assert all(np.array_equal(a, b) for a, b in zip(plain.labelled(), other.labelled(), strict=True))

    @given(problems(), st.sampled_from(CRITERIA), st.randoms())
    @settings(max_examples=50)
    def test_the_way_does_not_matter(self, problem, criterion, random):
        """One by one in any order, with some taken back meanwhile, or all at once: the same to the digit."""
        X, rows, shares = problem
        at_once = estimates_of(X, rows, shares, criterion)
        one_by_one = Estimates(Pool.from_table(X), shares.shape[1], criterion=criterion)
        places = list(range(rows.size))
        random.shuffle(places)
        for i in places:
            one_by_one.add(int(rows[i]), shares[i])
        for i in random.sample(places, rows.size // 2):
            one_by_one.remove(int(rows[i]))
            one_by_one.add(int(rows[i]), shares[i])
        for a, b in zip(everything(at_once), everything(one_by_one), strict=True):
            assert np.array_equal(a, b)

    @given(problems(), st.sampled_from(CRITERIA))
    @settings(max_examples=50)
    def test_taking_back_leads_back(self, problem, criterion):
        X, rows, shares = problem
        estimates = estimates_of(X, rows[:-1], shares[:-1], criterion)
        before = [a.copy() for a in everything(estimates)]
        estimates.add(int(rows[-1]), shares[-1])
        estimates.remove(int(rows[-1]))
        assert all(np.array_equal(a, b) for a, b in zip(before, everything(estimates), strict=True))

    @given(problems(), st.sampled_from(CRITERIA), st.randoms())
    @settings(max_examples=50)
    def test_names_of_classes_mean_nothing(self, problem, criterion, random):
        X, rows, shares = problem
        order = list(range(shares.shape[1]))
        random.shuffle(order)
        one, other = estimates_of(X, rows, shares, criterion), estimates_of(X, rows, shares[:, order], criterion)
        for name in ("value", "lower", "upper"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), abs=1e-10)

    @given(problems(), st.floats(0.0, 1.0))
    def test_between_two_labels(self, problem, p):
        """The class shares are between those with either label, and so the impurity is at least their mean."""
        X, rows, shares = problem
        two = np.eye(shares.shape[1])[:2]
        one, other, mixed = (
            estimates_of(X, rows, np.vstack([shares[:-1], last]))
            for last in (two[0], two[1], p * two[0] + (1 - p) * two[1])
        )
        for j in range(X.shape[1]):
            a, b, q = (some.class_shares([j]) for some in (one, other, mixed))
            assert q == pytest.approx(p * a + (1 - p) * b, abs=1e-12)
        assert (mixed.value >= p * one.value + (1 - p) * other.value - 1e-12).all()

    @given(st.integers(1, 60), st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.sampled_from([0.01, 0.05, 0.5]))
    def test_intervals_move_with_the_count(self, n, one, other, delta):
        low, high = ClopperPearson().bounds(np.sort([one, other]) * n, [n, n], delta)
        assert low[0] <= low[1] + 1e-12 and high[0] <= high[1] + 1e-12 and (low <= high).all()

    @given(problems())
    @settings(max_examples=30)
    def test_rules_see_what_is_nearly_certain_as_certain(self, problem):
        X, rows, shares = problem
        if X.shape[1] < 2:
            return
        hot = np.eye(shares.shape[1])[shares.argmax(axis=1)]
        nearly = hot * (1 - 1e-12) + 1e-12 / shares.shape[1]
        plain, almost = estimates_of(X, rows, hot), estimates_of(X, rows, nearly)
        for rule in (JMI(), CMIM(), MRMR()):
            found = [rule.objective(some, np.arange(2)) for some in (plain, almost)]
            assert found[0] == pytest.approx(found[1], abs=1e-9)

    def test_counts_are_those_of_settled_rows(self):
        estimates = estimates_of(
            np.array([[0], [0], [1]]), np.arange(3), np.array([[1.0, 0.0], [0.25, 0.75], [0.5, 0.5]])
        )
        assert estimates.counts.tolist() == [[1, 0], [0, 0]] and estimates.draws().tolist() == [2, 1]
        assert estimates.n_labels == 3 and estimates.value[0] == pytest.approx(
            2 / 3 * slow.entropy([0.625, 0.375]) + 1 / 3 * np.log(2)
        )

    def test_tiny_probabilities(self):
        """They are counts like others, and nothing divides by them."""
        shares = np.array([[1.0 - 1e-17, 1e-17], [0.0, 1.0], [5e-324, 1.0 - 1e-16]])
        found = everything(estimates_of(np.array([[0, 1], [0, 0], [1, 1]]), np.arange(3), shares))
        assert all(np.isfinite(some).all() for some in found)
