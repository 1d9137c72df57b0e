"""What is certified is right: counting, all labels, counterexamples; and what a strategy may say about its draws."""

import itertools
import warnings
from typing import ClassVar

import numpy as np
import pytest

from activefs import Session, criteria, redundancy, strategies
from activefs.exceptions import InvalidInputError
from activefs.strategies import Draw, Strategy

PLAIN = [name for name in strategies.available() if name != "activeml"]


def impurity(X, y, j, criterion="mutual_information"):
    """Written once more: mean over values of the entropy, or Gini impurity, of the labels."""
    total = 0.0
    for v in np.unique(X[:, j]):
        q = np.unique(y[X[:, j] == v], return_counts=True)[1] / np.sum(X[:, j] == v)
        value = -(q * np.log(q)).sum() if criterion == "mutual_information" else 1 - (q * q).sum()
        total += value * np.mean(X[:, j] == v)
    return total


def table(seed=0, n_rows=40, columns=4, classes=2):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(n_rows, columns))
    y = np.where(rng.random(n_rows) < 0.25, rng.integers(0, classes, n_rows), X[:, 1] % classes)
    return X, y


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class TestAllRowsLabelled:
    @pytest.mark.parametrize("strategy", PLAIN)
    @pytest.mark.parametrize("classes", [None, [0, 1]])
    def test_everything_is_certain(self, strategy, classes):
        X, y = table()
        session = Session(X, 2, strategy=strategy, random_state=0, classes=classes, when_certified="continue")
        session.tell(range(40), y.tolist())
        chosen = session.selection()
        assert chosen.certified and session.certified and chosen.guaranteed_gap == 0.0
        np.testing.assert_allclose(chosen.lower, chosen.upper, atol=1e-9)
        whole = -sum(p * np.log(p) for p in np.bincount(y) / 40)
        expected = [whole - impurity(X, y, j) for j in chosen.features]
        np.testing.assert_allclose(chosen.scores, expected, atol=1e-9)
        best = sorted(range(4), key=lambda j: impurity(X, y, j))[:2]
        assert set(chosen.features.tolist()) == set(best)

    @pytest.mark.parametrize("rule", redundancy.available())
    @pytest.mark.parametrize("estimator", ["plug-in", "assisted"])
    def test_for_every_rule(self, rule, estimator):
        X, y = table(1)
        session = Session(X, 2, strategy="random", estimator=estimator, redundancy=rule, random_state=0)
        session.tell(range(40), y.tolist())
        chosen = session.selection()
        assert chosen.certified and chosen.guaranteed_gap == 0.0

    @pytest.mark.parametrize("criterion", criteria.available())
    @pytest.mark.parametrize("estimator", ["plug-in", "assisted"])
    def test_for_every_criterion(self, criterion, estimator):
        X, y = table(2, classes=3)
        session = Session(X, 2, strategy="random", estimator=estimator, criterion=criterion, random_state=0)
        session.tell(range(40), y.tolist())
        chosen = session.selection()
        assert chosen.certified
        np.testing.assert_allclose(chosen.lower, chosen.upper, atol=1e-9)


class TestAllButAFew:
    @pytest.mark.parametrize("seed", range(15))
    @pytest.mark.parametrize("left", [1, 2, 3])
    @pytest.mark.parametrize("named", [True, False])
    def test_certified_exactly_where_it_follows(self, seed, left, named):
        X, y = table(seed, n_rows=26, columns=4)
        session = Session(X, 2, strategy="coreset", random_state=0, classes=[0, 1] if named else None)
        session.tell(range(left, 26), y[left:].tolist())
        chosen = set(session.selection().features.tolist())
        possible = [0, 1] if named else [0, 1, *range(2, 2 + left)]
        follows = True
        for labels in itertools.product(possible, repeat=left):
            full = np.concatenate([labels, y[left:]])
            values = [impurity(X, full, j) for j in range(4)]
            follows &= bool(sum(values[j] for j in chosen) <= sum(sorted(values)[:2]) + 1e-9)
        assert session.certified is follows
        assert session.selection().certified is follows

    def test_a_row_that_nobody_can_label_may_be_anything(self):
        X, y = table(3, n_rows=30)
        session = Session(X, 2, strategy="random", random_state=0, classes=[0, 1], when_certified="continue")
        while not session.finished:
            row = session.ask()
            if row < 12:
                session.skip(row)
            else:
                session.tell(row, int(y[row]))
        lower, upper = session.guaranteed_bounds()
        for flipped in range(12):
            other = y.copy()
            other[flipped] = 1 - other[flipped]
            values = np.array([impurity(X, other, j) for j in range(4)])
            assert (lower <= values + 1e-9).all() and (values <= upper + 1e-9).all()
        assert (upper - lower > 1e-3).all()


