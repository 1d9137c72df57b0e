"""Contract of every policy that the package exports, and each formula against numbers worked out here."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import activefs.allocation as allocation
from activefs.allocation import Policy
from activefs.exceptions import InvalidInputError

EXPORTED = [getattr(allocation, name) for name in dir(allocation)]
POLICIES = [c for c in EXPORTED if isinstance(c, type) and issubclass(c, Policy) and hasattr(c, "name")]
NAMES = [policy.name for policy in POLICIES]

counts = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
features = st.lists(st.tuples(st.floats(0.01, 1.0), counts), min_size=1, max_size=8)


def unpack(feature):
    p = np.array([weight for weight, _ in feature])
    ones = np.array([c[0] for _, c in feature])
    n = np.array([c[1] for _, c in feature])
    return p / p.sum(), ones, n


def test_every_registered_policy_is_exported_once():
    assert sorted(NAMES) == sorted(allocation.available())


@pytest.mark.parametrize("kind", POLICIES, ids=NAMES)
class TestContract:
    @settings(max_examples=30, deadline=None)
    @given(feature=features)
    def test_not_negative_and_finite(self, kind, feature):
        index = kind().index(*unpack(feature), 100)
        assert np.all(index >= 0) and np.all(np.isfinite(index))

    @settings(max_examples=30, deadline=None)
    @given(feature=features)
    def test_exchange_of_the_labels_changes_nothing(self, kind, feature):
        p, ones, n = unpack(feature)
        np.testing.assert_allclose(kind().index(p, ones, n, 100), kind().index(p, n - ones, n, 100), rtol=1e-9)

    @settings(max_examples=30, deadline=None)
    @given(feature=features, seed=st.integers(0, 99))
    def test_order_of_the_values_does_not_matter(self, kind, feature, seed):
        p, ones, n = unpack(feature)
        order = np.random.default_rng(seed).permutation(p.size)
        there = kind().index(p, ones, n, 100)[order]
        np.testing.assert_allclose(there, kind().index(p[order], ones[order], n[order], 100), rtol=1e-12)

    def test_a_value_never_drawn_comes_first(self, kind):
        index = kind().index([0.5, 0.5], [0, 1], [0, 2], 100)
        assert index[0] == np.inf and np.isfinite(index[1])

    def test_a_table_equals_single_calls(self, kind):
        p, ones, n = np.array([0.2, 0.8]), np.array([0, 1, 2, 2]), np.array([1, 3, 3, 9])
        table = kind().index(p[:, None], ones[None, :], n[None, :], 50)
        assert table.shape == (2, 4)
        for i, share in enumerate(p):
            np.testing.assert_allclose(
                table[i], [kind().index(share, o, m, 50) for o, m in zip(ones, n, strict=True)], rtol=1e-12
            )

    def test_uses_budget_tells_the_truth(self, kind):
        few, many = (kind().index([0.5], [3], [10], budget) for budget in (50, 500))
        assert (few[0] != many[0]) == kind.uses_budget

    def test_is_a_value(self, kind):
        assert kind() == kind() and hash(kind()) == hash(kind())
        assert isinstance(allocation.create(kind.name), kind)

    def test_impossible_counts_are_refused(self, kind):
        with pytest.raises(InvalidInputError, match="ones"):
            kind().index([1.0], [3], [2], 50)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "PROP"])
def test_delta_outside_the_unit_interval(name):
    for delta in (0.0, 1.0, -1.0, float("nan")):
        with pytest.raises(InvalidInputError, match="delta"):
            allocation.create(name, delta=delta)


def g(x):
    return math.sqrt(x * (1 - x)) * abs(math.log(x / (1 - x)))


# One value with p = 0.3, 4 ones of 20; delta is 0.05; exact intervals from tables of the binomial distribution.
P, ONES, N = 0.3, 4, 20
HOEFFDING = 0.2 + math.sqrt(math.log(40) / 40)
BERNSTEIN = 0.2 + math.sqrt(2 * 0.16 * math.log(40) / 20) + 7 * math.log(40) / (3 * 19)
CP = (0.057334, 0.436614)
A_100 = math.sqrt(2 * math.log(math.e / 0.05)) + 10 * math.sqrt(0.05 * (1 + math.e + math.log(math.e / 0.05))) / (
    0.95 * math.sqrt(2 * math.log(40))
)
EXPECTED = {
    "PROP": P / N,
    "MAX-H": (0.16 + 5 * math.sqrt(math.log(20) / 40)) / N,
    "MAX-B": (0.16 + 4 * A_100 * 0.4 * math.sqrt(math.log(40) / 20) + 4 * A_100**2 * math.log(40) / 20) / N,
    "VAR-H": P * math.sqrt(min(HOEFFDING, 0.5) * (1 - min(HOEFFDING, 0.5))) / N,
    "VAR-B": P * 0.5 / N,
    "VAR-CP": P * math.sqrt(CP[1] * (1 - CP[1])) / N,
    "I-H": P * g(0.0832217) / N,
    "I-B": P * g(0.0832217) / N,
    "I-CP": P * g(0.0832217) / N,
}


@pytest.mark.parametrize("name", NAMES)
def test_formula(name):
    assert BERNSTEIN > 0.5  # the interval of VAR-B reaches 1/2
    found = allocation.create(name).index([P], [ONES], [N], 100)[0]
    assert found == pytest.approx(EXPECTED[name], rel=2e-5)


def test_information_beyond_phi_takes_the_nearer_end():
    # 18 of 40: the Clopper-Pearson interval (0.2926, 0.6151) holds neither phi nor 1 - phi.
    found = allocation.create("I-CP").index([1.0], [18], [40], 100)[0]
    assert found == pytest.approx(max(g(0.292602), g(0.615089)) / 40, rel=1e-4)


def test_criterion_changes_the_information_policies():
    entropy, gini = (allocation.create("I-CP", criterion=c).index([1.0], [18], [40], 100) for c in NAMES_OF_CRITERIA)
    assert entropy[0] != gini[0]


NAMES_OF_CRITERIA = ("mutual_information", "gini")


def test_unknown_names_are_told():
    with pytest.raises(InvalidInputError, match=r"unknown policy 'BEST'.*I-CP"):
        allocation.create("BEST")
    with pytest.raises(InvalidInputError, match="no parameter 'width'"):
        allocation.create("I-CP", width=3)
    with pytest.raises(InvalidInputError, match="criterion"):
        allocation.create("I-CP", criterion="beauty")
