"""Views: the rows of a pool as short vectors, in several ways, all made without a single label.

In each view a logistic regression is easy to fit and its evidence easy to compute. Which view suits a table shows
as labels arrive.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh
from sklearn.utils.extmath import randomized_svd

from activefs.model._graph import NEIGHBOURS, nearest, smooth_functions
from activefs.types import Ints, Matrix

_COMPONENTS = 50
_FEW_COMPONENTS = 20  # for the smooth kernels, which need no more
_LANDMARKS = 400
_RANK = 100
_WIDTHS = (1.0, 1.4, 2.0)  # of the Gaussian kernels; the mean square of a row is 1
_POWERS = (2, 8, 32)  # steps of the random walk on the graph of neighbours
_VARIANCES = (4.0, 16.0, 64.0, 256.0)


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
    """All views of the same rows.

    - ``components``, ``directions``: leading principal components of the rows, and of the rows scaled to equal
      length, which is better where rows differ in length as texts do;
    - ``balanced``: directions after columns that vary little were given more weight, as rare words deserve;
    - ``smooth``: functions of these components that vary slowly (Gaussian kernels of several widths, through the
      leading eigenvectors of their matrix on some rows);
    - ``neighbours``: functions that are nearly constant among neighbouring rows, which are those of similar direction,
      with columns as they are or (``even``) scaled to equal variance;
    - ``cells``: one column per value of every feature, if those are few.

    Parameters
    ----------
    design : array of shape (M, p)
        The rows as numbers.
    cells : array of shape (M, c), optional
        One indicator per value of every feature.
    rng : Generator
        Draws landmarks and starting points.
    """

    def __init__(self, design: Matrix, cells: Matrix | None, rng: np.random.Generator) -> None:
        self._level = _levelled(design)
        components, directions = _components(_scaled(design), rng), _components(_scaled(self._level), rng)
        self.all = [
            *_neighbour_views("neighbours", directions, rng),
            View("components", _with_one(components), _VARIANCES),
            View("directions", _with_one(directions), _VARIANCES),
            *_smooth_views("smooth components", components, rng),
            *_smooth_views("smooth directions", directions, rng),
        ]
        balanced = _components(_scaled(_levelled(_weighted(design, 0.5))), rng)
        even = _components(_scaled(_levelled(_weighted(design, 1.0))), rng)
        self.all += [
            View("balanced", _with_one(balanced), _VARIANCES),
            *_smooth_views("smooth balanced", balanced, rng),
            *_neighbour_views("even neighbours", even, rng),
        ]
        if cells is not None:
            self.all.append(View("cells", _with_one(_scaled(cells)), _VARIANCES))

    def nearest(self, design: Matrix) -> Ints:
        """Rows that resemble the given ones most: what is known of those serves for rows that came later."""
        return nearest(_levelled(design), self._level, min(NEIGHBOURS, len(self._level)))


def _weighted(design: Matrix, power: float) -> Matrix:
    """Divide every column by a power of its standard deviation; 1 makes all columns vary alike."""
    spread = design.std(axis=0, dtype=np.float64)
    return np.asarray(design / np.where(spread > 0, spread, 1.0) ** power, dtype=np.float32)


def _levelled(design: Matrix) -> Matrix:
    """Scale every row to length 1."""
    lengths = np.sqrt(np.einsum("ij,ij->i", design, design))
    return np.asarray(design / np.where(lengths > 0, lengths, 1.0)[:, None], dtype=np.float32)


def _scaled(rows: Matrix) -> Matrix:
    """Centre the columns, and scale everything so that the mean square length of a row is 1."""
    centred = rows - rows.mean(axis=0)
    size = np.sqrt(np.einsum("ij,ij->", centred, centred, dtype=np.float64) / len(rows))
    return np.asarray(centred / (size if size > 0 else 1.0), dtype=np.float32)


def _with_one(vectors: Matrix) -> Matrix:
    return np.hstack([vectors, np.ones((len(vectors), 1), dtype=np.float32)])


def _components(rows: Matrix, rng: np.random.Generator) -> Matrix:
    """Leading principal components of centred rows, the largest first."""
    if rows.shape[1] <= _COMPONENTS:
        _, axes = eigh((rows.T @ rows).astype(np.float64))
        return np.asarray(rows @ axes[:, ::-1].astype(np.float32))
    n = min(_COMPONENTS, len(rows))
    left, size, _ = randomized_svd(rows, n, n_iter=3, random_state=int(rng.integers(2**31)))
    return _scaled(left * size)


def _neighbour_views(name: str, points: Matrix, rng: np.random.Generator) -> list[View]:
    if len(points) < 3:
        return []
    functions, smoothness = smooth_functions(points, min(_COMPONENTS, len(points) - 1), rng)
    variances = tuple(4 * v for v in _VARIANCES)
    return [
        View(f"{name} {power}", _with_one(_scaled(functions * (smoothness**power).astype(np.float32))), variances)
        for power in _POWERS
    ]


def _smooth_views(name: str, components: Matrix, rng: np.random.Generator) -> list[View]:
    few = _scaled(components[:, :_FEW_COMPONENTS])
    marks = few[np.sort(rng.permutation(len(few))[:_LANDMARKS])]
    views = []
    for width in _WIDTHS:
        size, vectors = eigh(_gaussian(marks, marks, width).astype(np.float64))
        kept = np.flatnonzero(size > 1e-6)[::-1][:_RANK]
        basis = (vectors[:, kept] / np.sqrt(size[kept])).astype(np.float32)
        views.append(View(f"{name} {width:g}", _with_one(_gaussian(few, marks, width) @ basis), _VARIANCES[1:]))
    return views


def _gaussian(a: Matrix, b: Matrix, width: float) -> Matrix:
    squares = np.einsum("ij,ij->i", a, a)[:, None] + np.einsum("ij,ij->i", b, b)[None, :] - 2.0 * (a @ b.T)
    return np.asarray(np.exp(np.maximum(squares, 0.0) / (-2.0 * width * width)), dtype=np.float32)
