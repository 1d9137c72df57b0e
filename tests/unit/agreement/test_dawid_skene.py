"""The model of Dawid and Skene, beside crowd-kit, brute force, and what must be true of it."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from activefs.agreement import dawid_skene

SAID = [1, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 0, 0, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1]
ROWS, WHO = np.repeat(np.arange(12), 3), np.tile(np.arange(3), 12)
# crowdkit.aggregation.DawidSkene(n_iter=2000, tol=0), crowd-kit 1.4.1, on the same answers
OF_CROWD_KIT = [0.0, 0.0, 0.0, 0.0, 0.86667, 0.0, 0.0, 0.0, 0.0, 0.86667, 0.66667, 0.0]


def test_without_prior_as_crowd_kit():
    found = dawid_skene(ROWS, WHO, SAID, 2, right=0.0, wrong=0.0)
    assert found.probabilities[:, 0].round(5).tolist() == OF_CROWD_KIT


def test_it_is_a_peak_of_the_posterior():
    """No other confusion matrices nearby explain the answers better, the prior included."""
    found = dawid_skene(ROWS, WHO, SAID, 2)
    prior = np.array([[4.0, 1.0], [1.0, 4.0]])

    def log_posterior(theta, pi):
        total = (prior * np.log(theta)).sum() + np.log(pi).sum()
        for row in range(12):
            answers = [(WHO[i], SAID[i]) for i in np.flatnonzero(row == ROWS)]
            total += np.log(sum(pi[c] * np.prod([theta[a, c, said] for a, said in answers]) for c in range(2)))
        return total

    best = log_posterior(found.confusion, found.rates)
    for a, c, sign in itertools.product(range(3), range(2), (-1, 1)):
        theta = found.confusion.copy()
        theta[a, c] += sign * 0.01 * np.array([1, -1])
        assert log_posterior(theta, found.rates) < best
    for sign in (-1, 1):
        assert log_posterior(found.confusion, found.rates + sign * 0.01 * np.array([1, -1])) < best


def test_who_errs_more_counts_less():
    rows, who, said = [], [], []
    for row in range(20):  # the third annotator is often alone
        truth = row % 2
        rows += [row] * 3
        who += [0, 1, 2]
        said += [truth, truth, truth if row % 5 else 1 - truth]
    found = dawid_skene([*rows, 20, 20], [*who, 0, 2], [*said, 0, 1], 2)
    assert found.probabilities[20, 0] > 0.6
    assert found.confusion[0, 0, 0] > found.confusion[2, 0, 0]


def test_what_is_settled_is_believed_and_teaches():
    rows, who, said = np.repeat(np.arange(8), 2), np.tile([0, 1], 8), [0, 1] * 8
    open_rows = dawid_skene(rows, who, said, 2)
    assert open_rows.probabilities == pytest.approx(np.full((8, 2), 0.5))
    known = [0] * 6 + [-1, -1]  # the first annotator was always right
    found = dawid_skene(rows, who, said, 2, known=known)
    assert found.probabilities[:6].tolist() == [[1.0, 0.0]] * 6
    assert found.probabilities[7, 0] > 0.6


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=30))
def test_names_do_not_matter(answers):
    rows, who, said = map(np.array, zip(*answers, strict=True))
    rows = np.unique(rows, return_inverse=True)[1]
    found = dawid_skene(rows, who, said, 3).probabilities
    assert found.sum(axis=1) == pytest.approx(1.0)
    other = np.array([2, 0, 1])
    assert dawid_skene(rows, who[::-1].max() - who, other[said], 3).probabilities[:, other] == pytest.approx(
        found, abs=1e-6
    )
