"""All data sets of the leaderboard, by name and by group."""

from __future__ import annotations

from functools import partial

from activefs.exceptions import InvalidInputError
from activefs.experiments.leaderboard import _bundled as bundled
from activefs.experiments.leaderboard.traps import INDEPENDENT, NOISY, RARE, SMALL, WIDE, XOR
from activefs.runs import PAPER_SETS, Source

BUNDLED = (
    Source("BREAST-CANCER", 569, 30, make=bundled.breast_cancer),
    Source("DIGITS35", 365, 64, make=partial(bundled.digits, 3, 5)),
    Source("DIGITS17", 361, 64, make=partial(bundled.digits, 1, 7)),
    Source("DIGITS89", 354, 64, make=partial(bundled.digits, 8, 9)),
    *(Source(f"WINE{i}", 178, 13, make=partial(bundled.wine, i)) for i in range(3)),
)

TRAPS = (XOR, NOISY, RARE, WIDE, SMALL, INDEPENDENT)
TRAP_NAMES = tuple(source.name for source in TRAPS)

# Looked at while constants of the assisted estimate and choice were being set; all other sets only judge.
TUNED_ON = ("PCMAC", "RELATHE", "MUSK", "MNIST35", "BREAST-CANCER", "ADULT", "NOISY", "WIDE")
LOOKED_AT = ("BASEHOCK",)

_MADE = {source.name: source for source in (*BUNDLED, *TRAPS)}
NAMES = (*PAPER_SETS, "ADULT", *_MADE)
"""All names, in the order of the tables."""


def named(name: str) -> Source:
    """Find a data set by its name.

    Examples
    --------
    >>> named("xor").rows, named("MUSK").features
    (2000, 166)
    """
    wanted = name.strip().upper()
    if wanted not in NAMES:
        raise InvalidInputError(f"there is no data set {name!r} in the leaderboard; there are {', '.join(NAMES)}")
    return _MADE[wanted] if wanted in _MADE else Source.named(wanted)
