"""Figures that sum up beliefs."""

import numpy as np
from scipy.stats import spearmanr

from activefs.experiments.beliefs._summary import attainable_correlation


def test_most_that_numbers_without_ties_can_correlate():
    rng = np.random.default_rng(0)
    for _ in range(20):
        gaps = np.round(rng.random(21) ** 3, 1)
        perfect = gaps + 1e-6 * rng.random(21)
        assert np.isclose(attainable_correlation(gaps), spearmanr(gaps, perfect).statistic)
    assert np.isnan(attainable_correlation(np.zeros(5)))
    assert attainable_correlation(np.arange(5.0)) == 1.0
