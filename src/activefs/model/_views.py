"""Views: the rows of a pool as short vectors, in several ways, all made without a single label.

In each view a logistic regression is easy to fit and its log evidence easy to compute. Which view suits a table shows
as labels arrive.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import eigh

from activefs.model._graph import NEIGHBOURS, smooth_functions
from activefs.types import Ints, Matrix

VERSION = 2
"""Raised whenever the same rows would give other vectors: prepared views are kept on disk."""
_COMPONENTS = 50
_FEW_COMPONENTS = 20  # for the smooth kernels, which need no more
_POWER_ITERATIONS = 3
_LANDMARKS = 400
_RANK = 100
_SMALLEST_EIGENVALUE = 1e-6
_WIDTHS = (1.0, 1.4, 2.0)  # of the Gaussian kernels; the mean square of a row is 1
_STEPS = (2, 8, 32)  # of the random walk on the graph of neighbours
_VARIANCES = (4.0, 16.0, 64.0, 256.0)
_MOST_CELLS = 300  # one column per value of every feature is a view of its own up to this many


@dataclass(frozen=True, eq=False)
class View:
    """Vectors of all rows, and the prior variances to try with them.

    Attributes
    ----------
    name : str
        What the vectors are.
    vectors : array of shape (M, r)
        One per row; the last entry is 1.
    variances : tuple of float
        Of the prior of the weights.
    """

    name: str
    vectors: Matrix
    variances: tuple[float, ...]


class Views:
    """All views of the same rows, and a way to find the rows among them that resemble others.

    Parameters
    ----------
    design : array of shape (M, p)
        The rows as numbers.
    all : list of View
        What `prepare` made of them.
    """

    def __init__(self, design: Matrix, all: list[View]) -> None:
        self._design = design
        self.all = all

    def nearest(self, design: Matrix) -> Ints:
        """Return the rows that resemble each of the given ones most: what is known of those serves for others."""
        return np.asarray(self._neighbours.kneighbors(_row_normalised(design), return_distance=False), dtype=np.int64)

    @cached_property
    def _neighbours(self) -> Any:
        from sklearn.neighbors import NearestNeighbors

        n = min(NEIGHBOURS, len(self._design))
        return NearestNeighbors(n_neighbors=n, algorithm="brute").fit(_row_normalised(self._design))


def prepare(design: Matrix, indicators: Matrix | None) -> list[View]:
    """Make all views of some rows: a function of these rows only, whatever the seed of a session.

    - ``components``, ``directions``: leading principal components of the rows, and of the row-normalised rows, which
      are better where rows differ in length as texts do;
    - ``balanced``: directions after columns that vary little were given more weight, as rare words deserve;
    - ``smooth``: functions of these components that vary slowly (leading components of Gaussian kernels of several
      widths, whose matrix is known on some rows, the landmarks);
    - ``neighbours``: functions that are nearly constant among neighbouring rows, which are those of similar direction,
      with columns as they are or (``even``) scaled to equal variance;
    - ``cells``: one column per value of every feature, if those are few;
    - ``values``: components, smooth functions and neighbours of these columns, rare values with more weight, in which
      numbers count as names. Whether the order of a feature's codes means anything need not be known: views of both
      kinds compete.

    Parameters
    ----------
    design : array of shape (M, p)
        The rows as numbers.
    indicators : array of shape (M, c), optional
        One column per value of every feature, 1 where a row has it. It is used up.
    """
    rng = np.random.default_rng(0)  # draws landmarks and starting points
    spread = design.std(axis=0)
    spread[np.ptp(design, axis=0) == 0] = 1.0
    components, directions = _components(design, rng), _components(_row_normalised(design), rng)
    views = [
        *_neighbour_views("neighbours", directions, rng),
        View("components", _with_one(components), _VARIANCES),
        View("directions", _with_one(directions), _VARIANCES),
        *_smooth_views("smooth components", components, rng),
        *_smooth_views("smooth directions", directions, rng),
    ]
    balanced = _components(_row_normalised(design / np.sqrt(spread)), rng)
    even = _components(_row_normalised(design / spread), rng)
    views += [
        View("balanced", _with_one(balanced), _VARIANCES),
        *_smooth_views("smooth balanced", balanced, rng),
        *_neighbour_views("even neighbours", even, rng),
    ]
    if indicators is None:
        return views
    if indicators.shape[1] <= _MOST_CELLS:
        views.append(View("cells", _with_one(_standardised(indicators)), _VARIANCES))
    root = np.sqrt(indicators.std(axis=0))
    root[root == 0] = 1.0  # a value that none of the sampled rows has
    np.divide(indicators, root, out=indicators)  # it may be large: no copy
    values = _components(indicators, rng)
    return [
        *views,
        View("values", _with_one(values), _VARIANCES),
        *_smooth_views("smooth values", values, rng),
        *_neighbour_views("value neighbours", values, rng),
    ]


def _row_normalised(design: Matrix) -> Matrix:
    """Scale every row to length 1."""
    from sklearn.preprocessing import normalize

    return np.asarray(normalize(design))


def _standardised(vectors: Matrix) -> Matrix:
    """Centre the columns, and scale all of them alike, so that the mean square length of a row is 1."""
    centred = vectors - vectors.mean(axis=0)
    size = np.sqrt(np.vdot(centred, centred) / len(vectors))
    return np.asarray(centred / (size if size > 0 else 1.0), dtype=np.float32)


def _with_one(vectors: Matrix) -> Matrix:
    return np.hstack([vectors, np.ones((len(vectors), 1), dtype=np.float32)])


def _components(rows: Matrix, rng: np.random.Generator) -> Matrix:
    """Leading principal components, the largest first."""
    from sklearn.decomposition import PCA

    found = PCA(min(_COMPONENTS, *rows.shape), iterated_power=_POWER_ITERATIONS, random_state=int(rng.integers(2**31)))
    with np.errstate(invalid="ignore"):  # rows that are all alike explain 0 of 0
        return _standardised(found.fit_transform(rows))


def _neighbour_views(name: str, points: Matrix, rng: np.random.Generator) -> list[View]:
    if len(points) < 3:
        return []
    functions, smoothness = smooth_functions(points, min(_COMPONENTS, len(points) - 1), rng)
    variances = tuple(4 * v for v in _VARIANCES)
    return [
        View(f"{name} {steps}", _with_one(_standardised(functions * (smoothness**steps).astype(np.float32))), variances)
        for steps in _STEPS
    ]


def _smooth_views(name: str, components: Matrix, rng: np.random.Generator) -> list[View]:
    """Nystrom's approximation of Gaussian kernels, as far as its leading eigenvectors.

    scikit-learn's Nystroem keeps all eigenvectors and its KernelPCA centres the kernel: both take longer.
    """
    from sklearn.metrics.pairwise import euclidean_distances

    few = _standardised(components[:, :_FEW_COMPONENTS])
    landmarks = np.sort(rng.permutation(len(few))[:_LANDMARKS])
    squares = euclidean_distances(few, few[landmarks], squared=True)
    kernel = np.empty_like(squares)
    views = []
    for width in _WIDTHS:
        np.exp(np.multiply(squares, -0.5 / (width * width), out=kernel), out=kernel)
        values, axes = eigh(kernel[landmarks].astype(np.float64))
        kept = np.flatnonzero(values > _SMALLEST_EIGENVALUE)[::-1][:_RANK]
        vectors = kernel @ (axes[:, kept] / np.sqrt(values[kept])).astype(np.float32)
        views.append(View(f"{name} {width:g}", _with_one(vectors), _VARIANCES[1:]))
    return views
