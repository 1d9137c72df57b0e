"""MATLAB files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np


def mat_shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of the variables in a MATLAB file."""
    from scipy.io import whosmat

    return {name: shape for name, shape, _ in whosmat(path)}


def mat_variables(path: Path, names: list[str]) -> dict[str, Any]:
    """Read variables from a MATLAB file."""
    from scipy.io import loadmat

    loaded: dict[str, Any] = loadmat(path, variable_names=names)
    return loaded


def mat_vector(values: Any) -> list[Any]:
    """Return the entries of a MATLAB vector, out of the cells that strings come in."""
    flat = np.asarray(values).ravel()
    return [v.item() if isinstance(v, np.ndarray) and v.size == 1 else v for v in flat.tolist()]
