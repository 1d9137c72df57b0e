"""Means over rows that a model was tried on."""

import numpy as np
import pytest

from activefs.outlook import HeldOut, check_model


def test_rows_count_by_their_weights():
    rows = HeldOut.drawn_with({0: 1.0, 1: 1.0, 2: 2.0})
    assert rows.mean(np.array([0.0, 0.0, 1.0])).value == pytest.approx(0.5)
    assert rows.size == pytest.approx(16 / 6) and rows.drawn


def test_intervals_cover():
    """Rows drawn in proportion to their value, and weighted back, give the mean of all rows."""
    rng, missed = np.random.default_rng(0), 0
    values = rng.gamma(2.0, size=2000)
    p = 0.5 / 2000 + 0.5 * values / values.sum()
    for _ in range(300):
        at = rng.choice(2000, 60, p=p)
        some = HeldOut(np.arange(60), 1 / p[at], True).mean(values[at])
        missed += not some.lower <= values.mean() <= some.upper
    assert missed <= 30


def test_a_single_row_says_nothing():
    one = HeldOut.alike(1).mean(np.array([0.3]))
    assert (one.lower, one.upper) == (-np.inf, np.inf)


def test_shares_by_hand():
    """Wilson's interval for 8 of 10."""
    found = HeldOut.alike(10).share(np.array([1.0] * 8 + [0.0] * 2))
    assert (found.lower, found.upper) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert HeldOut.alike(10).share(np.ones(10)).upper == 1.0


class TestModelCheck:
    def test_too_few_rows_or_one_class(self):
        few = check_model(np.full((9, 2), 0.5), np.arange(9) % 2, HeldOut.alike(9))
        assert few.accuracy is None and str(few) == "too few rows to say: 9 labelled rows, and 10 are needed"
        assert check_model(np.full((20, 2), 0.5), np.zeros(20, dtype=int), HeldOut.alike(20)).accuracy is None

    @pytest.mark.parametrize(("sure", "said"), [(0.99, "too sure of itself, by 29%"), (0.51, "not sure enough")])
    def test_it_says_whether_the_model_knows_itself(self, sure, said):
        labels = np.array([0] * 70 + [1] * 30)
        found = check_model(np.tile([sure, 1 - sure], (100, 1)), labels, HeldOut.alike(100, drawn=True))
        assert found.accuracy == pytest.approx(0.7) and said in str(found) and "100 randomly drawn rows" in str(found)

    def test_only_the_rows_that_were_drawn_count(self):
        labels, left_out = np.arange(40) % 2, np.tile([0.6, 0.4], (40, 1))
        found = check_model(left_out, labels, HeldOut.drawn_with(dict.fromkeys(range(0, 40, 2), 1.0)))
        assert found.accuracy == 1.0 and found.n_rows == 20

    def test_text_and_back(self):
        found = check_model(np.tile([0.6, 0.4], (40, 1)), np.arange(40) % 2, HeldOut.alike(40))
        assert type(found).from_json(found.to_json()) == found
