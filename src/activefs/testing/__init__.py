"""Contract suites: what every interval, criterion, strategy and storage must do, ready to run on your own.

Subclass a suite in a test file and name the part; pytest finds the checks by itself. Nothing but
numpy and the package is needed. The suites run on every part that the package itself offers;
none can be left out.

Examples
--------
>>> from activefs.intervals import Hoeffding
>>> from activefs.testing import IntervalContract
>>> class TestMine(IntervalContract):
...     interval = Hoeffding()
>>> TestMine().test_nothing_drawn_tells_nothing()
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
