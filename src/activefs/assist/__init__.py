"""Letting a classifier complete the table: the assisted estimate and what it is made of.

Labels teach a classifier, the classifier tells the class probabilities of every other row, and features are judged
by all rows of the pool instead of the labelled ones alone. `Assistant` is the door; a Session makes one when its
estimator or its strategy needs it.
"""

from activefs.assist._assistant import Assistant, last_refit
from activefs.assist._completion import Completion
from activefs.assist._estimates import AssistedEstimates

__all__ = ["Assistant", "AssistedEstimates", "Completion", "last_refit"]
