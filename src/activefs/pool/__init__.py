"""The pool: rows that may be labelled, encoded once into a compact matrix of small integers."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
