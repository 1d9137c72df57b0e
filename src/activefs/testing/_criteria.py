"""What every criterion must do, checked on class distributions and confidence boxes."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np

from activefs.criteria import Criterion, delta_per_class
from activefs.intervals import ClopperPearson
from activefs.types import Floats

# Class counts whose confidence boxes the bounds are checked on.
COUNTS = [
    (0, 0, 0),
    (1, 0, 0),
    (1, 1, 0),
    (2, 1, 1),
    (5, 0, 0),
    (9, 3, 0),
    (20, 1, 1),
    (7, 7, 7),
    (60, 30, 10),
    (90, 5, 5),
]


class CriterionContract:
    """Checks of one criterion; name it as the class attribute `criterion` of a subclass."""

    criterion: Criterion

    def samples(self, classes: int, count: int = 200) -> Floats:
        """Class distributions of all kinds, from even to nearly certain ones.

        Parameters
        ----------
        classes : int
            Number of classes.
        count : int
            How many of each kind.
        """
        rng = np.random.default_rng(classes)
        return np.concatenate([rng.dirichlet(np.full(classes, a), size=count) for a in (0.2, 1.0, 10.0)])

    def box(self, counts: tuple[int, ...], delta: float = 0.05) -> tuple[Floats, Floats]:
        """Confidence box of some class counts: one Clopper-Pearson interval per class.

        Parameters
        ----------
        counts : tuple of int
            Labels of each class.
        delta : float
            Confidence parameter.
        """
        n = np.asarray(counts)
        return ClopperPearson().bounds(n, int(n.sum()), delta_per_class(delta, n.size))

    def grid(self, lower: Floats, upper: Floats, points: int = 241) -> Floats:
        """Points of the simplex of three classes inside a box, its edges included.

        Parameters
        ----------
        lower, upper : array of float, shape (3,)
            The box.
        points : int
            How many along each side.
        """
        a, b = (np.linspace(lo, hi, points) for lo, hi in zip(lower[:2], upper[:2], strict=True))
        first, second = (x.ravel() for x in np.meshgrid(a, b))
        found = [np.stack([first, second, 1 - first - second], axis=-1)]
        for c in (lower[2], upper[2]):
            found += [
                np.stack([a, 1 - a - c, np.full(points, c)], -1),
                np.stack([1 - b - c, b, np.full(points, c)], -1),
            ]
        q = np.concatenate(found)
        inside: Floats = q[np.all((q >= lower - 1e-12) & (q <= upper + 1e-12), axis=1)]
        return np.clip(inside, 0, 1)

    # --- the value ---

    def test_value_is_symmetric_in_the_classes(self) -> None:
        """The order of the classes does not matter, for the value nor for its spread."""
        for q in self.samples(3, 10):
            for order in permutations(range(3)):
                np.testing.assert_allclose(self.criterion.value(q[list(order)]), self.criterion.value(q), atol=1e-12)
                np.testing.assert_allclose(self.criterion.spread(q[list(order)]), self.criterion.spread(q), atol=1e-12)

    def test_value_is_zero_where_a_class_is_certain(self) -> None:
        """At the corners of the simplex nothing is uncertain."""
        for classes in (2, 3, 6):
            np.testing.assert_allclose(self.criterion.value(np.eye(classes)), 0, atol=1e-12)
            np.testing.assert_allclose(self.criterion.spread(np.eye(classes)), 0, atol=1e-12)

    def test_value_is_concave_and_largest_where_all_classes_are_alike(self) -> None:
        """Mixing distributions never lowers the value."""
        for classes in (2, 3, 6):
            q = self.samples(classes)
            r = q[::-1]
            ends = (self.criterion.value(q) + self.criterion.value(r)) / 2
            assert np.all(self.criterion.value((q + r) / 2) >= ends - 1e-12)
            assert np.all(self.criterion.value(q) <= self.criterion.value(np.full(classes, 1 / classes)) + 1e-12)
            assert np.all(self.criterion.value(q) >= -1e-12)

    # --- what chance gives ---

    def test_expected_value_is_the_mean_over_all_choices_of_rows(self) -> None:
        """All ways of choosing some of eight rows; where nothing is known in closed form, about that."""
        for labels, tolerance in (((0, 0, 0, 0, 0, 1, 1, 1), 1e-10), ((0, 0, 0, 1, 1, 1, 2, 2), 0.03)):
            counts = np.bincount(labels)
            sizes = np.arange(1, len(labels) + 1)
            by_hand = [
                np.mean(
                    [float(self.criterion.value(_shares(chosen, counts.size))) for chosen in combinations(labels, a)]
                )
                for a in sizes.tolist()
            ]
            found = self.criterion.expected_value(sizes, counts)
            np.testing.assert_allclose(found, by_hand, rtol=0, atol=tolerance)

    def test_expected_value_of_one_row_is_0_and_of_all_rows_theirs(self) -> None:
        """One row has one class; all rows are all rows."""
        counts = np.array([30, 12])
        one, every = self.criterion.expected_value(np.array([1, 42]), counts)
        np.testing.assert_allclose([one, every], [0, float(self.criterion.value(counts / 42))], atol=1e-10)

    # --- the spread ---

    def test_spread_is_that_of_the_delta_method(self) -> None:
        """Standard deviation under q of the value's partial derivatives, which are taken numerically."""
        for classes in (2, 3, 5):
            q = self.samples(classes, 40)
            q = q[q.min(axis=1) > 0.01]
            step = 1e-6
            slope = np.stack(
                [
                    (self.criterion.value(q + step * e) - self.criterion.value(q - step * e)) / (2 * step)
                    for e in np.eye(classes)
                ],
                axis=-1,
            )
            mean = (q * slope).sum(axis=-1, keepdims=True)
            expected = np.sqrt((q * (slope - mean) ** 2).sum(axis=-1))
            np.testing.assert_allclose(self.criterion.spread(q), expected, rtol=1e-4, atol=1e-6)

    def test_phi_is_where_the_spread_of_two_classes_peaks(self) -> None:
        """The spread rises up to phi, falls to 1/2, and is symmetric around 1/2."""
        phi = self.criterion.phi
        assert 0 < phi < 0.5
        rising = self.criterion.binary_spread(np.linspace(0, phi, 300))
        falling = self.criterion.binary_spread(np.linspace(phi, 0.5, 300))
        assert np.all(np.diff(rising) > -1e-13)
        assert np.all(np.diff(falling) < 1e-13)
        x = np.linspace(0, 1, 101)
        np.testing.assert_allclose(self.criterion.binary_spread(x), self.criterion.binary_spread(1 - x), atol=1e-12)

    # --- two classes are the general case ---

    def test_closed_forms_of_two_classes_equal_the_general_ones(self) -> None:
        """Value, spread, bounds and the spread's upper bound, for intervals of all counts up to 12."""
        x = np.linspace(0, 1, 201)
        both = np.stack([1 - x, x], axis=-1)
        np.testing.assert_allclose(self.criterion.binary_value(x), self.criterion.value(both), atol=1e-12)
        np.testing.assert_allclose(self.criterion.binary_spread(x), self.criterion.spread(both), atol=1e-12)
        n, ones = np.tril_indices(13)
        low, high = ClopperPearson().bounds(ones, n, 0.05)
        lower, upper = np.stack([1 - high, low], -1), np.stack([1 - low, high], -1)
        for closed, general in zip(
            (*self.criterion.binary_bounds(low, high), self.criterion.binary_spread_upper(low, high)),
            (*self.criterion.bounds(lower, upper), self.criterion.spread_upper(lower, upper)),
            strict=True,
        ):
            np.testing.assert_allclose(general, closed, rtol=0, atol=1e-12)

    # --- bounds over a box ---

    def test_bounds_hold_the_value_of_every_point_of_the_box_and_are_attained(self) -> None:
        """Three classes, against a fine grid."""
        for counts in COUNTS:
            lower, upper = self.box(counts)
            smallest, largest = (float(b[0]) for b in self.criterion.bounds(lower[None], upper[None]))
            values = self.criterion.value(self.grid(lower, upper))
            assert smallest - 1e-12 <= values.min() <= smallest + 0.01
            assert largest - 0.001 <= values.max() <= largest + 1e-12

    def test_spread_upper_holds_the_spread_of_every_point_of_the_box_and_is_attained(self) -> None:
        """Three classes, against a fine grid."""
        for counts in COUNTS:
            lower, upper = self.box(counts)
            largest = float(self.criterion.spread_upper(lower[None], upper[None])[0])
            spreads = self.criterion.spread(self.grid(lower, upper))
            assert largest - 0.002 <= spreads.max() <= largest + 1e-10, counts

    def test_bounds_of_many_classes_hold_random_points(self) -> None:
        """Four to eight classes: points of the box, found by moving mass between pairs of classes."""
        rng = np.random.default_rng(0)
        for classes in (4, 5, 8):
            for _ in range(6):
                counts = tuple(
                    int(c) for c in rng.multinomial(rng.integers(1, 80), rng.dirichlet(np.full(classes, 0.7)))
                )
                lower, upper = self.box(counts)
                q = _walk(lower, upper, rng, 2000)
                smallest, largest = (float(b[0]) for b in self.criterion.bounds(lower[None], upper[None]))
                widest = float(self.criterion.spread_upper(lower[None], upper[None])[0])
                assert smallest - 1e-12 <= self.criterion.value(q).min()
                assert self.criterion.value(q).max() <= largest + 1e-12
                assert self.criterion.spread(q).max() <= widest + 1e-10, counts

    def test_the_order_of_the_classes_does_not_matter_for_bounds(self) -> None:
        """A box with its classes in another order has the same bounds."""
        lower, upper = self.box((9, 3, 0))
        expected = [
            *self.criterion.bounds(lower[None], upper[None]),
            self.criterion.spread_upper(lower[None], upper[None]),
        ]
        for order in permutations(range(3)):
            at = list(order)
            low, high = lower[None, at], upper[None, at]
            found = [*self.criterion.bounds(low, high), self.criterion.spread_upper(low, high)]
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def _shares(labels: tuple[int, ...], classes: int) -> Floats:
    return np.bincount(labels, minlength=classes) / len(labels)


def _walk(lower: Floats, upper: Floats, rng: np.random.Generator, steps: int) -> Floats:
    """Points of a box cut with the simplex: a random walk, half of whose steps go as far as they can."""
    room = (1 - lower.sum()) / (upper - lower).sum()
    q = lower + room * (upper - lower)
    points = [q]
    for _ in range(steps):
        a, b = rng.choice(q.size, size=2, replace=False)
        most = min(upper[a] - q[a], q[b] - lower[b])
        move = most * (1.0 if rng.random() < 0.5 else rng.random())
        q = q.copy()
        q[a] += move
        q[b] -= move
        q = np.clip(q, lower, upper)  # rounding must not lead out of the box
        points.append(q)
    return np.asarray(points)
