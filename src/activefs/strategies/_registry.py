"""Strategies by name."""

from activefs.registry import Registry
from activefs.strategies._base import Strategy

RECOMMENDED = "assisted"
"""The default everywhere; it needs the fewest labels on the leaderboard."""

REGISTRY = Registry("strategy", Strategy, "activefs.strategies")
available = REGISTRY.available
create = REGISTRY.create
