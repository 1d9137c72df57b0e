"""Confidence intervals for a binomial proportion.

Each interval turns (successes, draws, delta) into bounds that hold with probability 1 - delta.
A new interval is one file and one line here; its coverage is then checked by exact enumeration.

Examples
--------
>>> from activefs.intervals import ClopperPearson
>>> lower, upper = ClopperPearson().bounds([0, 3], [0, 10], delta=0.05)
>>> lower.round(4).tolist(), upper.round(4).tolist()
([0.0, 0.0667], [1.0, 0.6525])
"""

from activefs.intervals._base import Interval
from activefs.intervals._bernstein import EmpiricalBernstein
from activefs.intervals._clopper_pearson import ClopperPearson
from activefs.intervals._hoeffding import Hoeffding

__all__ = ["ClopperPearson", "EmpiricalBernstein", "Hoeffding", "Interval"]
