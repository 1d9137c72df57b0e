"""Bins of real columns: those of scikit-learn to the digit, for columns of every size and unit."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import KBinsDiscretizer
from threadpoolctl import threadpool_limits

from activefs import Pool
from activefs._kernels.lloyd import iterate, move_centres
from activefs.tables import bin_edges

COLUMNS = {
    "normal": lambda rng, m: rng.normal(size=m),
    "heavy tails": lambda rng, m: rng.standard_cauchy(m),
    "skewed": lambda rng, m: np.exp(rng.normal(0, 3, m)),
    "integers": lambda rng, m: rng.integers(0, 60, m) * 1.0,
    "ties": lambda rng, m: np.round(rng.normal(size=m), 1),
    "few values": lambda rng, m: rng.choice(np.arange(14) ** 2.0, m + 40),
    "equal steps": lambda rng, m: np.arange(-m, m + 1) * 0.1,
    "constant but for a few": lambda rng, m: np.append(np.full(m, 7.0), 7 + np.arange(1.0, 14) ** 3),
    "constant but for one": lambda rng, m: np.append(rng.normal(0, 1e-4, m), 1e6),
    "clumps": lambda rng, m: rng.choice([0, 1, 5.5], m) + rng.normal(0, 1e-9, m),
    "small range": lambda rng, m: 3 + rng.normal(0, 1e-5, m),
    "far from zero": lambda rng, m: 1e9 + rng.normal(size=m),
    "large": lambda rng, m: 1e100 * rng.normal(size=m),
    "many": lambda rng, m: rng.normal(size=10 * m),
}


def bins_of(values, counts, bins, binning):
    return np.searchsorted(bin_edges(values, counts, bins, binning), values, side="right")


def scikit_learn(values, counts, bins, strategy):
    """Bins of a column that has each value as often as `counts` says, by another implementation."""
    discretizer = KBinsDiscretizer(n_bins=bins, encode="ordinal", strategy=strategy, subsample=None)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # bins that are too narrow
        discretizer.fit(values[:, None], sample_weight=counts if strategy == "kmeans" else None)
        return discretizer.transform(values[:, None])[:, 0]


@pytest.mark.parametrize("binning", ["kmeans", "uniform"])
@pytest.mark.parametrize("kind", COLUMNS)
def test_the_bins_are_those_of_scikit_learn(kind, binning):
    for seed in range(25):
        rng = np.random.default_rng(seed)
        values, counts = np.unique(COLUMNS[kind](rng, int(rng.integers(12, 300))), return_counts=True)
        bins = int(rng.integers(2, 13))
        if len(values) > bins:
            expected = scikit_learn(values, counts, bins, binning)
            assert bins_of(values, counts, bins, binning).tolist() == expected.tolist(), (seed, bins)


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(st.floats(-1e6, 1e6).map(lambda v: round(v, 3) + 0.0), st.integers(1, 50), min_size=4, max_size=60),
    st.integers(2, 10),
)
def test_any_column_has_the_bins_of_scikit_learn(column, bins):
    values = np.array(sorted(column))
    counts = np.array([column[v] for v in values.tolist()])
    if len(values) > bins:
        assert bins_of(values, counts, bins, "kmeans").tolist() == scikit_learn(values, counts, bins, "kmeans").tolist()


@pytest.mark.parametrize("binning", ["kmeans", "quantile", "uniform"])
@pytest.mark.parametrize("exponent", [-1060, -400, -60, -25, 200, 460, 700, 1021])
def test_the_unit_makes_no_difference(binning, exponent):
    values = np.unique(np.round(np.random.default_rng(0).normal(size=200), 3))
    counts = np.ones(len(values), dtype=np.int64)
    expected = bins_of(values, counts, 10, binning)
    assert len(np.unique(expected)) == 10
    assert bins_of(np.ldexp(values, exponent), counts, 10, binning).tolist() == expected.tolist()


@pytest.mark.parametrize("binning", ["kmeans", "quantile", "uniform"])
@pytest.mark.parametrize(
    "values",
    [
        np.array([-1.7e308, *np.linspace(-1, 1, 20), 1.7e308]),
        np.linspace(1e307, 1.7e308, 30),
        1 + np.arange(20) * 2.0**-52,
        np.arange(20) * 5e-324,
        np.append(np.arange(15.0), 1e300),
    ],
    ids=["both ends of all floats", "the upper end", "neighbours of 1", "the smallest floats", "one far away"],
)
def test_extreme_columns_have_finite_edges_inside(values, binning):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        edges = bin_edges(values, np.ones(len(values), dtype=np.int64), 10, binning)
    assert np.isfinite(edges).all()
    assert 1 <= len(edges) <= 9
    assert (np.diff(edges) >= 0).all()
    assert values[0] <= edges[0]
    assert edges[-1] <= values[-1]


def test_by_hand():
    values, counts = np.array([0.0, 1, 2, 10, 11, 30, 31]), np.array([1, 1, 1, 3, 1, 1, 3])
    # From the middles 5, 15.5 and 26 of equal bins: {0, 1, 2}, {10, 11}, {30, 31}, with the means 1, 10.25 and 30.75.
    first, second = (1 + (3 * 10 + 11) / 4) / 2, ((3 * 10 + 11) / 4 + (30 + 3 * 31) / 4) / 2
    assert bin_edges(values, counts, 3).tolist() == pytest.approx([first, second], abs=1e-12)


def test_one_step_of_the_loop_by_hand():
    points, weights, centres = np.array([0.0, 4, 5, 9]), np.array([1.0, 1, 3, 1]), np.array([1.0, 8])
    labels, sums, sizes = np.full(4, -1), np.empty(2), np.empty(2)
    made, empty = iterate(points, weights, centres, labels, sums, sizes, 0.0, 1)
    assert (made, empty, labels.tolist(), sizes.tolist()) == (1, False, [0, 0, 1, 1], [2, 4])
    assert centres.tolist() == [2, 6]  # (0 + 4) / 2 and (3 * 5 + 9) / 4
    assert move_centres(centres, np.array([6.0, 24]), np.array([2.0, 4])) == 1  # 2 to 3, and 6 stays


def test_an_empty_centre_takes_the_farthest_point():
    # Middles of five equal bins of 0 to 100 are 10, 30, ..., 90: nothing is near three of them.
    values, counts = np.array([0.0, 1, 2, 3, 4, 5, 100]), np.ones(7, dtype=np.int64)
    assert bins_of(values, counts, 5, "kmeans").tolist() == scikit_learn(values, counts, 5, "kmeans").tolist()
    assert len(bin_edges(values, counts, 5)) == 4


def test_tiny_units_are_features():
    table = np.random.default_rng(0).normal(size=(100, 2)) * [1.0, 1e-12]
    pool = Pool.from_table(table)
    assert pool.cardinalities.tolist() == [10, 10]
