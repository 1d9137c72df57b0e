"""Studies in the browser: pages for annotators, and a REST API."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
