"""Guaranteed bounds: against a slow version with fractions, by simulation, and their laws."""

from fractions import Fraction

import betting_reference
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from activefs.criteria import Gini, MutualInformation
from activefs.estimates import ControlVariates, DrawLog, Epoch, Estimates, GuaranteedBounds
from activefs.pool import Pool


def random_log(rng, n_rows, labels, length, *, uniform, returns):
    """Moves as a session makes them: draws, choices, rows given back; the labels of some rows are unknown."""
    rows: list[int] = []
    opens: list[bool] = []
    p: list[float] = []
    smallest: list[float] = []
    is_open = np.ones(n_rows, dtype=bool)
    for _ in range(length):
        taken = np.flatnonzero(~is_open)
        if returns and taken.size and rng.random() < 0.15:
            row = int(rng.choice(taken))
            rows, opens, p, smallest = [*rows, row], [*opens, True], [*p, 0.0], [*smallest, 0.0]
            is_open[row] = True
            continue
        free = np.flatnonzero(is_open)
        if not free.size:
            break
        weights = np.ones(free.size) if uniform or rng.random() < 0.3 else rng.integers(1, 4, free.size).astype(float)
        chances = weights / weights.sum()
        at = int(rng.choice(free.size, p=chances))
        drawn = rng.random() < 0.7
        rows, opens = [*rows, int(free[at])], [*opens, False]
        p, smallest = [*p, float(chances[at]) * drawn], [*smallest, float(chances.min()) * drawn]
        is_open[free[at]] = False
    return DrawLog.of(rows, opens, p, smallest, [int(labels[row]) for row in rows], n_rows=n_rows)


def exact(number):
    return Fraction(float(number)).limit_denominator(10**6)


class TestAgainstReference:
    @pytest.mark.parametrize("seed", range(12))
    @pytest.mark.parametrize("predicted", [False, True])
    def test_same_totals(self, seed, predicted):
        rng = np.random.default_rng(seed)
        n_rows, n_classes = int(rng.integers(8, 22)), int(rng.integers(2, 4))
        X = rng.integers(0, 3, size=(n_rows, 2))
        X[:3] = np.arange(3)[:, None]  # every value occurs
        y = rng.integers(0, n_classes, n_rows)
        known = np.where(rng.random(n_rows) < 0.1, -1, y)
        log = random_log(rng, n_rows, known, int(rng.integers(4, n_rows)), uniform=seed % 3 == 0, returns=seed % 2 == 0)
        pool, delta = Pool.from_table(X), 0.4
        taken = np.isin(np.arange(n_rows), log.taken_before(log.rows.size)) & (known >= 0)
        told = np.flatnonzero(taken)
        # A row that was given back has no label any more.
        labels = np.where(taken[log.rows], log.labels, -1)
        log = DrawLog(log.rows, log.opens, log.weights, log.largest, labels)
        estimates = Estimates(pool, n_classes)
        if told.size:
            estimates.add_many(told, y[told])
        g = np.round(rng.dirichlet(np.ones(n_classes), n_rows), 3)
        variates, start = None, log.rows.size // 3
        if predicted:
            is_open = ~np.isin(np.arange(n_rows), log.taken_before(start))
            sums = np.zeros((int(pool.offsets[-1]), n_classes))
            for j in range(2):
                np.add.at(sums, pool.offsets[j] + pool.codes[j, is_open].astype(int), g[is_open])
            model = Epoch(start, np.arange(n_rows), g, np.full(n_classes, 1.0 / n_classes), sums)
            variates = ControlVariates.of([model], log, n_cells=len(sums), n_classes=n_classes + 1)
        bounds = GuaranteedBounds(
            pool, MutualInformation(), log, estimates.counts, delta=delta, control_variates=variates
        )
        low, high = bounds.totals(np.arange(2))
        targets = [1] if n_classes == 2 else range(n_classes)
        alpha = exact(delta) / (2 * int(pool.offsets[-1]) * len(targets))
        code_of = np.full(n_rows, -1)
        code_of[log.rows] = log.labels
        for cell in range(int(pool.offsets[-1])):
            j = int(np.searchsorted(pool.offsets, cell, side="right") - 1)
            population = np.flatnonzero(pool.codes[j] == cell - pool.offsets[j]).tolist()
            for i, c in enumerate(targets):
                for opposite in (False, True):
                    f = {
                        row: None if code_of[row] < 0 else int((code_of[row] == c) != opposite) for row in range(n_rows)
                    }
                    moves: list[betting_reference.Move] = []
                    for t in range(log.rows.size):
                        predictions: betting_reference.Epoch | None = None
                        if predicted and t >= start:
                            of_c = [exact(v) for v in g[:, c]] + [Fraction(1, n_classes)]
                            if opposite:
                                of_c = [1 - v for v in of_c]
                            predictions = dict(enumerate(of_c[:-1])), max(of_c)
                        weight, largest = exact(log.weights[t]), exact(log.largest[t])
                        moves.append((int(log.rows[t]), bool(log.opens[t]), weight, largest, predictions))
                    expected = betting_reference.smallest_total(population, f, moves, alpha)
                    found = len(population) - high[cell, i] if opposite else low[cell, i]
                    assert found == expected

    def test_by_hand(self):
        # Four rows in one cell with the label 1; three were drawn, all alike. To say that one of the four is of the
        # other class, the draws were won at 4/3, 3/2 and 2/1: 4 in all if everything was staked.
        pool = Pool.from_table([[0, 0]] * 4 + [[1, 1]] * 4)
        rows, chances = [0, 1, 2], [1 / 8, 1 / 7, 1 / 6]
        log = DrawLog.of(rows, [False] * 3, chances, chances, [1, 1, 1], n_rows=8)
        counts = np.array([[0, 3], [0, 0]] * 2, dtype=np.int32)
        parts = sum((1 + b / 3) * (1 + b / 2) * (1 + b) for b in map(float, betting_reference.BETS))
        limit = parts / len(betting_reference.BETS)
        for delta, sure in ((0.999, 3), (8 * 1.001 / limit, 4), (8 * 0.999 / limit, 3)):
            bounds = GuaranteedBounds(pool, MutualInformation(), log, counts, delta=delta)
            assert bounds.totals(np.array([0]))[0][0, 0] == sure


