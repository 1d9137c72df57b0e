"""The lines of the pictures: strategies with their parameters, under the paper's names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from activefs import strategies
from activefs.strategies import Strategy
from activefs.types import Estimator


@dataclass(frozen=True)
class Line:
    """A strategy with its parameters.

    Attributes
    ----------
    name : str
        As in the pictures and tables.
    strategy : str
        Name of the strategy.
    params : tuple of (str, value)
        Its parameters.
    safeguard : int or None
        Lambda, for AFS: the same run with another Lambda is the same up to the moment at which the
        safeguard fires.
    estimator : {"plug-in", "assisted"}
        How features are judged.
    """

    name: str
    strategy: str
    params: tuple[tuple[str, Any], ...] = ()
    safeguard: int | None = None
    estimator: Estimator = "plug-in"

    @property
    def needs_k(self) -> bool:
        """Whether the rows it asks for depend on k; if not, one run serves all k."""
        return self._class.needs_k

    @property
    def needs_assistant(self) -> bool:
        """Whether the rows it asks for depend on the model."""
        return self._class.needs_assistant

    @property
    def _class(self) -> type[Strategy]:
        return strategies.REGISTRY.classes()[self.strategy]

    @property
    def is_afs(self) -> bool:
        """Whether it is AFS, with or without the safeguard."""
        return self.strategy == "afs"

    @property
    def family(self) -> str:
        """What it has in common with lines that differ in the safeguard only; decides the seed."""
        # Lines with the plug-in estimate have the names that they had when there was no other.
        how = [] if self.estimator == "plug-in" else [self.estimator]
        return " ".join([self.strategy, *(f"{name}={value}" for name, value in sorted(self.params)), *how])

    @property
    def key(self) -> str:
        """Everything that the numbers depend on."""
        return f"{self.family} safeguard={self.safeguard}" if self.is_afs else self.family

    @property
    def slug(self) -> str:
        """Name for files."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")

    def create(self, seed: int) -> Strategy:
        """Make the strategy; `seed` is for parts that are not drawn question by question."""
        params = dict(self.params)
        if self.is_afs:
            params["safeguard"] = self.safeguard
        if self.strategy == "dwus":
            params["clustering_seed"] = seed
        return strategies.create(self.strategy, params)


def _afs(name: str, safeguard: int | None = 30, **params: Any) -> Line:
    return Line(name, "afs", tuple(sorted(params.items())), safeguard)


RANDOM = Line("RANDOM", "random")
CORESET = Line("CORESET", "coreset")
DWUS = Line("DWUS", "dwus")
AFS = _afs("AFS")
AFS_POOL = _afs("AFS (pool floor)", rho_floor="pool")
NOSG = _afs("AFS-NOSG", None)
NOSG_POOL = _afs("AFS-NOSG (pool floor)", None, rho_floor="pool")
AVG_ALL = Line("AVG-ALL", "avg-all")
AVG_SEL = Line("AVG-SEL", "avg-sel")
SINGLE = Line("SINGLE", "single")
L2 = _afs("AFS l2", psi="l2")
LINF = _afs("AFS linf", psi="linf")

LAMBDAS = (10, 20, 40)
SAFEGUARDS = tuple(_afs(f"AFS Lambda={n}", n) for n in LAMBDAS)
SAFEGUARDS_POOL = tuple(_afs(f"AFS Lambda={n} (pool floor)", n, rho_floor="pool") for n in LAMBDAS)

# What a user of scikit-activeml would pick otherwise; too slow for the full programme, see `--peers`.
PEERS = tuple(
    Line(f"skactiveml {name}", "activeml", (("query", name),))
    for name in ("UncertaintySampling", "QueryByCommittee", "TypiClust", "CoreSet")
)
