"""Label Studio: a study keeps a project fed with the rows that matter, and takes the annotations as labels."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
