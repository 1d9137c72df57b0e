"""Four rows, two labels, everything worked out on paper.

    row   a    b    c     label
     0    x    0    p       1
     1    x    1    p       -
     2    y    1    p       0
     3    x    1    q       -

Shares: p_x(a) = 3/4, p_y(a) = 1/4; p_0(b) = 1/4, p_1(b) = 3/4; p_p(c) = 3/4, p_q(c) = 1/4.

Counts (ones of n):  a: x 1 of 1, y 0 of 1;  b: 0 1 of 1, 1 0 of 1;  c: p 1 of 2, q 0 of 0.

Plug-in entropies: the four pure values have 0; p has q = 1/2, entropy ln 2; q was never labelled, so
1/2 is assumed, entropy ln 2 again.
    H_a = H_b = 0,  H_c = 3/4 ln 2 + 1/4 ln 2 = ln 2.

Clopper-Pearson at delta = 0.05, delta/2 on each side:
    1 of 1: P(1 success) = x = 0.025, so [0.025, 1]; 0 of 1: [0, 0.975];
    1 of 2: lower end from P(>= 1) = 1 - (1 - x)^2 = 0.025, x = 1 - sqrt(0.975) = 0.0125791;
            upper end 1 - x = sqrt(0.975) = 0.9874209;
    0 of 0: [0, 1].
All of them hold 1/2 and reach 0 or 1, except the one of p: H^u is ln 2 everywhere, H^l is 0 except
for p, where it is h = H_b(0.0125791) = 0.0675423.
    H^u = ln 2 for all features;  H^l_a = H^l_b = 0,  H^l_c = 3/4 h.

All intervals hold phi = 0.0832217 or 1 - phi, so UCB(g) = g(phi) for every value and w_I = p_v:
    w(a, x) = 3/4, w(a, y) = 1/4;  w(b, 0) = 1/4, w(b, 1) = 3/4;  w(c, p) = 3/4, w(c, q) = 1/4.
Divided by n + 1:
    A_x = 3/8, A_y = 1/8;  B_0 = 1/8, B_1 = 3/8;  C_p = 3/4 / 3 = 1/4, C_q = 1/4 / 1 = 1/4.

k = 1: leaders are a or b (tie at 0). Take a: its upper bound is ln 2, the lower bound of b is 0 and
that of c is 3/4 h, so the challenger is b. With leader b it is a. So F = {a, b} in both cases.

Pairs (a, b), counts in the pool and among the labelled: x0: 1, 1;  x1: 2, 0;  y1: 1, 1.
rho with the floor 1/t (t = 2, m = 4), that is pool share / max(labelled share, 1/2):
    x0: (1/4) / (1/2) = 1/2;  x1: (2/4) / (1/2) = 1;  y1: 1/2.
rho with the floor 1/m:  x0: 1/2;  x1: (2/4) / (1/4) = 2;  y1: 1/2.
Scores for F = {a, b}, psi = l1, floor 1/t: (A + B) rho:
    row 0: (3/8 + 1/8) / 2 = 1/4;  rows 1 and 3: (3/8 + 3/8) 1 = 3/4;  row 2: (1/8 + 3/8) / 2 = 1/4.
l2: sqrt(A^2 + B^2) rho: row 0: sqrt(10)/16, rows 1 and 3: 3 sqrt(2)/8, row 2: sqrt(10)/16.
linf: max(A, B) rho: row 0: 3/16, rows 1 and 3: 3/8, row 2: 3/16.
With the floor 1/m the scores of rows 1 and 3 are doubled.

With all three features, psi = l1, floor 1/t. Pairs (a, c): xp: 2, 1, rho 1;  yp: 1, 1, rho 1/2;
xq: 1, 0, rho 1/2. Pairs (b, c): 0p: 1, 1, rho 1/2;  1p: 2, 1, rho 1;  1q: 1, 0, rho 1/2.
    row 0 (x0p): (3/8+1/8)/2 + (3/8+1/4) 1 + (1/8+1/4)/2 = 1/4 + 5/8 + 3/16 = 17/16
    row 1 (x1p): (3/8+3/8) 1 + (3/8+1/4) 1 + (3/8+1/4) 1 = 3/4 + 5/8 + 5/8 = 2
    row 2 (y1p): (1/8+3/8)/2 + (1/8+1/4)/2 + (3/8+1/4) 1 = 1/4 + 3/16 + 5/8 = 17/16
    row 3 (x1q): (3/8+3/8) 1 + (3/8+1/4)/2 + (3/8+1/4)/2 = 3/4 + 5/16 + 5/16 = 11/8
"""

