"""Nearest neighbours among the rows of one matrix."""

from __future__ import annotations

from activefs._kernels.jit import kernel
from activefs.types import Ints, Matrix


@kernel
def _insert(row: int, other: int, distance: float, distances: Matrix, neighbours: Ints) -> None:
    """Put a neighbour where it belongs among those of a row, nearest first; the last one drops out."""
    p = distances.shape[1] - 1
    while p > 0 and distances[row, p - 1] > distance:
        distances[row, p] = distances[row, p - 1]
        neighbours[row, p] = neighbours[row, p - 1]
        p -= 1
    distances[row, p] = distance
    neighbours[row, p] = other


@kernel
def keep_nearest(block: Matrix, first: int, second: int, farthest: Matrix, distances: Matrix, neighbours: Ints) -> None:
    """Update the nearest neighbours of two ranges of rows by the distances between them.

    ``block[i, j]`` is the distance of rows ``first + i`` and ``second + j``. A range that meets itself
    (``first == second``) is read above the diagonal only. ``farthest`` has the distance of each row's last
    neighbour, next to each other because it is compared with every distance. Of equally near rows, those that come
    first in the table are kept, if blocks come in the order of the rows.
    """
    last = distances.shape[1] - 1
    for i in range(block.shape[0]):
        row = first + i
        limit = farthest[row]
        for j in range(i + 1 if first == second else 0, block.shape[1]):
            distance = block[i, j]
            other = second + j
            if distance < max(limit, farthest[other]):
                if distance < limit:
                    _insert(row, other, distance, distances, neighbours)
                    limit = distances[row, last]
                if distance < farthest[other]:
                    _insert(other, row, distance, distances, neighbours)
                    farthest[other] = distances[other, last]
        farthest[row] = limit
