"""Letting a classifier complete the table: the assisted estimate and what it is made of.

Labels teach a classifier, the classifier tells the class probabilities of every other row, and features are judged
by all rows of the pool instead of the labelled ones alone. `Assistant` is the door; a Session makes one when its
estimator or its strategy needs it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