class TestCoverage:
    @pytest.mark.parametrize("n_classes", [2, 3])
    @pytest.mark.parametrize("named", [True, False])
    def test_misses_no_more_than_delta(self, n_classes, named):
        """One table, many sessions: every second row chosen by its label, the others drawn with unequal chances."""
        rng = np.random.default_rng(n_classes)
        n_rows, delta, sessions, missed = 60, 0.4, 150, 0
        X = rng.integers(0, 3, size=(n_rows, 2))
        y = (X[:, 0] + rng.integers(0, 2, n_rows)) % n_classes
        pool = Pool.from_table(X)
        truth = Estimates(pool, n_classes)
        truth.add_many(np.arange(n_rows), y)
        for session in range(sessions):
            rng = np.random.default_rng([session, n_classes])
            rows, p, smallest = list[int](), list[float](), list[float]()
            free = np.arange(n_rows)
            for t in range(45):
                if t % 2:
                    at, chance, least = int(np.argmax(y[free] == 0)), 0.0, 0.0
                else:
                    chances = 0.5 / free.size + 0.5 * (1 + y[free]) / (1 + y[free]).sum()
                    at = int(rng.choice(free.size, p=chances))
                    chance, least = float(chances[at]), float(chances.min())
                rows, p, smallest = [*rows, int(free[at])], [*p, chance], [*smallest, least]
                free = np.delete(free, at)
            log = DrawLog.of(rows, [False] * 45, p, smallest, y[rows].tolist(), n_rows=n_rows)
            estimates = Estimates(pool, n_classes)
            estimates.add_many(rows, y[rows])
            lower, upper = GuaranteedBounds(
                pool, MutualInformation(), log, estimates.counts, delta=delta, all_classes=named
            ).bounds(np.arange(2))
            missed += bool(((truth.value < lower - 1e-9) | (truth.value > upper + 1e-9)).any())
        assert missed <= delta * sessions


