"""The paper's single-feature experiments: which policy estimates the entropy of a feature best.

Examples
--------
>>> from activefs.experiments.single_feature import simulate
>>> simulate([0.5, 0.5], [0.1, 0.5], "PROP", decisions=[50], repetitions=10).shape
(10, 1)
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
