"""What a strategy returned: a row, and the chance with which it was drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from activefs._kernels.draws import look_at
from activefs.exceptions import InvalidInputError
from activefs.pool import OpenRows
from activefs.strategies import Draw, Mixture, Strategy
from activefs.types import Bools, Floats

_ROUNDING = 1e-6


def checked_draw(found: Any, strategy: Strategy, open_rows: OpenRows) -> tuple[int, float, float]:
    """Return the row, its probability and the smallest of all available rows; both 0 if it was not drawn but chosen.

    Refuses a row that is not available, and impossible probabilities.

    Parameters
    ----------
    found : int or Draw
        What the strategy returned.
    strategy : Strategy
        Named in errors.
    open_rows : OpenRows
        Rows that could be asked.
    """
    row = found.row if isinstance(found, Draw) else found
    if isinstance(row, bool) or not isinstance(row, (int, np.integer)):
        raise InvalidInputError(f"the strategy {strategy.name!r} must return a row number or a Draw, got {found!r}")
    if not 0 <= row < open_rows.n_rows or not open_rows.holds(np.array([row]))[0]:
        raise InvalidInputError(f"the strategy {strategy.name!r} chose row {row}, which cannot be asked now")
    if not isinstance(found, Draw):
        return int(row), 0.0, 0.0
    if isinstance(found.probabilities, str):
        if found.probabilities != "uniform":
            raise _refused(strategy, f"must be an array or 'uniform', got {found.probabilities!r}")
        even = 1.0 / open_rows.count
        return int(row), even, even
    if isinstance(found.probabilities, Mixture):
        chances = found.probabilities
        _check_mixture(chances, strategy, open_rows)
        return int(row), chances.of(int(row), open_rows), chances.smallest(open_rows)
    p, smallest = _checked_probabilities(found.probabilities, strategy, open_rows.mask)
    if not p[row] > 0:
        raise _refused(strategy, f"give row {row}, which it drew, the probability {p[row]:g}")
    return int(row), float(p[row]), smallest


def _check_mixture(given: Mixture, strategy: Strategy, open_rows: OpenRows) -> None:
    parts = np.append(given.more, given.uniform)
    if not (np.isfinite(parts).all() and (parts >= 0.0).all()):
        raise _refused(strategy, f"must be finite and not negative, got {parts[~(parts >= 0.0)][:1]}")
    if (np.diff(given.rows) <= 0).any() or not open_rows.holds(given.rows).all():
        raise _refused(strategy, "must be those of rows that can be asked now, in ascending order")
    if abs(parts.sum() - 1.0) > _ROUNDING:
        raise _refused(strategy, f"must add up to 1, they add up to {parts.sum():g}")


def _checked_probabilities(given: Any, strategy: Strategy, available: Bools) -> tuple[Floats, float]:
    """Return the probabilities, and the smallest of the available rows."""
    try:
        p = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise _refused(strategy, f"must be numbers, got {given!r}") from None
    if p.shape != available.shape:
        raise _refused(strategy, f"must be one number per row: shape {available.shape}, got {p.shape}")
    bad, taken, total, smallest = look_at(np.ascontiguousarray(p), available)
    if bad >= 0:
        raise _refused(strategy, f"must be finite and not negative; row {bad} has {p[bad]:g}")
    if taken >= 0:
        raise _refused(strategy, f"give row {taken}, which cannot be asked now, the probability {p[taken]:g}")
    if abs(total - 1.0) > _ROUNDING:
        raise _refused(strategy, f"must add up to 1, they add up to {total:g}")
    return p, float(smallest)


def _refused(strategy: Strategy, why: str) -> InvalidInputError:
    return InvalidInputError(f"the probabilities of the strategy {strategy.name!r} {why}")
