"""AFS once more, slowly: written from the paper and the decisions on it, with dictionaries and loops.

Nothing of activefs is imported. Names follow the paper: p_v, q, H, H^l, H^u, F_k, w_I, rho, psi.
Rows are lists of hashable values, labels are class numbers 0 .. C-1.
"""

import itertools
import math
from functools import cache

import numpy as np
from scipy.optimize import brentq
from scipy.stats import beta

TIE = 1e-9  # two rankings values that differ by less may be taken in either order


# --- one value of one feature ---


def binary_entropy(q):
    return sum(-x * math.log(x) for x in (q, 1 - q) if x > 0)


def entropy(q):
    return sum(-x * math.log(x) for x in q if x > 0)


def g(x):
    if x <= 0 or x >= 1:
        return 0.0
    return math.sqrt(x * (1 - x)) * abs(math.log(x / (1 - x)))


# d/dx of g^2 = x (1-x) L^2 with L = ln(x/(1-x)) vanishes where (1 - 2x) L = -2
PHI = brentq(lambda x: (1 - 2 * x) * math.log(x / (1 - x)) + 2, 0.01, 0.3, xtol=1e-16)


def clopper_pearson(ones, n, delta):
    if n == 0:
        return 0.0, 1.0
    low = 0.0 if ones == 0 else float(beta.ppf(delta / 2, ones, n - ones + 1))
    high = 1.0 if ones == n else float(beta.ppf(1 - delta / 2, ones + 1, n - ones))
    return low, high


def ucb_entropy(low, high):
    if low <= 0.5 <= high:
        return binary_entropy(0.5)
    return binary_entropy(low) if low > 0.5 else binary_entropy(high)


def lcb_entropy(low, high):
    return min(binary_entropy(low), binary_entropy(high))


def ucb_g(low, high):
    if low <= PHI <= high or 1 - high <= PHI <= 1 - low:
        return g(PHI)
    return max(g(low), g(high))


# --- three classes: maximum and minimum over the box cut with the simplex, by a grid that zooms in ---


def _entropy_grid(q):
    with np.errstate(divide="ignore", invalid="ignore"):
        return -np.where(q > 0, q * np.log(q), 0.0).sum(axis=-1)


def _sd_grid(q):
    with np.errstate(divide="ignore", invalid="ignore"):
        log = np.where(q > 0, np.log(q), 0.0)
    return np.sqrt(np.maximum((q * log**2).sum(axis=-1) - (q * log).sum(axis=-1) ** 2, 0.0))


def _grid(window, box, points):
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


def extremum(function, box, maximise):
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
def value_of(counts, unseen):
    """Plug-in entropy of one value of a feature."""
    n = sum(counts)
    if n == 0:
        return binary_entropy(unseen) if len(counts) == 2 else entropy([1 / len(counts)] * len(counts))
    return entropy([c / n for c in counts])


@cache
def bounds_of(counts, delta):
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


def norm(values, psi):
    if psi == "l1":
        return sum(abs(v) for v in values)
    if psi == "l2":
        return math.sqrt(sum(v * v for v in values))
    return max(abs(v) for v in values)


# --- rankings with ties ---


def smallest_sets(values, k):
    """Every set of k keys of the dict that 'the k smallest' may mean, ties in any order."""
    order = sorted(values.values())
    border = order[k - 1]
    below = [j for j in values if values[j] < border - TIE]
    tied = [j for j in values if abs(values[j] - border) <= TIE]
    return [frozenset(below) | frozenset(more) for more in itertools.combinations(tied, k - len(below))]


def smallest_at_random(values, k, rng):
    """One of them, ties broken at random."""
    keys = sorted(values, key=lambda j: (round(values[j], 9), rng.random()))
    return frozenset(keys[:k])


