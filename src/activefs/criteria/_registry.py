"""Criteria by name."""

from activefs.criteria._base import Criterion
from activefs.registry import Registry

REGISTRY = Registry("criterion", Criterion, "activefs.criteria")
available = REGISTRY.available
create = REGISTRY.create
