"""The demonstration: the pixels that tell a 3 from a 5."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