import math

import numpy as np
import pytest
from afs_reference import Reference, assert_proportional

from activefs import Session
from activefs.criteria import MutualInformation
from activefs.intervals import ClopperPearson
from activefs.strategies import AFS

ROWS = [["x", 0, "p"], ["x", 1, "p"], ["y", 1, "p"], ["x", 1, "q"]]
LABELS = {0: 1, 2: 0}
LN2 = math.log(2)
LOW = 1 - math.sqrt(0.975)
h = -LOW * math.log(LOW) - (1 - LOW) * math.log(1 - LOW)

SCORES = {
    ((0, 1), "l1", "labelled"): [1 / 4, 3 / 4, 1 / 4, 3 / 4],
    ((0, 1), "l2", "labelled"): [math.sqrt(10) / 16, 3 * math.sqrt(2) / 8, math.sqrt(10) / 16, 3 * math.sqrt(2) / 8],
    ((0, 1), "linf", "labelled"): [3 / 16, 3 / 8, 3 / 16, 3 / 8],
    ((0, 1), "l1", "pool"): [1 / 4, 3 / 2, 1 / 4, 3 / 2],
    ((0, 1), "linf", "pool"): [3 / 16, 3 / 4, 3 / 16, 3 / 4],
    ((0, 1, 2), "l1", "labelled"): [17 / 16, 2, 17 / 16, 11 / 8],
}


class Probe(AFS):
    def ask(self, state, rng):
        self.state = state
        return super().ask(state, rng)


@pytest.fixture
def session():
    session = Session(ROWS, 1, strategy=Probe(), random_state=0, classes=[0, 1])
    session.tell(0, 1)
    session.tell(2, 0)
    return session


@pytest.fixture
def reference():
    reference = Reference(ROWS, 1)
    reference.labels = dict(LABELS)
    return reference


def test_shares(session):
    assert session.pool.shares.tolist() == [3 / 4, 1 / 4, 1 / 4, 3 / 4, 3 / 4, 1 / 4]
    assert session.pool.offsets.tolist() == [0, 2, 4, 6]


def test_intervals():
    lower, upper = ClopperPearson().bounds([1, 0, 1, 0], [1, 1, 2, 0], 0.05)
    assert lower.tolist() == pytest.approx([0.025, 0, LOW, 0], rel=1e-12)
    assert upper.tolist() == pytest.approx([1, 0.975, 1 - LOW, 1], rel=1e-12)
    assert pytest.approx(0.0125791, abs=1e-7) == LOW


def test_estimates_and_bounds(session, reference):
    assert session.estimates.value.tolist() == pytest.approx([0, 0, LN2], abs=1e-12)
    assert session.estimates.upper.tolist() == pytest.approx([LN2] * 3, rel=1e-12)
    assert session.estimates.lower.tolist() == pytest.approx([0, 0, 0.75 * h], abs=1e-12)
    assert h == pytest.approx(0.0675423, abs=1e-6)
    assert [reference.H_low(j) for j in range(3)] == pytest.approx([0, 0, 0.75 * h], abs=1e-12)


