"""Which value of a feature to label next: the paper's nine policies for a single feature.

A policy turns (p_v, ones, n, budget) into an index per value; the next label goes to the largest.
A new policy is one file and one line in `_registry.py` (a public one is also exported here); the
contract tests, the simulator and the command line then know it. A policy object of your own needs
no registration.

Examples
--------
>>> from activefs.allocation import allocate
>>> labels = iter([0, 1] * 50)
>>> result = allocate([0.5, 0.5], draw=lambda value: next(labels), budget=100)
>>> int(result.n.sum())
100
"""

from activefs.allocation._allocate import AllocationResult, allocate
from activefs.allocation._base import Policy, StaticAllocation
from activefs.allocation._information import InformationB, InformationCP, InformationH
from activefs.allocation._max import MaxB, MaxH
from activefs.allocation._proportional import Proportional
from activefs.allocation._registry import available, create
from activefs.allocation._variance import VarB, VarCP, VarH

__all__ = [
    "AllocationResult",
    "InformationB",
    "InformationCP",
    "InformationH",
    "MaxB",
    "MaxH",
    "Policy",
    "Proportional",
    "StaticAllocation",
    "VarB",
    "VarCP",
    "VarH",
    "allocate",
    "available",
    "create",
]
