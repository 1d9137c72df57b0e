"""Rules by name."""

from activefs.redundancy._base import Rule
from activefs.registry import Registry

REGISTRY = Registry("redundancy", Rule, "activefs.redundancy")
available = REGISTRY.available
create = REGISTRY.create
