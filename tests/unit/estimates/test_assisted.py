"""The assisted estimate: exact where all is known, brute force elsewhere."""

import numpy as np
import pytest

from activefs import Pool
from activefs.criteria import Gini, MutualInformation
from activefs.estimates import AssistedEstimates
from activefs.model import Assistant, Completion
from activefs.model._calibration import calibrating_power, tempered


def table(rows=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(rows, 6))
    y = ((X[:, 1] + X[:, 4] > 3) ^ (rng.random(rows) < 0.1)).astype(np.int64)
    return X, y


def completion(probabilities, labelled, labels, leave_one_out=None):
    leave_one_out = probabilities[labelled] if leave_one_out is None else leave_one_out
    return Completion(
        np.arange(len(probabilities)), probabilities, labelled, labels, leave_one_out, lambda rng: probabilities
    )


def brute_force(X, p, criterion):
    """Sum over values of share times impurity of the mean probabilities."""
    out = []
    for j in range(X.shape[1]):
        total = 0.0
        for v in np.unique(X[:, j]):
            here = X[:, j] == v
            total += here.mean() * float(criterion.value(p[here].mean(axis=0)))
        out.append(total)
    return np.array(out)


@pytest.mark.parametrize("criterion", [MutualInformation(), Gini()])
def test_all_labels_known_gives_the_truth(criterion):
    X, y = table()
    p = np.full((len(X), 2), 0.5)
    found = AssistedEstimates(Pool.from_table(X), completion(p, np.arange(len(X)), y), criterion)
    assert np.allclose(found.value, brute_force(X, np.eye(2)[y], criterion), atol=1e-6)
    assert found.total == pytest.approx(float(criterion.value(np.eye(2)[y].mean(axis=0))))


def test_a_sure_model_is_believed():
    """Hardly any residual, nothing to correct: the model's probabilities, tempered, are averaged."""
    X, y = table()
    p = np.where(y[:, None] == np.arange(2), 0.99, 0.01)
    rows = np.arange(0, 400, 4)
    pool, criterion = Pool.from_table(X), MutualInformation()
    found = AssistedEstimates(pool, completion(p, rows, y[rows]), criterion)
    assert found.explained > 0.8
    sharp = tempered(p, (1 + found.explained / (found.explained + 0.1)) * calibrating_power(p[rows], y[rows]))
    sharp[rows] = np.eye(2)[y[rows]]
    assert np.allclose(found.value, brute_force(X, sharp, criterion), atol=0.01)


def test_chance_of_unknown_labels_favours_many_values():
    """Labels independent of everything: a feature of 20 values tells more about all of them than one of two."""
    rng = np.random.default_rng(0)
    pool = Pool.from_table(np.stack([rng.integers(0, 2, 300), rng.integers(0, 20, 300)], axis=1), binning="none")
    rows = np.arange(40)
    p = np.full((300, 2), 0.5)
    found = AssistedEstimates(pool, completion(p, rows, rows % 2), MutualInformation())
    truth = []
    for seed in range(200):
        y = np.random.default_rng(seed).integers(0, 2, 300)
        y[rows] = rows % 2
        truth.append(brute_force(np.asarray(pool.codes).T, np.eye(2)[y], MutualInformation()))
    by_chance = np.log(2) - np.mean(truth, axis=0)
    scores = found.scores(np.arange(2))[0]
    assert scores[1] - scores[0] == pytest.approx(by_chance[1] - by_chance[0], rel=0.25)


def test_a_useless_model_is_corrected_by_the_labels():
    """A model that says the same everywhere: what remains is the plug-in estimate, where it is significant."""
    X, y = table(rows=2000)
    rows = np.random.default_rng(0).permutation(2000)[:600]
    p = np.tile([1 - y.mean(), y.mean()], (2000, 1))
    found = AssistedEstimates(Pool.from_table(X), completion(p, rows, y[rows]), MutualInformation())
    assert found.explained == pytest.approx(0.0, abs=1e-9)
    assert set(np.argsort(found.value)[:2].tolist()) == {1, 4}
    assert found.informative


def test_gap_and_bounds_close_as_labels_arrive():
    X, y = table(rows=1000)
    assistant = Assistant(Pool.from_table(X), seed=0)
    gaps = []
    for t in (15, 60, 240):
        rows = np.random.default_rng(1).permutation(1000)[:t]
        found = AssistedEstimates(assistant.pool, assistant.complete(rows, y[rows], 2), MutualInformation())
        best = np.argsort(found.value)[:2]
        scores, lower, upper = found.scores(best)
        assert (lower >= 0).all() and (lower <= scores).all() and (scores <= upper).all()
        gaps.append(found.expected_gap(best))
    assert gaps[0] > gaps[2] >= 0
    low, high = found.bounds()
    assert (low <= found.value).all() and (found.value <= high).all()


def test_labels_that_have_nothing_to_do_with_the_table():
    said = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 4, size=(500, 20)), rng.integers(0, 2, 500)
        rows = rng.permutation(500)[:100]
        assistant = Assistant(Pool.from_table(X), seed=seed)
        found = AssistedEstimates(assistant.pool, assistant.complete(rows, y[rows], 2), MutualInformation())
        said.append(found.informative)
        if not found.informative:
            assert (found.scores(np.arange(5))[1] == 0).all()
    assert sum(said) <= 2


def test_calibration_of_bold_and_timid_models():
    rng = np.random.default_rng(0)
    p = rng.random(2000)
    y = (rng.random(2000) < p).astype(np.int64)
    honest = np.stack([1 - p, p], axis=1)
    assert 0.8 < calibrating_power(honest, y) < 1.25
    assert calibrating_power(tempered(honest, 0.5), y) > 1.6
    assert calibrating_power(tempered(honest, 2.0), y) < 0.65


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_nothing(threads, shared_work):
    X = np.random.default_rng(0).integers(0, 5, size=(3000, 40))
    pool, rows = Pool.from_table(X), np.arange(50)
    p = np.random.default_rng(1).dirichlet([1, 1, 1], size=3000)
    said = completion(p, rows, np.arange(50) % 3)
    one, many = (AssistedEstimates(pool, said, MutualInformation(), n_threads=n) for n in (1, threads))
    assert np.array_equal(one.value, many.value) and set(shared_work) == {1, threads}


def test_without_labels_everything_is_possible():
    X, _ = table()
    assistant = Assistant(Pool.from_table(X), seed=0)
    nothing = np.empty(0, dtype=np.int64)
    found = AssistedEstimates(assistant.pool, assistant.complete(nothing, nothing, 2), MutualInformation())
    scores, lower, upper = found.scores(np.arange(3))
    assert (lower == 0).all() and np.allclose(upper, np.log(2))
    assert (scores < 0.01).all()  # what chance will give once all labels are there
