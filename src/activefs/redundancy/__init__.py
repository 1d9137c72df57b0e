"""Rules that turn the quality of single features into a set of k features.

"none" takes the k best, as the paper does. The others are greedy and look at what a feature adds to those
chosen before it: "mrmr", "jmi", "cmim". A new rule is one file and one line here.

Examples
--------
>>> import activefs.redundancy
>>> activefs.redundancy.available()
['cmim', 'jmi', 'mrmr', 'none']
"""

from activefs.redundancy._base import Rule, TopK
from activefs.redundancy._cmim import CMIM
from activefs.redundancy._jmi import JMI
from activefs.redundancy._mrmr import MRMR
from activefs.redundancy._registry import available, create

__all__ = ["CMIM", "JMI", "MRMR", "Rule", "TopK", "available", "create"]
