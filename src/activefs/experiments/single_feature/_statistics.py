"""Who wins, from intervals of average errors."""

from __future__ import annotations

import numpy as np

from activefs.types import Bools, Floats


def wins(low: Floats, high: Floats) -> tuple[Bools, Bools]:
    """Clear wins and wins by the paper's definition; policies lie along the last axis.

    Policy i has a clear win if high_i <= min over the others of low, and a win if low_i <= min over
    the others of high.

    Examples
    --------
    >>> clear, any_win = wins(np.array([1.0, 2.0, 5.0]), np.array([3.0, 4.0, 6.0]))
    >>> clear.tolist(), any_win.tolist()
    ([False, False, False], [True, True, False])
    """
    return high <= _least_of_others(low), low <= _least_of_others(high)


def _least_of_others(x: Floats) -> Floats:
    if x.shape[-1] < 2:
        return np.full(x.shape, np.inf)
    columns = [np.delete(x, i, axis=-1).min(axis=-1) for i in range(x.shape[-1])]
    return np.stack(columns, axis=-1)
