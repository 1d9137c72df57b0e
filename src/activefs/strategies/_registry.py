"""Strategies by name."""

from activefs.registry import Registry
from activefs.strategies._base import Strategy

REGISTRY = Registry("strategy", Strategy, "activefs.strategies")
available = REGISTRY.available
create = REGISTRY.create
