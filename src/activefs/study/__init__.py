"""Studies: sessions that are kept in a database and shared by several annotators."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