def test_largest_spread_of_every_value(session):
    peak = float(MutualInformation().binary_spread(MutualInformation().phi))
    assert peak == pytest.approx(0.6627434, abs=1e-6)  # twice it is Lambert's 1.3254868...
    assert session.estimates.spread_upper(np.arange(6)).tolist() == pytest.approx([peak] * 6, rel=1e-12)


def test_contested(session, reference):
    assert session.contested().features.tolist() == [0, 1]
    assert reference.contested_sets() == {frozenset({0, 1})}
    assert not session.certified


@pytest.mark.parametrize("case", SCORES, ids=str)
def test_scores(session, reference, case):
    features, psi, floor = case
    expected = np.array(SCORES[case])
    assert reference.scores(features, psi, floor) == pytest.approx(expected.tolist(), rel=1e-12)
    session.ask()
    found = AFS(psi=psi, rho_floor=floor).score(session.strategy.state, np.asarray(features))
    assert_proportional(found, expected, rtol=1e-12)


def test_question(session):
    """Rows 1 and 3 tie for F = {a, b}; both must be possible."""
    asked = set()
    for seed in range(20):
        other = Session(ROWS, 1, random_state=seed)
        other.tell([0, 2], [1, 0])
        asked.add(other.ask())
    assert asked == {1, 3}
    assert session.ask() in asked


def test_a_pending_row_counts(session):
    """Row 1 is asked; then n(a, x) = n(b, 1) = 2, pair x1 was drawn once, t = 3.

    A_x = (3/4)/3 = 1/4, B_1 = (3/4)/3 = 1/4, and with the floor 1/3: rho(x1) = (2/4)/(1/3) = 3/2,
    rho(x0) = rho(y1) = (1/4)/(1/3) = 3/4: row 3 scores (1/4 + 1/4) 3/2 = 3/4, row 0 (1/4 + 1/8) 3/4 = 9/32.
    """
    other = session.ask()
    session.ask()
    found = AFS().score(session.strategy.state, np.array([0, 1]))
    assert session.strategy.state.pending.tolist() == [other]
    assert found[3] / found[0] == pytest.approx((3 / 4) / (9 / 32), rel=1e-12)


def test_information_and_its_interval(session):
    """Selection in nats: H(Y) - H_j, where the classes are weighted by the shares of the values."""
    chosen = session.selection()
    assert len(chosen) == 1 and chosen.features[0] in (0, 1)
    # one class per value: P(Y = 1) is 3/4 by feature a, 1/4 by feature b
    assert chosen.scores[0] == pytest.approx(-0.75 * math.log(0.75) - 0.25 * math.log(0.25), rel=1e-9)
    # Counting bounds it: the value of one row is known, that of three rows leaves at most 3/4 of ln 2 unknown.
    assert chosen.lower[0] == pytest.approx(chosen.scores[0] - 0.75 * math.log(2), rel=1e-9)
    assert chosen.upper[0] == pytest.approx(chosen.scores[0])


@pytest.mark.parametrize("label", [0, 1])
def test_three_classes_by_hand(label):
    """One label of three classes: one Clopper-Pearson interval each at delta/3, so 0.05/6 on each side.

    The class seen: 1 of 1, [0.05/6, 1]; the others: 0 of 1, [0, 1 - 0.05/6]. The box holds a corner of
    the simplex, so H^l = 0; and it holds (1/3, 1/3, 1/3), so H^u = ln 3. The plug-in entropy is 0; a
    value that was not seen has ln 3.
    """
    session = Session(ROWS, 1, random_state=0, classes=[0, 1, 2])
    session.tell(0, label)
    assert session.estimates.value.tolist() == pytest.approx(
        [0.25 * math.log(3), 0.75 * math.log(3), 0.25 * math.log(3)], rel=1e-12
    )
    assert session.estimates.lower.tolist() == pytest.approx([0, 0, 0], abs=1e-12)
    assert session.estimates.upper.tolist() == pytest.approx([math.log(3)] * 3, rel=1e-12)
