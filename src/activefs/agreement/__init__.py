"""Several annotators of the same rows: how far they agree, and what to believe where they do not."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
