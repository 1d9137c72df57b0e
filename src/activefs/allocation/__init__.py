"""Which value of a feature to label next: the paper's nine policies for a single feature.

A policy turns (p_v, ones, n, budget) into an index per value; the next label goes to the largest.
A new policy is one file and one line in `_registry.py` (a public one is also exported here); the
contract tests, the simulator and the command line then know it. A policy object of your own needs
no registration.

Examples
--------
>>> from activefs.allocation import allocate
>>> labels = iter([0, 1] * 50)
>>> result = allocate([0.5, 0.5], draw=lambda value: next(labels), budget=100)
>>> int(result.n.sum())
100
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
