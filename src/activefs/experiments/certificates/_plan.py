"""What is tried: every strategy, every redundancy rule, every criterion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from activefs import criteria, redundancy, strategies

DELTAS = (0.05, 0.2)
SESSIONS, SESSIONS_OF_MODELS = 500, 100
_FAVOURITES = ("random", "afs", "assisted")


@dataclass(frozen=True)
class CertificateLine:
    """Options of sessions that are compared.

    Attributes
    ----------
    strategy, estimator, rule, criterion : str
        As a session takes them.
    """

    strategy: str
    estimator: str
    rule: str = "none"
    criterion: str = "mutual_information"

    @property
    def asks_model(self) -> bool:
        """Whether a model is asked, which takes a while."""
        kind = strategies.REGISTRY.classes()[self.strategy]
        return self.estimator == "assisted" or kind.needs_assistant or self.strategy == "activeml"

    @property
    def options(self) -> dict[str, Any]:
        """As a session takes them."""
        chosen = {"strategy": self.strategy, "estimator": self.estimator}
        return {**chosen, "redundancy": self.rule, "criterion": self.criterion}


def _lines() -> tuple[CertificateLine, ...]:
    kinds = strategies.REGISTRY.classes()
    every = [CertificateLine(name, kinds[name].estimator) for name in strategies.available()]
    counterexample = [CertificateLine("assisted", "plug-in"), CertificateLine("random", "assisted")]
    rules = [CertificateLine(s, kinds[s].estimator, rule=r) for r in redundancy.available() for s in _FAVOURITES]
    measures = [CertificateLine(s, kinds[s].estimator, criterion=c) for c in criteria.available() for s in _FAVOURITES]
    return tuple(dict.fromkeys([*every, *counterexample, *rules, *measures]))


LINES = _lines()
"""All strategies, and the favourites with all rules and all criteria."""
