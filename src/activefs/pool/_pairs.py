"""How often each pair of values of two features occurs in the pool."""

from __future__ import annotations

from activefs._kernels import threads
from activefs._kernels.pairs import count_pool
from activefs.pool._pool import Pool
from activefs.types import Int32s, Ints


def count_pairs(pool: Pool, first: Ints, second: Ints, offset: Ints, counts: Int32s, workers: int = 1) -> None:
    """Count the pairs of values of each listed pair of features, exactly.

    Parameters
    ----------
    pool : Pool
        The table.
    first, second : array of int
        Features of each pair.
    offset : array of int
        Where the counts of each pair begin in `counts`: entry (v, w) is at ``offset + v * |V_second| + w``.
    counts : array of int32
        Zero at the entries of these pairs; receives the counts.
    workers : int
        Threads.

    Examples
    --------
    >>> import numpy as np
    >>> pool = Pool.from_table([[0, 0], [0, 1], [1, 1], [1, 1]])
    >>> counts = np.zeros(4, dtype=np.int32)
    >>> count_pairs(pool, np.array([0]), np.array([1]), np.array([0]), counts)
    >>> counts.tolist()
    [1, 1, 0, 2]
    """
    rare = pool.rare_values

    def work(start: int, stop: int) -> None:
        count_pool(
            pool.codes, first, second, pool.offsets, pool.value_counts, rare.mode, rare.sparse, rare.start, rare.rows,
            offset, start, stop, counts,
        )  # fmt: skip

    threads.in_blocks(work, first.size, workers, smallest=max(1, 2_000_000 // pool.n_rows))
