"""Rules that turn the quality of single features into a set of k features.

"none" takes the k best, as the paper does. The others are greedy and look at what a feature adds to those
chosen before it: "mrmr", "jmi", "cmim". A new rule is one file, and one line in `__init__.pyi`.

Examples
--------
>>> import activefs.redundancy
>>> activefs.redundancy.available()
['cmim', 'jmi', 'mrmr', 'none']
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
