"""The pure part of a session: from options, pool and position to the next question or the answer."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