class TestCounterexamples:
    @pytest.mark.parametrize("seed", range(3))
    def test_labels_chosen_by_a_model(self, seed):
        """y = x1 where x3 = 0, else x2 with errors: the labels alone settle on the wrong feature."""
        rng = np.random.default_rng(seed)
        n = 2000
        x1, x2, x3 = rng.integers(0, 2, n), rng.integers(0, 2, n), (rng.random(n) < 0.35).astype(int)
        y = np.where(x3 == 0, x1, x2 ^ (rng.random(n) < 0.1))
        X = np.column_stack([x1, x2, x3])
        session = Session(
            X, 1, strategy="assisted", estimator="plug-in", budget=150, random_state=seed, when_certified="continue"
        )
        best = int(np.argmin([impurity(X, y, j) for j in range(3)]))
        while not session.finished:
            row = session.ask()
            session.tell(row, int(y[row]))
            if session.certified:
                assert session.leaders()[0] == best

    @pytest.mark.parametrize("seed", range(6))
    def test_redundancy_rules_certify_nothing_before_it_follows(self, seed):
        X, y = table(seed, n_rows=120, columns=5)
        session = Session(X, 2, strategy="afs", redundancy="mrmr", random_state=seed, when_certified="continue")
        session.tell(range(100), y[:100].tolist())
        chosen = session.selection()
        assert not chosen.certified and chosen.guaranteed_gap is None

    def test_settled_is_not_certified(self):
        rng = np.random.default_rng(0)
        X = rng.integers(0, 2, size=(400, 3))
        y = X[:, 2]
        session = Session(X, 1, strategy="afs", random_state=0)
        while not session.finished:
            row = session.ask()
            session.tell(row, int(y[row]))
        reason = session.reason or ""
        assert session.settled and "settled" in reason and "no guarantee" in reason
        chosen = session.selection()
        assert chosen.settled and not chosen.certified
        assert chosen.guaranteed_gap is not None and chosen.guaranteed_gap > 0
        assert "not certified" in chosen.sure


class TestEarly:
    def test_random_rows_certify_long_before_the_end(self):
        rng = np.random.default_rng(1)
        y = rng.integers(0, 2, 1000)
        X = np.column_stack([rng.integers(0, 3, size=(1000, 6)), y ^ (rng.random(1000) < 0.05)])
        session = Session(X, 1, strategy="random", classes=[0, 1], random_state=0)
        while not session.finished:
            row = session.ask()
            session.tell(row, int(y[row]))
        assert "certified" in (session.reason or "") and session.n_labels < 300
        assert session.selection().names == ("column 6",) or session.selection().features.tolist() == [6]

    def test_stop_when_guaranteed_gap_below(self):
        rng = np.random.default_rng(1)
        y = rng.integers(0, 2, 1000)
        X = np.column_stack([rng.integers(0, 3, size=(1000, 6)), y ^ (rng.random(1000) < 0.05)])
        labels = {}
        for gap in (0.3, 0.1):
            for estimator in ("plug-in", "assisted"):
                session = Session(
                    X, 1, strategy="random", estimator=estimator, classes=[0, 1], random_state=0,
                    stop_when_guaranteed_gap_below=gap, budget=600,
                )  # fmt: skip
                while not session.finished:
                    row = session.ask()
                    session.tell(row, int(y[row]))
                assert "guaranteed to lack less" in (session.reason or "")
                guaranteed = session.selection().guaranteed_gap
                assert guaranteed is not None and guaranteed < gap
                labels[gap, estimator] = session.n_labels
        assert labels[0.3, "plug-in"] < labels[0.1, "plug-in"] < 300

    def test_a_rule_cannot_stop_on_a_guaranteed_gap(self):
        X, _ = table()
        with pytest.raises(InvalidInputError, match="stop_when_guaranteed_gap_below does not go with"):
            Session(X, 2, redundancy="mrmr", stop_when_guaranteed_gap_below=0.1)

    def test_the_guarantee_does_not_depend_on_how_it_was_reached(self):
        """Another session that is loaded from a file, or was undone and went on, says the same."""
        X, y = table(4, n_rows=60)
        session = Session(X, 2, strategy="random", classes=[0, 1], random_state=3, when_certified="continue")
        for _ in range(30):
            row = session.ask()
            session.tell(row, int(y[row]))
        straight = session.guaranteed_bounds()
        for row in session.ask(n=4):
            session.release(int(row))
        np.testing.assert_array_equal(session.guaranteed_bounds(), straight)


