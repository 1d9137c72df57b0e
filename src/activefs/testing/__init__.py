"""Contract suites: what every interval, criterion, strategy and storage must do, ready to run on your own.

Subclass a suite in a test file and name the part; pytest finds the checks by itself. Nothing but
numpy and the package is needed. The suites run on every part that the package itself offers.

Examples
--------
>>> from activefs.intervals import Hoeffding
>>> from activefs.testing import IntervalContract
>>> class TestMine(IntervalContract):
...     interval = Hoeffding()
>>> TestMine().test_nothing_drawn_tells_nothing()
"""

from activefs.testing._criteria import CriterionContract
from activefs.testing._discovery import parts_of
from activefs.testing._intervals import IntervalContract
from activefs.testing._problems import Problem, random_problem
from activefs.testing._storages import StorageContract
from activefs.testing._strategies import StrategyContract

__all__ = [
    "CriterionContract",
    "IntervalContract",
    "Problem",
    "StorageContract",
    "StrategyContract",
    "parts_of",
    "random_problem",
]
