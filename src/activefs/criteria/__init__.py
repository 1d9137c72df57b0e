"""Quality measures of a feature: how impure the labels remain once the feature's value is known.

A criterion gives the impurity of a class distribution and the spread of its estimate; bounds and
allocation weights follow for any number of classes. A new criterion is one file, and one line in `__init__.pyi`.

Examples
--------
>>> from activefs.criteria import MutualInformation
>>> round(float(MutualInformation().value([0.5, 0.5])), 4)  # ln 2
0.6931
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
