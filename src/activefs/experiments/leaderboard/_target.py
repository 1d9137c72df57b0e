"""What a target is, and who is judged by it."""

from __future__ import annotations

from dataclasses import dataclass

from activefs.experiments.leaderboard._board import Entry
from activefs.experiments.leaderboard._choices import ASSISTED, CHOSEN, PLUG_IN, RANDOM
from activefs.experiments.leaderboard._relative import Ratio

WINNER: Entry = (CHOSEN, ASSISTED)
BASE: Entry = (RANDOM, PLUG_IN)


@dataclass(frozen=True)
class Target:
    """One target.

    Attributes
    ----------
    what, wanted, measured : str
        In words.
    missed_by : str
        How far off, in words; empty if it is met.
    """

    what: str
    wanted: str
    measured: str
    missed_by: str = ""


def at_most(what: str, most: float, found: Ratio, remark: str = "") -> Target:
    """Judge a ratio that shall be small.

    Examples
    --------
    >>> found = Ratio(0.312, 0.28, 0.35)
    >>> at_most("mean gap", 0.25, found).missed_by, at_most("mean gap", 0.5, found).missed_by
    ('0.062', '')
    """
    missed = "" if found.value <= most else f"{found.value - most:.2g}"
    return Target(what, f"at most {most:g}", f"{found}{remark}", missed)
