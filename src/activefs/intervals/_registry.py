"""Intervals by name."""

from activefs.intervals._base import Interval
from activefs.registry import Registry

REGISTRY = Registry("interval", Interval, "activefs.intervals")
available = REGISTRY.available
create = REGISTRY.create
