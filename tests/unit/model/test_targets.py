"""Models that learn from class probabilities: certain ones are labels, and half a label is half of one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from activefs import Pool
from activefs.criteria import Gini, MutualInformation
from activefs.estimates import AssistedEstimates, is_connected
from activefs.estimates._connection import largest_deviation
from activefs.estimates._label_based import label_based
from activefs.model import (
    Assistant,
    ColumnsModel,
    Completion,
    _average,
    _softmax,
    _trees,
    calibrating_power,
    class_rates,
    class_weights,
    expected_log,
    key_of,
    likeliest,
    one_hot,
    rates_left_out,
    seen_classes,
    simplest,
)
from activefs.model._targets import among, repeated
from activefs.outlook import HeldOut, check_model

RNG = np.random.default_rng(0)
X = RNG.integers(0, 4, size=(200, 6))
Y = (X[:, 2] + X[:, 4] > 2).astype(np.int64)
ROWS = np.arange(60)
POOL = Pool.from_table(X)


def blurred(labels, n_classes=2, every=5, p=0.7):
    """Every fifth label is not settled; the true class is the likelier one."""
    out = np.eye(n_classes)[labels]
    out[::every] = p * out[::every] + (1 - p) / (n_classes - 1) * (1 - out[::every])
    return out


class TestHelpers:
    @given(arrays(np.int64, st.integers(1, 30), elements=st.integers(0, 4)), st.integers(0, 2**32 - 1))
    def test_certain_probabilities_are_labels(self, labels, seed):
        hot, values = np.eye(5)[labels], np.random.default_rng(seed).random((labels.size, 5))
        assert np.array_equal(one_hot(labels, 5), one_hot(hot, 5))
        assert np.array_equal(class_weights(labels, 5), class_weights(hot, 5))
        assert np.array_equal(seen_classes(labels), seen_classes(hot))
        assert np.array_equal(likeliest(hot), labels) and np.array_equal(simplest(hot), labels)
        np.testing.assert_allclose(expected_log(values, labels, 0.01), expected_log(values, hot, 0.01), atol=1e-12)
        seen = seen_classes(labels)
        assert np.array_equal(one_hot(among(labels, seen), seen.size), among(hot, seen))
        for a, b in zip(repeated(labels)[:2], repeated(hot)[:2], strict=True):
            assert np.array_equal(a, b)
        np.testing.assert_allclose(class_rates(labels, 5), class_rates(hot, 5), atol=1e-12)
        np.testing.assert_allclose(rates_left_out(labels, 5), rates_left_out(hot, 5), atol=1e-12)
        assert calibrating_power(values, labels) == calibrating_power(values, hot)

    def test_labels_stay_what_they_are(self):
        some = blurred(Y[:10])
        assert simplest(some) is some
        one_hot(some, 2)[:] = 7.0
        assert some.max() == 1.0

    def test_keys_differ(self):
        keys = {key_of(2, ROWS[:n], labels) for n in (2, 3) for labels in (Y[:n], np.eye(2)[Y[:n]], blurred(Y[:n]))}
        assert len(keys) == 6


class TestRegression:
    @pytest.mark.parametrize("classes", [2, 3])
    def test_certain_probabilities_are_labels(self, classes):
        F, y = np.hstack([RNG.normal(size=(50, 3)), np.ones((50, 1))]), RNG.integers(0, classes, 50)
        one, other = _softmax.fit(F, y, classes, 4.0), _softmax.fit(F, np.eye(classes)[y], classes, 4.0)
        np.testing.assert_allclose(one.leave_one_out, other.leave_one_out, atol=1e-9)
        assert one.log_evidence == pytest.approx(other.log_evidence)

    def test_three_quarters_are_three_of_four_labels(self):
        """Rows that are there four times, with four labels, have the same peak if the prior counts four times, too."""
        F = np.hstack([RNG.normal(size=(40, 3)), np.ones((40, 1))])
        four = RNG.integers(0, 2, size=(4, 40))
        share = np.column_stack([1 - four.mean(axis=0), four.mean(axis=0)])
        many = _softmax.fit(np.tile(F, (4, 1)), four.ravel(), 2, 1.0)
        few = _softmax.fit(F, share, 2, 4.0)
        np.testing.assert_allclose(F @ many.weights, F @ few.weights, atol=0.03)  # it ends 0.01 nats before the peak


class TestTrees:
    def test_certain_probabilities_are_labels(self):
        rows = X.astype(np.float32)
        one, other = (_trees.grow(rows[:60], some, 2, rows, 3) for some in (Y[:60], np.eye(2)[Y[:60]]))
        assert np.array_equal(one.probabilities(), other.probabilities())
        np.testing.assert_allclose(one.out_of_bag, other.out_of_bag, atol=1e-12)

    def test_nobody_has_seen_what_is_left_out(self):
        """A row that is alone with its value, and not settled: its own probabilities do not show out of bag."""
        rows = np.zeros((40, 1), dtype=np.float32)
        labels = np.eye(2)[np.arange(40) % 2]
        labels[0] = [0.1, 0.9]
        rows[0] = 1.0
        found = _trees.grow(rows, labels, 2, rows, 0)
        assert found.out_of_bag[0] == pytest.approx([0.5, 0.5], abs=0.1)
        assert found.probabilities()[0, 1] > 0.6


MODELS = [None, LogisticRegression(), RandomForestClassifier(20), GaussianNB(), KNeighborsClassifier(5)]


class TestAssistant:
    @pytest.mark.parametrize("model", MODELS, ids=repr)
    def test_learns_from_blurred_labels(self, model):
        found = Assistant(POOL, model, 0).complete(ROWS, blurred(Y[ROWS]), 2)
        assert found.labels.shape == (60, 2) and np.isfinite(found.leave_one_out).all()
        assert np.mean(found.probabilities.argmax(axis=1) == Y) > 0.8
        assert np.isfinite(found.posterior_draw(np.random.default_rng(0))).all()
        np.testing.assert_allclose(found.probabilities.sum(axis=1), 1.0, atol=1e-5)

    @pytest.mark.parametrize("model", MODELS, ids=repr)
    def test_first_labels_are_learnt_as_if_they_were_all(self, model):
        """That a later label is not settled changes no digit of what the model made of those before."""
        labels = blurred(Y[ROWS], every=59)[1:59]
        assistant = Assistant(POOL, model, 0)
        one = assistant.complete(ROWS[1:59], labels, 2)
        assert one is assistant.complete(ROWS[1:59], Y[1:59], 2) and one.labels.ndim == 1

    def test_without_weights_the_likeliest_class_is_learnt(self):
        labels = blurred(Y[ROWS])
        one = Assistant(POOL, KNeighborsClassifier(5), 0).complete(ROWS, labels, 2)
        other = Assistant(POOL, KNeighborsClassifier(5), 0).complete(ROWS, labels.argmax(axis=1), 2)
        assert np.array_equal(one.probabilities, other.probabilities) and one.labels is not other.labels

    @pytest.mark.parametrize("model", MODELS, ids=repr)
    @pytest.mark.parametrize("n", [1, 2, 12])
    def test_only_one_row_may_be_of_another_class(self, model, n):
        labels = np.tile([1.0, 0.0], (n, 1))
        labels[0] = [0.6, 0.4]
        found = Assistant(POOL, model, 0).complete(ROWS[:n], labels, 2)
        assert np.isfinite(found.probabilities).all() and np.isfinite(found.leave_one_out).all()
        estimates = AssistedEstimates(POOL, found, MutualInformation())
        assert np.isfinite(estimates.value).all() and np.isfinite(estimates.scores(np.arange(6))).all()

    def test_rough_models(self):
        rough = Assistant(POOL, None, 0).rough(ROWS, blurred(Y[ROWS]), 2)
        assert rough is not None
        found = rough.complete(np.arange(40), 200)
        assert found.labels.shape == (40, 2) and np.mean(found.probabilities.argmax(axis=1) == Y[found.rows]) > 0.8
        assert rough.complete(np.array([1, 2, 3, 4, 6, 7]), 200).labels.ndim == 1

    def test_columns(self):
        hard, hot = (ColumnsModel(POOL, ROWS, some, 2).left_out([2, 4]) for some in (Y[ROWS], np.eye(2)[Y[ROWS]]))
        np.testing.assert_allclose(hard, hot, atol=1e-6)
        found = ColumnsModel(POOL, ROWS, blurred(Y[ROWS]), 2).left_out([2, 4])
        assert np.mean(found.argmax(axis=1) == Y[ROWS]) > 0.8


def completion(labels):
    rng = np.random.default_rng(1)
    p = np.clip(np.eye(2)[Y] * 0.6 + 0.2 + rng.normal(size=(200, 1)) * [0.05, -0.05], 0.01, 0.99)
    p /= p.sum(axis=1, keepdims=True)
    return Completion(np.arange(200), p, ROWS, labels, p[ROWS], lambda rng: p)


def test_gains_by_hand():
    """Left out, the first two labels are compared among the two classes that others have; the third is the only one."""
    left_out = np.array([[0.6, 0.2, 0.2], [0.1, 0.4, 0.5], [0.3, 0.3, 0.4]])
    found = Completion(np.arange(3), left_out, np.arange(3), np.array([0, 0, 1]), left_out, lambda rng: left_out)
    np.testing.assert_allclose(found.gains, [np.log(0.75 / 0.5), np.log(0.2 / 0.5), 0.0])


class TestWhatIsMadeOfThem:
    @pytest.mark.parametrize("criterion", [MutualInformation(), Gini()])
    def test_certain_probabilities_are_labels(self, criterion):
        plain, certain = completion(Y[ROWS]), completion(np.eye(2)[Y[ROWS]])
        np.testing.assert_allclose(plain.gains, certain.gains, atol=1e-12)
        assert largest_deviation(POOL, plain) == pytest.approx(largest_deviation(POOL, certain))
        assert is_connected(POOL, plain, 0.05) == is_connected(POOL, certain, 0.05)
        one, other = (AssistedEstimates(POOL, some, criterion) for some in (plain, certain))
        np.testing.assert_allclose(one.value, other.value, atol=1e-9)
        np.testing.assert_allclose(one.scores(np.arange(6)), other.scores(np.arange(6)), atol=1e-9)
        shares = np.full((int(POOL.offsets[-1]), 2), 0.5)
        found = [label_based(POOL, criterion, shares, ROWS, c.labels, c.leave_one_out, 0) for c in (plain, certain)]
        np.testing.assert_allclose(found[0], found[1], atol=1e-12)
        held = HeldOut.alike(60)
        assert check_model(plain.leave_one_out, plain.labels, held) == check_model(
            certain.leave_one_out, certain.labels, held
        )

    def test_a_label_that_is_not_settled_counts_with_its_probabilities(self):
        """All rows are known but one, which is a or b with equal chance: impurities are those of half a row each."""
        every = np.arange(200)
        labels = np.eye(2)[Y]
        labels[7] = [0.5, 0.5]
        p = np.full((200, 2), 0.5)
        found = AssistedEstimates(POOL, Completion(every, p, every, labels, p, lambda rng: p), Gini())
        for j in range(6):
            wanted = 0.0
            for v in range(4):
                q = labels[X[:, j] == v].mean(axis=0)
                wanted += np.mean(X[:, j] == v) * (1 - (q * q).sum())
            assert found.value[j] == pytest.approx(wanted, abs=2e-3)  # less what the open label takes off by chance
            assert found.value[j] <= wanted + 1e-9

    def test_what_is_believed_is_never_certain_before_all_is_settled(self):
        every, p = np.arange(200), np.full((200, 2), 0.5)
        blurry, sure = blurred(Y, every=2, p=0.6), np.eye(2)[Y]
        widths = []
        for labels in (sure, blurry):
            found = AssistedEstimates(POOL, Completion(every, p, every, labels, p, lambda rng: p), MutualInformation())
            _, low, high = found.scores(every[:6])
            widths.append((high - low).max())
        assert widths[0] < 1e-9 < 1e-3 < widths[1]

    def test_a_model_is_right_as_often_as_the_label_is(self):
        said, labels = np.tile([0.9, 0.1], (20, 1)), np.tile([0.75, 0.25], (20, 1))
        found = check_model(said, labels, HeldOut.alike(20))
        assert found.accuracy == pytest.approx(0.75) and found.baseline == pytest.approx(0.75)
        assert found.excess == pytest.approx(0.15)

    def test_stacking_goes_by_the_expected_likelihood(self):
        rng = np.random.default_rng(0)
        good, bad = np.clip(np.eye(2)[Y[ROWS]], 0.1, 0.9), rng.dirichlet([1, 1], 60)
        assert _average._stacking_weight(good, bad, blurred(Y[ROWS])) > 0.9
        assert _average._stacking_weight(bad, good, blurred(Y[ROWS])) < 0.5
