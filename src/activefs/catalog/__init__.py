"""Several studies in one place: the files of a folder, or the schemas of a database."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
