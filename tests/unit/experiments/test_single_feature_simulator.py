"""The simulator against expectations worked out by hand, and against a plain program that shares no code."""

import math
from functools import cache

import numpy as np
import pytest
from scipy import stats

from activefs.exceptions import InvalidInputError
from activefs.experiments.single_feature import as_released, simulate


def h(q):
    return 0.0 if q in (0.0, 1.0) else -q * math.log(q) - (1 - q) * math.log(1 - q)


def agrees(errors, expected):
    spread = errors.std(ddof=1) / math.sqrt(len(errors))
    assert abs(errors.mean() - expected) < 4.5 * spread + 1e-12


# --- budget 3, two values, one initial draw each: one decision, enumerated by hand ---


def test_prop_with_three_labels():
    # 0.7/1 > 0.3/1: the third label goes to the first value. Its two labels differ with probability
    # 1/2, and only then the estimate is not 0 but 0.7 ln 2; the other value's single label says 0.
    truth = 0.7 * math.log(2) + 0.3 * h(0.25)
    expected = 0.5 * abs(0.7 * math.log(2) - truth) + 0.5 * truth
    agrees(simulate([0.7, 0.3], [0.5, 0.25], "PROP", [1], 200_000, initial=1)[:, 0], expected)


@pytest.mark.parametrize("policy", ["I-CP", "VAR-CP", "I-H", "MAX-H"])
def test_equal_values_with_three_labels_are_a_coin_toss(policy):
    # One label each: mirror-image counts, hence a tie, and the third label goes to either value.
    a, b = 0.5, 0.1
    truth = (h(a) + h(b)) / 2
    differ = (2 * a * (1 - a) + 2 * b * (1 - b)) / 2
    expected = differ * abs(math.log(2) / 2 - truth) + (1 - differ) * truth
    agrees(simulate([0.5, 0.5], [a, b], policy, [1], 200_000, initial=1)[:, 0], expected)


def test_certain_labels_have_no_error():
    errors = simulate([0.5, 0.5], [0.0, 1.0], "I-CP", [0, 3], 100)
    assert np.all(errors == 0)


# --- two initial draws each and three decisions: all 2^7 label sequences and all ties, by recursion ---


@cache
def cp_interval(ones, n):
    low = 0.0 if ones == 0 else stats.beta.ppf(0.025, ones, n - ones + 1)
    high = 1.0 if ones == n else stats.beta.ppf(0.975, ones + 1, n - ones)
    return low, high


def var_cp(p, ones, n):
    low, high = cp_interval(ones, n)
    x = min(max(0.5, low), high)
    return p * math.sqrt(x * (1 - x)) / n


def i_cp(p, ones, n):
    low, high = cp_interval(ones, n)
    grid = np.linspace(low, high, 4001)[1:-1]  # the largest g by search, not by formula
    return p * float(np.max(np.sqrt(grid * (1 - grid)) * np.abs(np.log(grid / (1 - grid))))) / n


def expectation(index, p, q, ones, n, left):
    if left == 0:
        truth = sum(w * h(x) for w, x in zip(p, q, strict=True))
        estimate = sum(w * h(o / m) for w, o, m in zip(p, ones, n, strict=True))
        return abs(estimate - truth)
    scores = [index(p[v], ones[v], n[v]) for v in range(len(p))]
    tied = [v for v, s in enumerate(scores) if s > max(scores) * (1 - 1e-6)]
    total = 0.0
    for v in tied:
        for label, chance in ((1, q[v]), (0, 1 - q[v])):
            more = tuple(o + label * (u == v) for u, o in enumerate(ones))
            longer = tuple(m + (u == v) for u, m in enumerate(n))
            total += chance / len(tied) * expectation(index, p, q, more, longer, left - 1)
    return total


@pytest.mark.parametrize(("policy", "index"), [("VAR-CP", var_cp), ("I-CP", i_cp)])
def test_three_decisions_after_two_draws_each(policy, index):
    p, q = (0.6, 0.4), (0.3, 0.9)
    expected = sum(
        math.comb(2, i) * q[0] ** i * (1 - q[0]) ** (2 - i) * math.comb(2, j) * q[1] ** j * (1 - q[1]) ** (2 - j)
        * expectation(index, p, q, (i, j), (2, 2), 3)
        for i in range(3)
        for j in range(3)
    )  # fmt: skip
    agrees(simulate(p, q, policy, [3], 100_000)[:, 0], expected)


# --- one repetition after the other, in plain Python, under the same random numbers ---

MASK = 2**64 - 1