class OneOf(Strategy):
    """Draws the first row that is available, and says what it is told to say."""

    name: ClassVar[str] = "one-of"
    needs_k: ClassVar[bool] = False

    def __init__(self, said):
        super().__init__()
        self.said = said

    def ask(self, state, rng):
        return self.said(state)


class TestWhatStrategiesSay:
    @pytest.mark.parametrize(
        ("said", "why"),
        [
            (lambda s: Draw(0, np.full(40, -1 / 40)), "not negative"),
            (lambda s: Draw(0, np.full(40, 1 / 39)), "add up to 1"),
            (lambda s: Draw(0, np.where(np.arange(40) == 0, 0, 1 / 39)), "row 0, which it drew, the probability 0"),
            (lambda s: Draw(0, np.full(3, 1 / 3)), "one number per row"),
            (lambda s: Draw(0, np.full(40, np.nan)), "finite"),
            (lambda s: Draw(0, "even"), "uniform"),  # type: ignore[arg-type]  # as it should be
            (lambda s: Draw(0, ["a"] * 40), "numbers"),  # type: ignore[arg-type]  # as it should be
            (lambda s: 41, "cannot be asked"),
            (lambda s: 1.5, "row number or a Draw"),
        ],
    )
    def test_impossible_probabilities_are_refused(self, said, why):
        X, y = table()
        session = Session(X, 2, strategy=OneOf(said), random_state=0)
        session.tell(39, int(y[39])) if why == "cannot be asked" else None
        before = session.pending, session.labelled.tolist()
        with pytest.raises(InvalidInputError, match=why):
            session.ask()
        assert (session.pending, session.labelled.tolist()) == before

    def test_rows_that_are_taken_have_no_probability(self):
        X, y = table()
        session = Session(X, 2, strategy=OneOf(lambda s: Draw(1, np.full(40, 1 / 40))), random_state=0)
        session.tell(0, int(y[0]))
        with pytest.raises(InvalidInputError, match="row 0, which cannot be asked now"):
            session.ask()

    def test_draws_that_leave_rows_out_are_choices(self):
        """A draw in which an open row had no chance teaches nothing beyond the row."""
        X, y = table(n_rows=200)
        found = []
        for some in (True, False):

            def said(state, some=some):
                p = state.available.astype(float)
                if some:
                    p[np.flatnonzero(state.available)[-1]] = 0.0
                p /= p.sum()
                return Draw(int(np.flatnonzero(p)[0]), p)

            session = Session(X, 2, strategy=OneOf(said), classes=[0, 1], random_state=0, when_certified="continue")
            for _ in range(100):
                row = session.ask()
                session.tell(row, int(y[row]))
            lower, upper = session.guaranteed_bounds()
            found.append(float((upper - lower).mean()))
        assert found[1] < found[0]

    @pytest.mark.parametrize("delta", [0, 1, -0.1, 2, float("nan"), "0.05", None])
    def test_delta_must_be_between_0_and_1(self, delta):
        X, _ = table()
        with pytest.raises(InvalidInputError, match="delta"):
            Session(X, 2, delta=delta)
