"""The paper's experiments: 25 features with uniform q, 95 with fixed q, the 14 features of Adult."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from activefs import datasets
from activefs.exceptions import InvalidInputError

SIZES = (2, 4, 6, 8, 10)
ALPHAS = (0.1, 0.01, 0.001)


@dataclass(frozen=True)
class Experiment:
    """A feature with known probabilities.

    Attributes
    ----------
    name : str
        Unique; names the kept results too.
    group : str
        "uniform", "fixed" or "adult".
    title : str
        How a table shows it.
    p, q : tuple of float
        Probability of each value, and of label 1 given the value.

    Examples
    --------
    >>> Experiment("mine", "uniform", "smoker", p=(0.3, 0.7), q=(0.4, 0.1)).q
    (0.4, 0.1)
    """

    name: str
    group: str
    title: str
    p: tuple[float, ...]
    q: tuple[float, ...]


def uniform_experiments(seed: int = 0) -> list[Experiment]:
    """25 features: five for each number of values, q drawn uniformly from [0, 1/2], equal p.

    q is rounded to two decimals, as in the authors' code, so that a table can show it in full.

    Examples
    --------
    >>> found = uniform_experiments()
    >>> len(found), found[0].name, found[0].q
    (25, 'uniform-02-1', (0.01, 0.49))
    """
    rng = np.random.default_rng([seed, crc32(b"uniform q")])
    found = []
    for size in SIZES:
        for number in range(1, 6):
            q = tuple(np.round(rng.uniform(0.0, 0.5, size), 2).tolist())
            title = ", ".join(f"{x:.2f}" for x in q)
            found.append(Experiment(f"uniform-{size:02d}-{number}", "uniform", title, _equal(size), q))
    return found


def fixed_experiments(seed: int = 0) -> list[Experiment]:
    """95 features: `n` values with q = 1/2 and the rest with q = alpha, equal p.

    n = all values gives the same feature for every alpha and counts once.

    Examples
    --------
    >>> found = fixed_experiments()
    >>> len(found), found[1].name, found[2].title
    (95, 'fixed-02-0.1-0', '1/2 x1, 0.1 x1')
    """
    found = []
    for size in SIZES:
        found.append(_fixed(size, 0.5, 0))
        found += [_fixed(size, alpha, halves) for alpha in ALPHAS for halves in range(size)]
    return found


def _fixed(size: int, alpha: float, halves: int) -> Experiment:
    q = (0.5,) * halves + (alpha,) * (size - halves)
    rest = "1/2" if alpha == 0.5 else f"{alpha:g}"
    parts = [f"1/2 x{halves}"] * (halves > 0) + [f"{rest} x{size - halves}"]
    return Experiment(f"fixed-{size:02d}-{alpha:g}-{halves}", "fixed", ", ".join(parts), _equal(size), q)


def adult_experiments(seed: int = 0) -> list[Experiment]:
    """The 14 features of the Adult data set with their true p and q; needs the data.

    Examples
    --------
    >>> [e.title for e in adult_experiments()][:2]  # doctest: +SKIP
    ['age (10 values)', 'workclass (9 values)']
    """
    adult = datasets.load("ADULT")
    found = []
    for j, feature in enumerate(adult.feature_names):
        counts = np.bincount(adult.X[:, j]).astype(np.float64)
        ones = np.bincount(adult.X[:, j], weights=adult.y, minlength=counts.size)
        seen = counts > 0
        p, q = counts[seen] / counts.sum(), ones[seen] / counts[seen]
        name, title = f"adult-{j + 1:02d}-{feature}", f"{feature} ({p.size} values)"
        found.append(Experiment(name, "adult", title, tuple(p.tolist()), tuple(q.tolist())))
    return found


def _equal(size: int) -> tuple[float, ...]:
    return (1.0 / size,) * size


GROUPS: dict[str, Callable[[int], list[Experiment]]] = {
    "uniform": uniform_experiments,
    "fixed": fixed_experiments,
    "adult": adult_experiments,
}
"""Sets of experiments by name; a new set is a function and one line here."""


def check_groups(names: Iterable[str]) -> list[str]:
    """Return the names of sets of experiments, each once, in the order of `GROUPS`.

    Examples
    --------
    >>> check_groups(["fixed", "uniform"])
    ['uniform', 'fixed']
    """
    given = [name.strip() for name in names if name.strip()]
    unknown = [name for name in given if name not in GROUPS]
    if unknown:
        raise InvalidInputError(f"unknown experiments {', '.join(map(repr, unknown))}; there are: {', '.join(GROUPS)}")
    if not given:
        raise InvalidInputError(f"no experiments were named; there are: {', '.join(GROUPS)}")
    return [name for name in GROUPS if name in given]