def word(stream, counter):
    x = (stream + (counter + 1) * 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def stream(seed, *names):
    from zlib import crc32

    words = [crc32(name.encode()) for name in names]
    return int(np.random.SeedSequence([seed, *words]).generate_state(1, np.uint64)[0])


def brute_force(index, p, q, decisions, repetition, seed, initial=2):
    labels = word(stream(seed, "labels", "x"), repetition)
    ties = word(stream(seed, "ties", "x"), repetition)
    ones, n = [0] * len(p), [0] * len(p)

    def draw(v):
        ones[v] += (word(word(labels, v), n[v]) >> 11) / 2**53 < q[v]
        n[v] += 1

    for v in range(len(p)):
        for _ in range(initial):
            draw(v)
    for step in range(decisions):
        scores = [index(p[v], ones[v], n[v]) for v in range(len(p))]
        tied = [v for v, s in enumerate(scores) if s >= max(scores) * (1 - 1e-9)]
        draw(tied[(word(ties, step) >> 32) * len(tied) >> 32])
    return abs(sum(w * (h(o / m) - h(x)) for w, x, o, m in zip(p, q, ones, n, strict=True)))


@pytest.mark.parametrize(
    ("policy", "index"),
    [("PROP", lambda p, ones, n: p / n), ("VAR-CP", var_cp)],
)
@pytest.mark.parametrize("p", [(0.25, 0.25, 0.25, 0.25), (0.1, 0.2, 0.3, 0.4)])
def test_same_path_as_a_plain_program(policy, index, p):
    q = (0.5, 0.1, 0.0, 0.02)
    ours = simulate(p, q, policy, [30], 70, seed=5, stream="x")[:, 0]
    plain = [brute_force(index, p, q, 30, repetition, 5) for repetition in range(70)]
    np.testing.assert_allclose(ours, plain, atol=1e-12)


# --- habits ---


def test_more_repetitions_begin_with_the_same_ones():
    few, many = (simulate([0.5, 0.5], [0.1, 0.4], "I-CP", [10, 20], r, seed=2) for r in (33, 200))
    np.testing.assert_array_equal(few, many[:33])


def test_a_checkpoint_does_not_change_the_run():
    long = simulate([0.5, 0.5], [0.1, 0.4], "I-B", [5, 20], 50)
    np.testing.assert_array_equal(long[:, :1], simulate([0.5, 0.5], [0.1, 0.4], "I-B", [5], 50))


def test_order_of_values_does_not_matter_on_average():
    one = simulate([0.7, 0.3], [0.1, 0.4], "I-CP", [40], 20_000, stream="a")
    two = simulate([0.3, 0.7], [0.4, 0.1], "I-CP", [40], 20_000, stream="b")
    assert abs(one.mean() - two.mean()) < 4.5 * math.hypot(one.std(), two.std()) / math.sqrt(20_000)


def test_as_released_hoeffding_decides_as_prop():
    policies = {policy.name: policy for policy in as_released()}
    runs = [simulate([0.4, 0.6], [0.1, 0.4], policies[n], [90], 100) for n in ("PROP", "VAR-H", "I-H", "I-CP")]
    np.testing.assert_array_equal(runs[0], runs[1])
    np.testing.assert_array_equal(runs[0], runs[2])
    assert np.any(runs[0] != runs[3])


def test_as_released_formulas_at_one_point():
    found = {policy.name: policy.index([0.3], [4], [20], 100)[0] for policy in as_released()}
    eps = math.sqrt(2 * 0.16 * 40) / 20 + 7 / 3 * math.log(40) / 19
    assert 0.2 + eps > 0.5 and found["VAR-B"] == pytest.approx(0.3 * 0.5 / 20)
    assert found["I-CP"] == pytest.approx(0.3 * math.sqrt(0.6627434) / 20, rel=1e-6)
    assert found["MAX-H"] == pytest.approx((0.16 + 3 * math.sqrt(math.log(20) / 20)) / 20)
    ends = {policy.name: policy.index([1.0], [0], [30], 100)[0] for policy in as_released()}
    x = 1 - 0.05 ** (1 / 30)  # all of delta on one side
    assert ends["VAR-CP"] == pytest.approx(math.sqrt(x * (1 - x)) / 30)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"p": [0.5, 0.4]}, "sum to 0.9"),
        ({"q": [0.5]}, "same length"),
        ({"q": [0.5, 1.5]}, "between 0 and 1"),
        ({"q": [0.5, float("nan")]}, "between 0 and 1"),
        ({"policy": "BEST"}, "unknown policy"),
        ({"decisions": []}, "decisions"),
        ({"decisions": [5, 3]}, "ascend"),
        ({"repetitions": 0}, "repetitions"),
    ],
)
def test_bad_input(arguments, told):
    with pytest.raises(InvalidInputError, match=told):
        simulate(**{"p": [0.5, 0.5], "q": [0.5, 0.5], "policy": "PROP", "decisions": [5], **arguments})
