"""Ways of choosing the next row to label. A new one is one file and one line here.

Examples
--------
>>> import activefs.strategies
>>> "afs" in activefs.strategies.available()
True
"""

from activefs.strategies._activeml import ActiveML
from activefs.strategies._afs import AFS
from activefs.strategies._afs_nosg import AFSNoSafeguard
from activefs.strategies._assisted import Assisted, Uncertainty
from activefs.strategies._avg_all import AverageOfAll
from activefs.strategies._avg_sel import AverageOfContested
from activefs.strategies._base import State, Strategy
from activefs.strategies._coreset import Coreset
from activefs.strategies._dwus import DensityWeightedUncertainty
from activefs.strategies._random import RandomRows
from activefs.strategies._registry import RECOMMENDED, available, create
from activefs.strategies._single import SingleFeature

__all__ = [
    "AFS",
    "RECOMMENDED",
    "AFSNoSafeguard",
    "ActiveML",
    "Assisted",
    "AverageOfAll",
    "AverageOfContested",
    "Coreset",
    "DensityWeightedUncertainty",
    "RandomRows",
    "SingleFeature",
    "State",
    "Strategy",
    "Uncertainty",
    "available",
    "create",
]
