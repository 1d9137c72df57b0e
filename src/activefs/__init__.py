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

import lazy_loader

__version__ = "0.2.0.dev0"

__getattr__, _, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["__version__"]


def __dir__() -> list[str]:
    return list(__all__)
