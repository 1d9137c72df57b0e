"""What is guaranteed while labels are not settled: nothing less than if those rows still awaited an answer."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from activefs import Pool, Session
from activefs.criteria import AdjustedMutualInformation, Gini, MutualInformation
from activefs.engine import ClassProbabilities, Engine, Position, Told
from activefs.estimates import Estimates
from activefs.options import check_options

CRITERIA = {c.name: c for c in (MutualInformation, Gini, AdjustedMutualInformation)}


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def table(rng, n_rows, n_classes, columns=3):
    X = rng.integers(0, 3, size=(n_rows, columns))
    X[:2] = [[0], [1]]
    y = np.where(rng.random(n_rows) < 0.3, rng.integers(0, n_classes, n_rows), X[:, 1] % n_classes)
    return X, y


def unsettled(rng, label, n_classes):
    """Probabilities in which the true class is unlikely: they may mislead as they want."""
    weights = rng.dirichlet(np.ones(n_classes))
    weights[label] *= 0.1
    return ClassProbabilities({c: float(p) for c, p in enumerate(weights / weights.sum())})


def engine_of(X, n_classes, *, named, **options):
    given = {"k": 1, "random_state": 0, "when_certified": "continue", **options}
    return Engine(check_options({**given, "classes": list(range(n_classes)) if named else None}), Pool.from_table(X))


def led_on(engine, rng, y, n_classes, length, *, share):
    """A position with labels that are not settled, and the same one in which their rows are pending."""
    here = awaiting = Position()
    for _ in range(length):
        found = engine.next(here)
        if found.row is None:
            break
        row = found.row
        here, awaiting = (some.asking(row, found.chance) for some in (here, awaiting))
        if rng.random() < share:
            here = here.answered(row, unsettled(rng, y[row], n_classes))
        else:
            here, awaiting = (some.answered(row, int(y[row])) for some in (here, awaiting))
    return here, awaiting


class TestAsIfPending:
    @pytest.mark.parametrize("criterion", CRITERIA)
    @pytest.mark.parametrize("named", [True, False])
    @pytest.mark.parametrize("strategy", ["random", "assisted", "afs"])
    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_same_bounds(self, strategy, named, criterion, n_classes):
        rng = np.random.default_rng(n_classes)
        X, y = table(rng, 60, n_classes)
        engine = engine_of(X, n_classes, named=named, strategy=strategy, criterion=criterion)
        for length, share in ((12, 0.3), (40, 0.2), (60, 0.1)):
            here, awaiting = led_on(engine, rng, y, n_classes, length, share=share)
            assert here.pending == () and awaiting.pending
            np.testing.assert_allclose(
                engine.guaranteed_bounds(here), engine.guaranteed_bounds(awaiting), rtol=0, atol=1e-12
            )
            leaders = engine.leaders(here)
            gaps = [engine._guarantee.gap(some, engine.labelled(some), leaders) for some in (here, awaiting)]
            assert gaps[0] == pytest.approx(gaps[1], abs=1e-12)

    def test_settling_gives_what_the_answer_would_have_given(self):
        rng = np.random.default_rng(0)
        X, y = table(rng, 60, 2)
        engine = engine_of(X, 2, named=True, strategy="assisted")
        here, awaiting = led_on(engine, rng, y, 2, 40, share=0.2)
        for row in awaiting.pending:
            here, awaiting = here.corrected(row, int(y[row])), awaiting.answered(row, int(y[row]))
        assert np.array_equal(engine.guaranteed_bounds(here), engine.guaranteed_bounds(awaiting))


def completions(labels, n_classes):
    """All ways in which labels that are not settled can be."""
    return itertools.product(*([c] if isinstance(c, int) else range(n_classes) for c in labels))


def truth(pool, labels, n_classes, criterion):
    estimates = Estimates(pool, n_classes, criterion=criterion)
    estimates.add_many(np.arange(pool.n_rows), np.asarray(labels))
    return estimates.value.copy()


class TestWhicheverClassIsTrue:
    @given(
        st.integers(0, 10**9), st.integers(2, 3), st.booleans(), st.sampled_from(sorted(CRITERIA)), st.integers(1, 4)
    )
    @settings(max_examples=25, deadline=None)
    def test_all_rows_told(self, seed, n_classes, named, criterion, n_open):
        """Nothing was drawn: bounds hold by counting, for every way to settle the labels, new classes included."""
        rng = np.random.default_rng(seed)
        X, y = table(rng, 14, n_classes)
        labels = [int(c) for c in y]
        for row in rng.permutation(14)[:n_open]:
            labels[row] = unsettled(rng, y[row], n_classes)
        engine = engine_of(X, n_classes, named=named, strategy="random", criterion=criterion)
        here = Position(tuple(Told(row, label) for row, label in enumerate(labels)))
        lower, upper = engine.guaranteed_bounds(here)
        certified, leaders = engine.certified(here), engine.leaders(here)
        gap = engine._guarantee.gap(here, engine.labelled(here), leaders)
        possible = n_classes if named else n_classes + 1
        for settled in completions(labels, possible):
            values = truth(engine.pool, settled, possible, CRITERIA[criterion]())
            assert (lower <= values + 1e-9).all() and (values <= upper + 1e-9).all()
            if certified:
                assert values[leaders[0]] <= values.min() + 1e-9
            if gap is not None:
                assert values[leaders[0]] - values.min() <= gap + 1e-9

    def test_labels_that_mislead_certify_nothing(self):
        """The label of the second row decides which column is perfect."""
        X = np.array([[0, 0], [0, 1], [1, 1], [1, 1], [0, 0], [0, 0]])
        session = Session(X, 1, classes=["a", "b"], strategy="random", random_state=0, when_certified="continue")
        session.tell(range(6), ["a", {"b": 0.999, "a": 0.001}, "b", "b", "a", "a"])
        chosen = session.selection()
        assert chosen.features.tolist() == [1] and not chosen.certified
        assert chosen.guaranteed_gap is not None and chosen.guaranteed_gap > 0
        session.correct(1, "b")
        assert session.selection().certified

    @pytest.mark.parametrize(("strategy", "runs"), [("random", 60), ("assisted", 8)])
    def test_draws(self, strategy, runs):
        """In simulations in which every label that is not settled misleads, bounds miss as rarely as they say."""
        misses, delta = 0, 0.2
        for seed in range(runs):
            rng = np.random.default_rng(seed)
            X, y = table(rng, 80, 2)
            engine = engine_of(X, 2, named=True, strategy=strategy, delta=delta, random_state=seed)
            here, _ = led_on(engine, rng, y, 2, 45, share=0.25)
            lower, upper = engine.guaranteed_bounds(here)
            values = truth(engine.pool, y, 2, MutualInformation())
            misses += bool((lower > values + 1e-9).any() or (values > upper + 1e-9).any())
        assert misses <= binom.ppf(0.999, runs, delta)
        assert (upper - lower < 0.6).any()  # and they say something
