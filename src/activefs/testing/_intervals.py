"""What every binomial interval must do; its coverage is found by exact enumeration."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.stats import binom

from activefs.intervals import Interval
from activefs.types import Floats


class IntervalContract:
    """Checks of one interval; name it as the class attribute `interval` of a subclass."""

    interval: Interval
    deltas: ClassVar[tuple[float, ...]] = (0.01, 0.05, 0.2, 0.5)
    draws: ClassVar[tuple[int, ...]] = (1, 2, 3, 5, 8, 13, 25, 60, 150)

    def all_bounds(self, n: int, delta: float) -> tuple[Floats, Floats]:
        """Bounds for 0, 1, ..., n successes in n draws.

        Parameters
        ----------
        n : int
            Draws.
        delta : float
            Confidence parameter.
        """
        return self.interval.bounds(np.arange(n + 1), n, delta)

    def test_nothing_drawn_tells_nothing(self) -> None:
        """Zero draws give [0, 1]."""
        lower, upper = self.interval.bounds(0, 0, 0.05)
        assert (float(lower), float(upper)) == (0.0, 1.0)

    def test_bounds_hold_the_estimate_and_stay_in_the_unit_interval(self) -> None:
        """0 <= lower <= successes / n <= upper <= 1."""
        for delta in self.deltas:
            for n in self.draws:
                lower, upper = self.all_bounds(n, delta)
                estimate = np.arange(n + 1) / n
                assert np.all((lower >= 0) & (lower <= estimate + 1e-12))
                assert np.all((upper <= 1) & (upper >= estimate - 1e-12))

    def test_more_successes_raise_both_bounds(self) -> None:
        """The bounds rise with the number of successes."""
        for delta in self.deltas:
            for n in self.draws:
                for bound in self.all_bounds(n, delta):
                    assert np.all(np.diff(bound) >= -1e-12)

    def test_exchanging_success_and_failure_mirrors_the_interval(self) -> None:
        """The interval of n - ones successes is the mirror image of that of ones."""
        for delta in self.deltas:
            for n in self.draws:
                lower, upper = self.all_bounds(n, delta)
                np.testing.assert_allclose(lower, 1 - upper[::-1], rtol=0, atol=1e-12)

    def test_less_confidence_gives_a_narrower_interval(self) -> None:
        """A larger delta never widens the interval."""
        for n in self.draws:
            before: tuple[Floats, Floats] | None = None
            for delta in sorted(self.deltas):
                lower, upper = self.all_bounds(n, delta)
                if before is not None:
                    assert np.all(lower >= before[0] - 1e-12)
                    assert np.all(upper <= before[1] + 1e-12)
                before = lower, upper

    def test_more_draws_give_a_narrower_interval(self) -> None:
        """At the same share of successes the width falls to zero."""
        n = np.array([100, 1000, 10_000, 100_000])
        lower, upper = self.interval.bounds(n // 4, n, 0.05)
        width = upper - lower
        assert np.all(np.diff(width) < 0)
        assert width[-1] < 0.02

    def test_coverage_by_exact_enumeration(self) -> None:
        """Whatever the true probability, the interval misses it with probability at most delta.

        Coverage falls only where the probability crosses a bound, so it is enough to look on both
        sides of every bound.
        """
        for delta in self.deltas:
            for n in self.draws:
                lower, upper = self.all_bounds(n, delta)
                ends = np.unique(np.concatenate([lower, upper]))
                inner = np.concatenate([ends - 1e-9, ends + 1e-9, np.linspace(0, 1, 101)])
                p = inner[(inner > 0) & (inner < 1)][:, None]
                held = (lower <= p) & (p <= upper)
                coverage = np.where(held, binom.pmf(np.arange(n + 1), n, p), 0.0).sum(axis=1)
                worst = int(np.argmin(coverage))
                assert coverage[worst] >= 1 - delta - 1e-6, (
                    f"{self.interval!r}: n={n}, delta={delta}: holds p={p[worst, 0]:.6f} "
                    f"with probability {coverage[worst]:.6f} only"
                )

    def test_arrays_of_any_shape(self) -> None:
        """Arguments are broadcast, and each place is as if asked for alone."""
        ones, n = np.array([[0], [1], [2]]), np.array([2, 5])
        lower, upper = self.interval.bounds(ones, n, 0.1)
        assert lower.shape == upper.shape == (3, 2)
        for i in range(3):
            for j in range(2):
                alone = self.interval.bounds(ones[i, 0], n[j], 0.1)
                assert (lower[i, j], upper[i, j]) == (float(alone[0]), float(alone[1]))
