"""AFS once more, slowly: written from the paper and the decisions on it, with dictionaries and loops.

Nothing of activefs is imported. Names follow the paper: p_v, q, H, H^l, H^u, F_k, w_I, rho, psi.
Rows are lists of hashable values, labels are class numbers 0 .. C-1.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.stats import beta

Interval = tuple[float, float]

TIE = 1e-9  # two rankings values that differ by less may be taken in either order


# --- one value of one feature ---


def binary_entropy(q: float) -> float:
    return sum(-x * math.log(x) for x in (q, 1 - q) if x > 0)


def entropy(q: Iterable[float]) -> float:
    return sum(-x * math.log(x) for x in q if x > 0)


def g(x: float) -> float:
    if x <= 0 or x >= 1:
        return 0.0
    return math.sqrt(x * (1 - x)) * abs(math.log(x / (1 - x)))


# d/dx of g^2 = x (1-x) L^2 with L = ln(x/(1-x)) vanishes where (1 - 2x) L = -2
PHI: float = brentq(lambda x: (1 - 2 * x) * math.log(x / (1 - x)) + 2, 0.01, 0.3, xtol=1e-16)


def clopper_pearson(ones: int, n: int, delta: float) -> Interval:
    if n == 0:
        return 0.0, 1.0
    low = 0.0 if ones == 0 else float(beta.ppf(delta / 2, ones, n - ones + 1))
    high = 1.0 if ones == n else float(beta.ppf(1 - delta / 2, ones + 1, n - ones))
    return low, high


def ucb_entropy(low: float, high: float) -> float:
    if low <= 0.5 <= high:
        return binary_entropy(0.5)
    return binary_entropy(low) if low > 0.5 else binary_entropy(high)


def lcb_entropy(low: float, high: float) -> float:
    return min(binary_entropy(low), binary_entropy(high))


def ucb_g(low: float, high: float) -> float:
    if low <= PHI <= high or 1 - high <= PHI <= 1 - low:
        return g(PHI)
    return max(g(low), g(high))


# --- three classes: maximum and minimum over the box cut with the simplex, by a grid that zooms in ---


def _entropy_grid(q: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(-np.where(q > 0, q * np.log(q), 0.0).sum(axis=-1))


def _sd_grid(q: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        log = np.where(q > 0, np.log(q), 0.0)
    return np.asarray(np.sqrt(np.maximum((q * log**2).sum(axis=-1) - (q * log).sum(axis=-1) ** 2, 0.0)))


def _grid(window: Sequence[Interval], box: Sequence[Interval], points: int) -> np.ndarray:
    """Points of the window with q_0 + q_1 + q_2 = 1 inside the box."""
    axes = [np.linspace(max(a, low), min(b, h), points) for (a, b), (low, h) in zip(window, box[:2], strict=True)]
    first, second = (a.ravel() for a in np.meshgrid(*axes, indexing="ij"))
    q = np.stack([first, second, 1 - first - second], axis=-1)
    # the third coordinate, exactly on its two bounds
    for bound in box[2]:
        for at in (0, 1):
            edge = np.empty((points, 3))
            edge[:, at], edge[:, 2] = axes[at], bound
            edge[:, 1 - at] = 1 - bound - axes[at]
            q = np.concatenate([q, edge])
    inside = np.all([(q[:, c] >= box[c][0] - 1e-15) & (q[:, c] <= box[c][1] + 1e-15) for c in range(3)], axis=0)
    return np.clip(q[inside], 0.0, 1.0)


def extremum(function: Callable[[np.ndarray], np.ndarray], box: Sequence[Interval], maximise: bool) -> float:
    """The largest (or smallest) value of the function over the box cut with the simplex."""
    sign = 1.0 if maximise else -1.0
    start = _grid([(0.0, 1.0), (0.0, 1.0)], box, 61)
    values = sign * function(start)
    best = values.max()
    for centre in start[np.argsort(-values)[:6]]:
        half, at = 1 / 30, centre
        while half > 1e-13:
            window = [(at[0] - half, at[0] + half), (at[1] - half, at[1] + half)]
            q = _grid(window, box, 11)
            if not len(q):
                break
            found = sign * function(q)
            if found.max() >= best - 1e-3:
                at = q[found.argmax()]
            best = max(best, found.max())
            half *= 0.4
    return float(sign * best)


@cache
def value_of(counts: tuple[int, ...], unseen: float) -> float:
    """Plug-in entropy of one value of a feature."""
    n = sum(counts)
    if n == 0:
        return binary_entropy(unseen) if len(counts) == 2 else entropy([1 / len(counts)] * len(counts))
    return entropy([c / n for c in counts])


@cache
def bounds_of(counts: tuple[int, ...], delta: float) -> tuple[float, float, float]:
    """(H^l, H^u, UCB of g) of one value of a feature."""
    n = sum(counts)
    if len(counts) == 2:
        low, high = clopper_pearson(counts[1], n, delta)
        return lcb_entropy(low, high), ucb_entropy(low, high), ucb_g(low, high)
    assert len(counts) == 3, "the brute force is for two or three classes"
    box = tuple(clopper_pearson(c, n, delta / len(counts)) for c in counts)
    return (
        extremum(_entropy_grid, box, False),
        extremum(_entropy_grid, box, True),
        extremum(_sd_grid, box, True),
    )


def norm(values: Sequence[float], psi: str) -> float:
    if psi == "l1":
        return sum(abs(v) for v in values)
    if psi == "l2":
        return math.sqrt(sum(v * v for v in values))
    return max(abs(v) for v in values)


# --- rankings with ties ---


def smallest_sets(values: Mapping[int, float], k: int) -> list[frozenset[int]]:
    """Every set of k keys of the dict that 'the k smallest' may mean, ties in any order."""
    order = sorted(values.values())
    border = order[k - 1]
    below = [j for j in values if values[j] < border - TIE]
    tied = [j for j in values if abs(values[j] - border) <= TIE]
    return [frozenset(below) | frozenset(more) for more in itertools.combinations(tied, k - len(below))]


def smallest_at_random(values: Mapping[int, float], k: int, rng: np.random.Generator) -> frozenset[int]:
    """One of them, ties broken at random."""
    keys = sorted(values, key=lambda j: (round(values[j], 9), rng.random()))
    return frozenset(keys[:k])


class Reference:
    """The state of the paper's algorithm after some labels."""

    def __init__(
        self,
        rows: Iterable[Iterable[Any]],
        k: int,
        *,
        delta: float = 0.05,
        n_classes: int = 2,
        unseen: float = 0.5,
    ) -> None:
        self.rows = [tuple(r) for r in rows]
        self.m, self.d = len(self.rows), len(self.rows[0])
        self.k, self.delta, self.n_classes, self.unseen = k, delta, n_classes, unseen
        self.labels: dict[int, int] = {}  # row -> class
        self.pending: list[int] = []
        self.values = [sorted({r[j] for r in self.rows}, key=repr) for j in range(self.d)]
        self._p: dict[tuple[int, Any], int] = {}
        for row in self.rows:
            for j, v in enumerate(row):
                self._p[j, v] = self._p.get((j, v), 0) + 1
        self._pairs: dict[tuple[int, int, Any, Any], float] = {}

    # counts

    def p(self, j: int, v: Any) -> float:
        return self._p[j, v] / self.m

    def counts(self, j: int, v: Any) -> tuple[int, ...]:
        """How many labelled rows with x(j) = v are of each class."""
        found = [0] * self.n_classes
        for i, y in self.labels.items():
            if self.rows[i][j] == v:
                found[y] += 1
        return tuple(found)

    def n(self, j: int, v: Any) -> int:
        """Labelled rows with x(j) = v; rows whose label is on its way count too."""
        return sum(self.rows[i][j] == v for i in [*self.labels, *self.pending])

    # estimates

    def H(self, j: int) -> float:
        return sum(self.p(j, v) * value_of(self.counts(j, v), self.unseen) for v in self.values[j])

    def H_low(self, j: int) -> float:
        return sum(self.p(j, v) * bounds_of(self.counts(j, v), self.delta)[0] for v in self.values[j])

    def H_up(self, j: int) -> float:
        return sum(self.p(j, v) * bounds_of(self.counts(j, v), self.delta)[1] for v in self.values[j])

    def sum_of_best(self) -> float:
        return sum(sorted(self.H(j) for j in range(self.d))[: self.k])

    def w(self, j: int) -> dict[Any, float]:
        """w_I of every value of feature j."""
        alpha = {v: self.p(j, v) * bounds_of(self.counts(j, v), self.delta)[2] for v in self.values[j]}
        total = sum(alpha.values())
        return {v: a / total for v, a in alpha.items()}

    # which features

    def contested_sets(self) -> set[frozenset[int]]:
        """Every F = F_k symmetric-difference F~ that ties allow."""
        found = set()
        H = {j: self.H(j) for j in range(self.d)}
        low = {j: self.H_low(j) for j in range(self.d)}
        up = {j: self.H_up(j) for j in range(self.d)}
        for leaders in smallest_sets(H, self.k):
            tilde = {j: up[j] if j in leaders else low[j] for j in range(self.d)}
            for challengers in smallest_sets(tilde, self.k):
                found.add(leaders ^ challengers)
        return found

    def contested_at_random(self, rng: np.random.Generator) -> frozenset[int]:
        """One of them, ties broken at random."""
        leaders = self.leaders_at_random(rng)
        challengers = smallest_at_random(
            {j: self.H_up(j) if j in leaders else self.H_low(j) for j in range(self.d)}, self.k, rng
        )
        return leaders ^ challengers

    def leaders_at_random(self, rng: np.random.Generator) -> frozenset[int]:
        return smallest_at_random({j: self.H(j) for j in range(self.d)}, self.k, rng)

    # the score of rows

    def pool_share(self, j: int, r: int, a: Any, b: Any) -> float:
        key = (j, r, a, b)
        if key not in self._pairs:
            self._pairs[key] = sum(x[j] == a and x[r] == b for x in self.rows) / self.m
        return self._pairs[key]

    def rho(self, j: int, r: int, a: Any, b: Any, floor: str = "labelled") -> float:
        share = self.pool_share(j, r, a, b)
        seen = [*self.labels, *self.pending]
        t = len(seen)
        if t == 0:  # nothing labelled: the ratio with the floor 1/m, or, up to a constant, with 1/t
            return share * self.m
        labelled_share: float = sum(self.rows[i][j] == a and self.rows[i][r] == b for i in seen) / t
        return share / max(labelled_share, 1 / t if floor == "labelled" else 1 / self.m)

    def scores(self, F: Iterable[int], psi: str = "l1", floor: str = "labelled") -> list[float]:
        """Score of every row of the pool for the feature set F."""
        F = sorted(F)
        w = {j: self.w(j) for j in F}
        a = {(j, v): w[j][v] / (self.n(j, v) + 1) for j in F for v in self.values[j]}
        rho: dict[tuple[int, int, Any, Any], float] = {}
        done: dict[tuple[Any, ...], float] = {}
        out = []
        for x in self.rows:
            on_f = tuple(x[j] for j in F)
            if on_f not in done:
                parts = []
                for j in F:
                    ratios = []
                    for r in F:
                        if r == j:
                            continue
                        key = (j, r, x[j], x[r])
                        if key not in rho:
                            rho[key] = self.rho(*key, floor)
                        ratios.append(rho[key])
                    parts.append(a[j, x[j]] * norm(ratios, psi))
                done[on_f] = norm(parts, psi)
            out.append(done[on_f])
        return out

    def single_scores(self, j: int) -> list[float]:
        """w_I / (n + 1) of every row for one feature: SINGLE."""
        w = self.w(j)
        return [w[x[j]] / (self.n(j, x[j]) + 1) for x in self.rows]

    def average_scores(self, F: Iterable[int]) -> list[float]:
        """AVG-SEL for the contested features, AVG-ALL for all."""
        each = [self.single_scores(j) for j in sorted(F)]
        return [sum(s[i] for s in each) / len(each) for i in range(self.m)]

    def free_rows(self, skipped: Iterable[int] = ()) -> list[int]:
        gone = {*self.labels, *self.pending, *skipped}
        return [i for i in range(self.m) if i not in gone]


