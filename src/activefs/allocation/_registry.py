"""Policies by name, in the paper's order: command line, tables and tests take it from here."""

from activefs.allocation._base import Policy
from activefs.allocation._information import InformationB, InformationCP, InformationH
from activefs.allocation._max import MaxB, MaxH
from activefs.allocation._proportional import Proportional
from activefs.allocation._variance import VarB, VarCP, VarH
from activefs.registry import Registry

_ALL: tuple[type[Policy], ...] = (
    *(Proportional, MaxH, MaxB, VarH, VarB, VarCP),
    *(InformationH, InformationB, InformationCP),
)
REGISTRY = Registry("policy", Policy, "activefs.allocation", order=lambda: _ALL)
available = REGISTRY.available
create = REGISTRY.create
