"""The naive baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from activefs.allocation._base import Policy
from activefs.types import Floats


@dataclass(frozen=True)
class Proportional(Policy):
    """PROP: every value gets labels in proportion to its probability, w(v) = p_v.

    Examples
    --------
    >>> Proportional().index([0.8, 0.2], ones=[1, 1], n=[4, 2], budget=100).tolist()
    [0.2, 0.1]
    """

    name: ClassVar[str] = "PROP"

    def _index(self, p: Floats, ones: Floats, n: Floats, budget: int) -> Floats:
        return p / n
