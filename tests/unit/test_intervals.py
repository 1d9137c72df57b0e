import numpy as np
import pytest
from afs_reference import clopper_pearson
from scipy.stats import binomtest

from activefs import intervals
from activefs.exceptions import InvalidInputError
from activefs.intervals import ClopperPearson, EmpiricalBernstein, Hoeffding, Interval
from activefs.testing import IntervalContract, parts_of


class TestEveryInterval(IntervalContract):
    @pytest.fixture(autouse=True, params=parts_of(intervals, Interval), ids=lambda c: c.__name__)
    def _interval(self, request):
        self.interval = request.param()


@pytest.mark.parametrize("delta", [0.01, 0.05, 0.3])
def test_clopper_pearson_is_scipys_exact_interval(delta):
    for n in (1, 2, 3, 7, 20, 100, 1000):
        for ones in sorted({0, 1, n // 3, n // 2, n - 1, n}):
            exact = binomtest(ones, n).proportion_ci(confidence_level=1 - delta, method="exact")
            lower, upper = ClopperPearson().bounds(ones, n, delta)
            # scipy solves for the ends up to 2e-12; the quantiles of the beta distribution are exact
            assert (float(lower), float(upper)) == pytest.approx((exact.low, exact.high), rel=0, abs=1e-11)
            assert (float(lower), float(upper)) == pytest.approx(clopper_pearson(ones, n, delta), rel=1e-11)


def test_clopper_pearson_at_the_ends_by_hand():
    """With no success in n draws (1 - upper)^n = delta/2: two-sided at the ends, too."""
    for n in (1, 4, 50):
        lower, upper = ClopperPearson().bounds(0, n, 0.05)
        assert float(lower) == 0.0
        assert float(upper) == pytest.approx(1 - 0.025 ** (1 / n), rel=1e-12)
        lower, upper = ClopperPearson().bounds(n, n, 0.05)
        assert float(lower) == pytest.approx(0.025 ** (1 / n), rel=1e-12)
        assert float(upper) == 1.0


def test_hoeffding_by_hand():
    # eps = sqrt(ln(2 / 0.1) / (2 * 200)) = sqrt(2.995732 / 400) = 0.0865410
    lower, upper = Hoeffding().bounds(100, 200, 0.1)
    assert float(lower) == pytest.approx(0.5 - 0.0865409, abs=1e-6)
    assert float(upper) == pytest.approx(0.5 + 0.0865409, abs=1e-6)
    # one draw: eps > 1, clipped
    assert [float(b) for b in Hoeffding().bounds(1, 1, 0.05)] == [0.0, 1.0]


def test_empirical_bernstein_by_hand():
    # q = 0.1, v = 0.09, ln(2/0.05) = 3.688879; n = 1000:
    # sqrt(2 * 0.09 * 3.688879 / 1000) = 0.0257682; 7 * 3.688879 / (3 * 999) = 0.0086161
    lower, upper = EmpiricalBernstein().bounds(100, 1000, 0.05)
    assert float(lower) == pytest.approx(0.1 - 0.0343843, abs=1e-6)
    assert float(upper) == pytest.approx(0.1 + 0.0343843, abs=1e-6)
    for ones in (0, 1):  # undefined below two draws
        assert [float(b) for b in EmpiricalBernstein().bounds(ones, 1, 0.05)] == [0.0, 1.0]


@pytest.mark.parametrize("kind", parts_of(intervals, Interval), ids=lambda c: c.__name__)
@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, 2.0, float("nan")])
def test_delta_out_of_range(kind, delta):
    with pytest.raises(InvalidInputError, match="delta"):
        kind().bounds(1, 2, delta)


@pytest.mark.parametrize("kind", parts_of(intervals, Interval), ids=lambda c: c.__name__)
@pytest.mark.parametrize(("ones", "n"), [(3, 2), (-1, 2), ([0, 5], [1, 4])])
def test_impossible_counts(kind, ones, n):
    with pytest.raises(InvalidInputError, match="ones"):
        kind().bounds(ones, n)


def test_equal_intervals_are_equal_and_others_are_not():
    assert ClopperPearson() == ClopperPearson()
    assert hash(ClopperPearson()) == hash(ClopperPearson())
    assert ClopperPearson() != Hoeffding()


def test_large_counts_stay_finite():
    lower, upper = ClopperPearson().bounds(np.array([0, 500_000, 10**6]), 10**6)
    assert np.all(np.isfinite(lower)) and np.all(np.isfinite(upper))
    assert np.all(upper - lower < 0.003)
