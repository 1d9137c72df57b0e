"""Active feature selection: find the k features that tell most about a label, with few labels.

Examples
--------
>>> import numpy as np
>>> from activefs import ActiveFeatureSelector
>>> rng = np.random.default_rng(0)
>>> X = rng.integers(0, 3, size=(300, 10))
>>> y = (X[:, 2] == 1) | (X[:, 7] == 2)
>>> selector = ActiveFeatureSelector(k=2, budget=80, random_state=0).fit(X, y)
>>> sorted(selector.selection_.features.tolist())
[2, 7]
"""

from activefs import criteria, exceptions, intervals, redundancy, strategies
from activefs.pool import Pool
from activefs.selector import ActiveFeatureSelector
from activefs.session import Session
from activefs.study import Study
from activefs.types import Selection

__all__ = [
    "ActiveFeatureSelector",
    "Pool",
    "Selection",
    "Session",
    "Study",
    "__version__",
    "criteria",
    "exceptions",
    "intervals",
    "redundancy",
    "strategies",
]

__version__ = "0.1.0"
