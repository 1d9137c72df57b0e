"""Columns in which nearly every row has a value of its own: names, ids, free text."""

from __future__ import annotations

import numpy as np

from activefs.types import Array

# Tables of fewer rows than the first are toys: whatever they hold is meant. From the second on a share says something.
_FEW_ROWS, _MANY_ROWS = 20, 100
_TEXT_SHARE = 0.5
_NUMBER_SHARE = 0.95
_WORDS_OF_TEXT = 4


def looks_like_names(distinct: Array, rows: int, n_distinct: int | None = None) -> str | None:
    """Say whether the values of a column are names of rows ("id") or free text ("text"); None if they are neither.

    Text is, if over half of its values are distinct; whole numbers are, if 95% are: amounts and weights repeat now and
    then, numbers of patients do not. Reals never are. Where there are less than 100 rows, 95% must be distinct in any
    case, and numbers must be consecutive, or nearly so, since thirty ages may well differ. Less than 20 rows are taken
    as they are.

    Parameters
    ----------
    distinct : array
        Distinct values, ascending.
    rows : int
        Rows that have a value.
    n_distinct : int, optional
        How many distinct values there are, if `distinct` has only some of them.

    Examples
    --------
    >>> rows = np.arange(200)
    >>> looks_like_names(rows, 200), looks_like_names(rows[:180], 200)
    ('id', None)
    """
    kind = distinct.dtype.kind
    if rows < _FEW_ROWS or kind not in "iuOSUT":
        return None
    share = (n_distinct or len(distinct)) / rows
    if kind in "iu":
        consecutive = int(distinct[-1]) - int(distinct[0]) + 1 <= rows / _NUMBER_SHARE
        return "id" if share >= _NUMBER_SHARE and (rows >= _MANY_ROWS or consecutive) else None
    if not (share > _TEXT_SHARE if rows >= _MANY_ROWS else share >= _NUMBER_SHARE):
        return None
    sample = [str(v) for v in distinct[:: max(1, len(distinct) // 200)]]
    return "text" if np.mean([len(text.split()) for text in sample]) >= _WORDS_OF_TEXT else "name"
