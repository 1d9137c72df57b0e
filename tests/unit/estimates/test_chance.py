"""What chance alone gives: against permutations, scikit-learn and closed forms; and the adjusted criterion."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score
from sklearn.metrics.cluster import contingency_matrix, expected_mutual_information

from activefs import Pool, Session, criteria, redundancy, strategies
from activefs.criteria import AdjustedMutualInformation, Criterion, Gini, MutualInformation
from activefs.estimates import Chance, Estimates
from activefs.estimates._chance import whole_counts
from activefs.exceptions import InvalidInputError
from activefs.runs import true_impurity

RNG = np.random.default_rng(0)
ADJUSTED = "adjusted_mutual_information"


def codes(rows, *values):
    """Columns of some numbers of values, every value there."""
    return np.column_stack([RNG.permutation(np.arange(rows) % v) for v in values])


def pool_of(X):
    return Pool.from_table(X, binning="none")


def expected_by_sklearn(x, y):
    return expected_mutual_information(contingency_matrix(x, y, sparse=True), len(y))


class TestExpectedValue:
    """Of a rows that are drawn from rows with known classes."""

    @given(
        counts=st.lists(st.integers(0, 40), min_size=2, max_size=5).filter(lambda c: sum(c) > 0),
        data=st.data(),
    )
    @settings(max_examples=60, deadline=None)
    def test_two_classes_and_more_are_sums_over_the_hypergeometric_distribution(self, counts, data):
        from scipy.stats import hypergeom

        n, class_counts = sum(counts), np.array(counts)
        size = data.draw(st.integers(1, n))
        k = np.arange(size + 1)
        for criterion, term in ((MutualInformation(), lambda q: -q * np.log(np.maximum(q, 1e-300))),
                                (Gini(), lambda q: q * (1 - q))):  # fmt: skip
            by_hand = sum(hypergeom.pmf(k, n, b, size) @ term(k / size) for b in counts)
            found = criterion.expected_value(np.array([size]), class_counts)
            np.testing.assert_allclose(found, by_hand, atol=1e-12)

    @pytest.mark.parametrize("criterion", [MutualInformation(), Gini()], ids=lambda c: c.name)
    @pytest.mark.parametrize("class_counts", [[7, 3], [4, 4, 2], [1, 5, 0, 4], [10, 0]])
    def test_the_general_way_agrees(self, criterion, class_counts):
        sizes = np.arange(1, 11)
        general = Criterion.expected_value(criterion, sizes, np.array(class_counts))
        exact = criterion.expected_value(sizes, np.array(class_counts))
        np.testing.assert_allclose(general, exact, atol=1e-12 if len(class_counts) == 2 else 0.03)

    def test_of_all_rows_it_is_their_impurity_and_of_one_it_is_0(self):
        for criterion in (MutualInformation(), Gini()):
            class_counts = np.array([600, 250, 150])
            one, every = criterion.expected_value(np.array([1, 1000]), class_counts)
            assert one == pytest.approx(0, abs=1e-13)
            assert every == pytest.approx(float(criterion.value(class_counts / 1000)), rel=1e-13)

    def test_many_rows_are_as_exact_and_take_no_time(self):
        """A million rows: beside ln n - (1/n) sum k ln k, to which Miller's correction leads, up to 1/n^2."""
        n = 1_000_000
        class_counts, sizes = np.array([n // 4, n - n // 4]), np.array([1000, 10_000, 400_000, n - 1])
        q = class_counts / n
        mi = MutualInformation()
        # Second order of the Taylor series, with the variance of the hypergeometric distribution.
        second = float(mi.value(q)) - (n - sizes) / (n - 1) / (2 * sizes)
        np.testing.assert_allclose(mi.expected_value(sizes, class_counts), second, atol=1e-6)


class TestChance:
    @pytest.mark.parametrize("classes", [2, 3, 6])
    def test_with_all_rows_it_is_that_of_scikit_learn(self, classes):
        X, y = codes(300, 2, 5, 17, 90, 299), RNG.integers(0, classes, 300)
        estimates = Estimates(pool_of(X), classes)
        estimates.add_many(np.arange(300), y)
        expected = [expected_by_sklearn(x, y) for x in X.T]
        np.testing.assert_allclose(estimates.chance.expected, expected, atol=1e-11)

    @pytest.mark.parametrize("criterion", [MutualInformation(), Gini()], ids=lambda c: c.name)
    @pytest.mark.parametrize("labels", [[0, 0, 1, 1, 1, 1], [0, 1, 2, 2, 1, 1], [0, 0, 0, 0, 0, 1]])
    def test_it_is_the_mean_over_all_orders_of_the_labels(self, criterion, labels):
        """Of six labelled rows among nine, some values without a label: the estimate itself, 720 times."""
        X = np.array([[0, 0], [0, 1], [0, 2], [1, 3], [1, 3], [2, 3], [2, 4], [2, 0], [3, 4]])
        pool, rows = pool_of(X), np.array([0, 1, 2, 3, 4, 6])
        classes = max(labels) + 1
        total = float(criterion.value(np.bincount(labels) / 6))

        def estimates(order):
            made = Estimates(pool, classes, criterion=criterion)
            made.add_many(rows, order)
            return made

        mean = np.mean([total - estimates(order).value for order in permutations(labels)], axis=0)
        np.testing.assert_allclose(estimates(labels).chance.expected, mean, atol=1e-12)

    def test_gini_in_closed_form(self):
        """G (V - 1) / (n - 1)."""
        X, y = codes(120, 2, 7, 60), RNG.integers(0, 3, 120)
        estimates = Estimates(pool_of(X), 3, criterion=Gini())
        estimates.add_many(np.arange(120), y)
        impurity = 1 - ((np.bincount(y) / 120) ** 2).sum()
        np.testing.assert_allclose(estimates.chance.expected, impurity * np.array([1, 6, 59]) / 119, atol=1e-13)

    def test_it_follows_the_labels_there_and_back(self):
        X, y = codes(60, 2, 5, 30), RNG.integers(0, 2, 60)
        estimates = Estimates(pool_of(X))
        assert not estimates.chance.expected.any()
        seen = []
        for row in range(40):
            estimates.add(row, y[row])
            seen.append(estimates.chance.expected)
        for row in reversed(range(40)):
            np.testing.assert_array_equal(estimates.chance.expected, seen.pop())
            estimates.remove(row)

    def test_above(self):
        """Noise is hardly ever above chance, whatever the number of its values; what tells something soon is."""
        above = np.zeros(5)
        for seed in range(200):
            rng = np.random.default_rng(seed)
            y = rng.integers(0, 2, 150)
            tells = np.where(rng.random(150) < 0.8, y, 1 - y)
            noise = [rng.integers(0, v, 150) for v in (2, 6, 30, 140)]
            pool = pool_of(np.column_stack([tells, *noise]))
            estimates = Estimates(pool)
            estimates.add_many(np.arange(150), y)
            quality = np.log(2) - estimates.value
            above += estimates.chance.exceeded(quality, 0.05)
        assert above[0] == 200
        assert above[1:].sum() <= 200 * 0.05 * 2

    @pytest.mark.parametrize("labels", [[], [1, 1, 1, 1]])
    def test_nothing_is_above_chance_while_there_is_one_class(self, labels):
        estimates = Estimates(pool_of(codes(30, 2, 4)))
        if labels:
            estimates.add_many(np.arange(len(labels)), labels)
        assert not estimates.chance.exceeded(np.array([1.0, 1.0]), 0.05).any()

    def test_by_the_assisted_estimate_nothing_is_above_chance_until_the_labels_show_anything(self):
        X, y = codes(300, 2, 3, 9), RNG.integers(0, 2, 300)
        for labels, informative in ((y, False), (X[:, 0], True)):
            session = Session(X, 3, random_state=0)
            session.tell(np.arange(60), labels[:60])
            chosen = session.selection()
            assert chosen.above_chance is not None and chosen.chance is not None
            assert chosen.informative == informative and chosen.above_chance.any() == informative
            assert (chosen.chance > 0).all() and chosen.chance.max() < 0.05, "the margins are those of the 300 rows"

    def test_by_the_assisted_estimate_noise_beside_one_feature_that_tells_is_hardly_ever_above_chance(self):
        wrong = found = 0
        for seed in range(6):
            rng = np.random.default_rng(seed)
            y = rng.integers(0, 2, 300)
            tells = np.where(rng.random(300) < 0.1, 1 - y, y)
            session = Session(np.column_stack([tells, rng.integers(0, 3, (300, 12))]), 5, random_state=seed)
            session.tell(np.arange(60), y[:60])
            chosen = session.selection()
            above = set(chosen.features[chosen.above_chance].tolist())
            found += 0 in above
            wrong += len(above - {0})
        assert found >= 5 and wrong <= 1

    def test_unseen_values(self):
        X = np.array([[0], [0], [1], [1], [2], [2]])
        found = Chance(MutualInformation(), pool_of(X), np.array([2, 2, 0]), np.array([2, 2]), 0.25)
        both = np.log(2) * 2 / 3  # two of four rows, two of each class: one of each, four times out of six
        assert found.expected[0] == pytest.approx(np.log(2) - (2 * both + 0.25) / 3)

    def test_whole_counts(self):
        assert whole_counts(np.array([0.1, 0.2, 0.7]), 10).tolist() == [1, 2, 7]
        for _ in range(50):
            shares = RNG.dirichlet(np.ones(7))
            counts = whole_counts(shares, 1000)
            assert counts.sum() == 1000 and np.abs(counts - 1000 * shares).max() < 1


class TestAdjustedCriterion:
    X = codes(240, 2, 3, 9, 60, 200)
    Y = np.where(RNG.random(240) < 0.8, X[:, 0], RNG.integers(0, 3, 240))

    @pytest.mark.parametrize("estimator", ["plug-in", "assisted"])
    def test_with_all_labels_it_is_exact(self, estimator):
        session = Session(self.X, 5, binning="none", criterion=ADJUSTED, estimator=estimator, random_state=0)
        session.tell(np.arange(240), self.Y)
        chosen = session.selection()
        expected = [
            mutual_info_score(self.X[:, j], self.Y) - expected_by_sklearn(self.X[:, j], self.Y) for j in chosen.features
        ]
        np.testing.assert_allclose(chosen.scores, expected, atol=1e-6 if estimator == "assisted" else 1e-11)
        assert chosen.scores.tolist() == sorted(chosen.scores, reverse=True) and chosen.features[0] == 0
        assert chosen.chance is not None and not chosen.chance.any()
        assert chosen.above_chance is not None and chosen.above_chance[0]
        assert (chosen.scores < 0).any(), "what is worse than chance is below 0"

    def test_values_and_bounds_are_moved_alike(self):
        plain, adjusted = (
            Estimates(pool_of(self.X), 3, criterion=c) for c in (MutualInformation(), AdjustedMutualInformation())
        )
        for row in range(80):
            plain.add(row, self.Y[row])
            adjusted.add(row, self.Y[row])
        for name in ("value", "lower", "upper"):
            moved = getattr(adjusted, name) - getattr(plain, name)
            np.testing.assert_allclose(moved, plain.chance.expected, atol=1e-14)
        cells = np.arange(int(plain.pool.offsets[-1]))
        np.testing.assert_array_equal(adjusted.spread_upper(cells), plain.spread_upper(cells))

    @pytest.mark.parametrize("name", [n for n in strategies.available() if n != "activeml"])
    @pytest.mark.parametrize("estimator", ["plug-in", "assisted"])
    def test_every_strategy_and_both_estimators(self, name, estimator):
        session = Session(
            self.X, 2, binning="none", criterion=ADJUSTED, strategy=name, estimator=estimator, budget=25, random_state=0
        )
        while not session.finished:
            row = session.ask()
            session.tell(row, int(self.Y[row]))
        chosen = session.selection()
        assert (chosen.lower <= chosen.scores + 1e-12).all() and (chosen.scores <= chosen.upper + 1e-12).all()
        lower, upper = session.bounds()
        assert (lower <= session.values() + 1e-12).all() and (session.values() <= upper + 1e-12).all()
        assert chosen.criterion == ADJUSTED

    def test_many_values_do_not_win(self):
        """Sixty labels: by the plain value the feature of 60 values looks best, though it tells nothing."""
        for criterion, first in (("mutual_information", 3), (ADJUSTED, 0)):
            session = Session(self.X, 1, binning="none", criterion=criterion, strategy="random", random_state=0)
            session.tell(np.arange(60), self.Y[:60])
            assert session.selection().features.tolist() == [first]

    def test_truth_and_gap(self):
        truth = true_impurity(pool_of(self.X), self.Y, AdjustedMutualInformation())
        plain = true_impurity(pool_of(self.X), self.Y)
        expected = [expected_by_sklearn(x, self.Y) for x in self.X.T]
        np.testing.assert_allclose(truth - plain, expected, atol=1e-11)

    @pytest.mark.parametrize("rule", [r for r in redundancy.available() if r != "none"])
    def test_rules_that_count_information_refuse_it_by_name(self, rule):
        with pytest.raises(
            InvalidInputError, match=f"redundancy='{rule}' goes with criterion 'mutual_information', not"
        ):
            Session(self.X, 2, redundancy=rule, criterion=ADJUSTED)

    def test_it_is_known_by_its_name(self):
        assert criteria.create(ADJUSTED) == AdjustedMutualInformation()
