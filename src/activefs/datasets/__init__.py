"""Tables in, codes out: readers of tables, binning, the paper's data sets."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
