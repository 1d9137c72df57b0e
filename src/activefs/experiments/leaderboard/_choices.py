"""Ways of choosing rows that compete, and the estimates that they are combined with."""

from __future__ import annotations

from dataclasses import replace

from activefs import strategies
from activefs.exceptions import InvalidInputError
from activefs.runs import Line, lines

PLUG_IN, ASSISTED = "plug-in", "assisted"

AFS, AFS_POOL = "afs", "afs (pool floor)"
FLOORS = (AFS, AFS_POOL)
RANDOM, CHOSEN = "random", "assisted"
"""Whom the traps are judged against, and who competes."""

_BY_STRATEGY: dict[str, tuple[Line, ...]] = {
    "random": (replace(lines.RANDOM, name=RANDOM),),
    "afs": (replace(lines.AFS, name=AFS), replace(lines.AFS_POOL, name=AFS_POOL)),
    "coreset": (replace(lines.CORESET, name="coreset"),),
    "dwus": (replace(lines.DWUS, name="dwus"),),
    "uncertainty": (Line("uncertainty", "uncertainty"),),
    "assisted": (Line(CHOSEN, "assisted"),),
}
STRATEGIES = tuple(_BY_STRATEGY)
ALL = tuple(line for some in _BY_STRATEGY.values() for line in some)


def choices(names: str | None = None) -> tuple[Line, ...]:
    """Find ways of choosing by the names of strategies, with commas between; without names, those that always compete.

    AFS comes with both floors of rho.

    Examples
    --------
    >>> [line.name for line in choices("random,afs")]
    ['random', 'afs', 'afs (pool floor)']
    >>> [line.name for line in choices("assisted,single")]
    ['assisted', 'single']
    """
    if names is None:
        return ALL
    known = _known()
    wanted = [name.strip().lower() for name in names.split(",") if name.strip()]
    for name in wanted:
        if name not in known:
            raise InvalidInputError(f"there is no strategy {name!r} in the leaderboard; there are {', '.join(known)}")
    return tuple(line for name, some in known.items() if name in wanted for line in some)


def _known() -> dict[str, tuple[Line, ...]]:
    """Every strategy that can be made from its name alone."""
    return _BY_STRATEGY | {name: (Line(name, name),) for name in strategies.available() if name not in _BY_STRATEGY}


def is_assisted_too(line: Line) -> bool:
    """Whether the choice is also combined with the assisted estimate: all but AFS with the paper's floor."""
    return line.name != AFS_POOL