def safeguard_fires(sums: Sequence[float], span: int | None, tolerance: float) -> bool:
    """Whether, from each of the `span` sums before it to the last sum, the relative change is within the tolerance."""
    if span is None or len(sums) < span + 1:
        return False
    now = sums[-1]
    return all(abs(now - before) <= max(tolerance, 1e-12) * abs(before) + 1e-15 for before in sums[-span - 1 : -1])


def attains_maximum(scores: Sequence[float], row: int, free: Iterable[int], tolerance: float = 1e-9) -> bool:
    return scores[row] >= max(scores[i] for i in free) * (1 - tolerance)


def run(
    rows: Iterable[Iterable[Any]],
    labels: Sequence[int] | np.ndarray,
    k: int,
    budget: int,
    strategy: str,
    rng: np.random.Generator,
    *,
    psi: str = "l1",
    floor: str = "labelled",
    span: int | None = 30,
    tolerance: float = 0.005,
) -> list[frozenset[int]]:
    """The whole algorithm of the paper, or an ablation: the k features that it names after 0, 1, ..., budget labels."""
    reference, at_random = Reference(rows, k), strategy == "random"
    sums: list[float] = []
    named: list[frozenset[int]] = []
    for _ in range(budget):
        named.append(reference.leaders_at_random(rng))
        sums.append(reference.sum_of_best())
        guarded = strategy in ("afs", "avg-sel")
        at_random = at_random or (guarded and safeguard_fires(sums, span, tolerance))
        scores = None
        if not at_random:
            if strategy == "avg-all":
                scores = reference.average_scores(range(reference.d))
            elif strategy == "single":
                scores = reference.single_scores(int(rng.integers(reference.d)))
            else:
                features = reference.contested_at_random(rng)
                if features and strategy == "avg-sel":
                    scores = reference.average_scores(features)
                elif features:
                    scores = reference.scores(features, psi, floor)
        free = reference.free_rows()
        if scores is not None:
            best = max(scores[i] for i in free)
            free = [i for i in free if scores[i] >= best * (1 - 1e-12)]
        row = free[rng.integers(len(free))]
        reference.labels[row] = int(labels[row])
    named.append(reference.leaders_at_random(rng))
    return named


def true_gap(
    rows: Iterable[Iterable[Any]], labels: Sequence[int] | np.ndarray, k: int
) -> Callable[[Iterable[int]], float]:
    """A function of a set of features: sum of true H over it minus that over the best k (decision 14)."""
    truth = Reference(rows, k)
    truth.labels = {i: int(y) for i, y in enumerate(labels)}
    H = [truth.H(j) for j in range(truth.d)]
    best = sum(sorted(H)[:k])
    return lambda features: sum(H[j] for j in features) - best


# --- to compare with ---


def assert_proportional(
    found: Sequence[float] | np.ndarray, expected: Sequence[float] | np.ndarray, rtol: float
) -> None:
    """Scores by the package are the paper's up to a factor."""
    found, expected = np.asarray(found), np.asarray(expected)
    np.testing.assert_allclose(found / found.max(), expected / expected.max(), rtol=rtol)