class Reference:
    """The state of the paper's algorithm after some labels."""

    def __init__(self, rows, k, *, delta=0.05, n_classes=2, unseen=0.5):
        self.rows = [tuple(r) for r in rows]
        self.m, self.d = len(self.rows), len(self.rows[0])
        self.k, self.delta, self.n_classes, self.unseen = k, delta, n_classes, unseen
        self.labels = {}  # row -> class
        self.pending = []
        self.values = [sorted({r[j] for r in self.rows}, key=repr) for j in range(self.d)]
        self._p = {}
        for row in self.rows:
            for j, v in enumerate(row):
                self._p[j, v] = self._p.get((j, v), 0) + 1
        self._pairs = {}

    # counts

    def p(self, j, v):
        return self._p[j, v] / self.m

    def counts(self, j, v):
        """How many labelled rows with x(j) = v are of each class."""
        found = [0] * self.n_classes
        for i, y in self.labels.items():
            if self.rows[i][j] == v:
                found[y] += 1
        return tuple(found)

    def n(self, j, v):
        """Labelled rows with x(j) = v; rows whose label is on its way count too."""
        return sum(self.rows[i][j] == v for i in [*self.labels, *self.pending])

    # estimates

    def H(self, j):
        return sum(self.p(j, v) * value_of(self.counts(j, v), self.unseen) for v in self.values[j])

    def H_low(self, j):
        return sum(self.p(j, v) * bounds_of(self.counts(j, v), self.delta)[0] for v in self.values[j])

    def H_up(self, j):
        return sum(self.p(j, v) * bounds_of(self.counts(j, v), self.delta)[1] for v in self.values[j])

    def sum_of_best(self):
        return sum(sorted(self.H(j) for j in range(self.d))[: self.k])

    def w(self, j):
        """w_I of every value of feature j."""
        alpha = {v: self.p(j, v) * bounds_of(self.counts(j, v), self.delta)[2] for v in self.values[j]}
        total = sum(alpha.values())
        return {v: a / total for v, a in alpha.items()}

    # which features

    def contested_sets(self):
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

    def contested_at_random(self, rng):
        """One of them, ties broken at random."""
        leaders = self.leaders_at_random(rng)
        challengers = smallest_at_random(
            {j: self.H_up(j) if j in leaders else self.H_low(j) for j in range(self.d)}, self.k, rng
        )
        return leaders ^ challengers

    def leaders_at_random(self, rng):
        return smallest_at_random({j: self.H(j) for j in range(self.d)}, self.k, rng)

    # the score of rows

    def pool_share(self, j, r, a, b):
        key = (j, r, a, b)
        if key not in self._pairs:
            self._pairs[key] = sum(x[j] == a and x[r] == b for x in self.rows) / self.m
        return self._pairs[key]

    def rho(self, j, r, a, b, floor="labelled"):
        share = self.pool_share(j, r, a, b)
        seen = [*self.labels, *self.pending]
        t = len(seen)
        if t == 0:  # nothing labelled: the ratio with the floor 1/m, or, up to a constant, with 1/t
            return share * self.m
        labelled_share = sum(self.rows[i][j] == a and self.rows[i][r] == b for i in seen) / t
        return share / max(labelled_share, 1 / t if floor == "labelled" else 1 / self.m)

    def scores(self, F, psi="l1", floor="labelled"):
        """Score of every row of the pool for the feature set F."""
        F = sorted(F)
        w = {j: self.w(j) for j in F}
        a = {(j, v): w[j][v] / (self.n(j, v) + 1) for j in F for v in self.values[j]}
        rho, done, out = {}, {}, []
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

    def single_scores(self, j):
        """w_I / (n + 1) of every row for one feature: SINGLE."""
        w = self.w(j)
        return [w[x[j]] / (self.n(j, x[j]) + 1) for x in self.rows]

    def average_scores(self, F):
        """AVG-SEL for the contested features, AVG-ALL for all."""
        each = [self.single_scores(j) for j in sorted(F)]
        return [sum(s[i] for s in each) / len(each) for i in range(self.m)]

    def free_rows(self, skipped=()):
        gone = {*self.labels, *self.pending, *skipped}
        return [i for i in range(self.m) if i not in gone]


def safeguard_fires(sums, span, tolerance):
    """Whether, from each of the `span` sums before it to the last sum, the relative change is within the tolerance."""
    if span is None or len(sums) < span + 1:
        return False
    now = sums[-1]
    return all(abs(now - before) <= max(tolerance, 1e-12) * abs(before) + 1e-15 for before in sums[-span - 1 : -1])


def attains_maximum(scores, row, free, tolerance=1e-9):
    return scores[row] >= max(scores[i] for i in free) * (1 - tolerance)


def run(rows, labels, k, budget, strategy, rng, *, psi="l1", floor="labelled", span=30, tolerance=0.005):
    """The whole algorithm of the paper, or an ablation: the k features that it names after 0, 1, ..., budget labels."""
    reference, sums, named, at_random = Reference(rows, k), [], [], strategy == "random"
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


def true_gap(rows, labels, k):
    """A function of a set of features: sum of true H over it minus that over the best k (decision 14)."""
    truth = Reference(rows, k)
    truth.labels = {i: int(y) for i, y in enumerate(labels)}
    H = [truth.H(j) for j in range(truth.d)]
    best = sum(sorted(H)[:k])
    return lambda features: sum(H[j] for j in features) - best


# --- to compare with ---


def assert_proportional(found, expected, rtol):
    """Scores by the package are the paper's up to a factor."""
    found, expected = np.asarray(found), np.asarray(expected)
    np.testing.assert_allclose(found / found.max(), expected / expected.max(), rtol=rtol)