class TestLaws:
    @settings(max_examples=25, deadline=None)
    @given(st.integers(0, 10**6), st.sampled_from([MutualInformation(), Gini()]), st.booleans())
    def test_more_labels_never_widen(self, seed, criterion, named):
        rng = np.random.default_rng(seed)
        n_rows = 40
        X = rng.integers(0, 3, size=(n_rows, 2))
        y = rng.integers(0, 2, n_rows)
        y[:2] = 0, 1
        pool, order = Pool.from_table(X), rng.permutation(n_rows)
        order = np.concatenate([[0, 1], order[order > 1]])  # both classes are there from the beginning
        before = np.zeros(pool.n_features) - 1, np.full(pool.n_features, 9.0)
        for n in (2, 10, 25, 39, 40):
            chances = [0.0, 0.0, *(1 / (n_rows - t) for t in range(2, n))]
            log = DrawLog.of(order[:n].tolist(), [False] * n, chances, chances, y[order[:n]].tolist(), n_rows=n_rows)
            estimates = Estimates(pool, 2)
            estimates.add_many(order[:n], y[order[:n]])
            found = GuaranteedBounds(pool, criterion, log, estimates.counts, all_classes=named)
            lower, upper = found.bounds(np.arange(pool.n_features))
            assert (lower >= before[0] - 1e-12).all() and (upper <= before[1] + 1e-12).all()
            before = lower, upper
        exactly = Estimates(pool, 2, criterion=criterion)
        exactly.add_many(np.arange(n_rows), y)
        np.testing.assert_allclose(lower, exactly.value, atol=1e-12)
        np.testing.assert_allclose(upper, exactly.value, atol=1e-12)

    def test_names_of_classes_do_not_matter(self):
        rng = np.random.default_rng(5)
        X, y = rng.integers(0, 3, size=(80, 3)), rng.integers(0, 3, 80)
        pool, order = Pool.from_table(X), rng.permutation(80)[:50]
        chances = [1 / (80 - t) for t in range(50)]
        found = []
        for labels in (y, (y + 1) % 3):
            log = DrawLog.of(order.tolist(), [False] * 50, chances, chances, labels[order].tolist(), n_rows=80)
            estimates = Estimates(pool, 3)
            estimates.add_many(order, labels[order])
            bounds = GuaranteedBounds(pool, MutualInformation(), log, estimates.counts).bounds(np.arange(3))
            found.append(np.concatenate(bounds))
        np.testing.assert_allclose(found[0], found[1], atol=1e-12)

    def test_predictions_that_are_right_make_bounds_narrow(self):
        rng = np.random.default_rng(0)
        n = 600
        y = rng.integers(0, 2, n)
        X = np.column_stack([rng.integers(0, 2, n), y ^ (rng.random(n) < 0.3)])
        pool, order = Pool.from_table(X), rng.permutation(n)[:120]
        chances = [1 / (n - t) for t in range(120)]
        log = DrawLog.of(order.tolist(), [False] * 120, chances, chances, y[order].tolist(), n_rows=n)
        estimates = Estimates(pool, 2)
        estimates.add_many(order, y[order])
        widths = []
        for right in (None, 0.98, 0.5):
            variates = None
            if right is not None:
                g = np.where(np.eye(2)[y] == 1, right, 1 - right)
                sums = np.zeros((4, 2))
                for j in range(2):
                    np.add.at(sums, pool.offsets[j] + pool.codes[j].astype(int), g)
                model = Epoch(0, np.arange(n), g, np.array([0.5, 0.5]), sums)
                variates = ControlVariates.of([model], log, n_cells=4, n_classes=3)
            bounds = GuaranteedBounds(
                pool, MutualInformation(), log, estimates.counts, control_variates=variates
            ).totals(np.arange(2))
            widths.append(float((bounds[1] - bounds[0]).mean()))
        assert widths[1] < 0.6 * widths[0] and widths[2] < 1.5 * widths[0]
