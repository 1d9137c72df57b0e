"""Names of array types and of words that options take, for the whole house."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
"""Of any kind."""
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Integers = NDArray[np.integer]
"""Of any size."""
Ints = NDArray[np.int64]
Int32s = NDArray[np.int32]
"""Counts, of which there are many."""
Targets = NDArray[np.int64] | NDArray[np.float64]
"""Labels of t rows: class numbers, of shape (t,); or, if one of them is uncertain, class probabilities (t, C)."""
UInt8s = NDArray[np.uint8]
UInt64s = NDArray[np.uint64]
Strings = NDArray[np.str_]
Matrix = NDArray[np.float32]
"""Numbers for models, where half the memory counts more than the last digits."""
Codes = NDArray[Any]
"""Codes of values: uint8, or uint16 where a feature has more than 256 values."""


Estimator = Literal["plug-in", "assisted"]
"""How features are judged: by the labelled rows alone, or by all rows, with a model that completes the labels."""
Missing = Literal["error", "value"]
"""What missing values are."""
WhenCertified = Literal["stop", "continue"]
"""What to do once the top k is certified, or settled by the rule of the paper."""
Binning = Literal["kmeans", "quantile", "uniform"]
"""How the bins of a real-valued column are placed."""
