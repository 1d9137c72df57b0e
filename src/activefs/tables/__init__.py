"""Tables as people have them, in memory or in files, read as named columns and encoded as small integers."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
