"""Tables that are read in pieces and never whole: where they come from, and how they are encoded."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
