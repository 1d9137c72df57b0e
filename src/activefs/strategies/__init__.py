"""Ways of choosing the next row to label. A new one is one file, and one line in `__init__.pyi`.

Examples
--------
>>> import activefs.strategies
>>> "afs" in activefs.strategies.available()
True
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
