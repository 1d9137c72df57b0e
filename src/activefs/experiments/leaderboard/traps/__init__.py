"""Made-up tables on which a way of choosing rows, or a model, may be caught out. One file each."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
