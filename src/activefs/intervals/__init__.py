"""Confidence intervals for a binomial proportion.

Each interval turns (successes, draws, delta) into bounds that hold with probability 1 - delta.
A new interval is one file, and one line in `__init__.pyi`; its coverage is then checked by exact enumeration.

Examples
--------
>>> from activefs.intervals import ClopperPearson
>>> lower, upper = ClopperPearson().bounds([0, 3], [0, 10], delta=0.05)
>>> lower.round(4).tolist(), upper.round(4).tolist()
([0.0, 0.0667], [1.0, 0.6525])
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
