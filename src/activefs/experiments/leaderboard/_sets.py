"""All data sets of the leaderboard, by name and by group."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from activefs.exceptions import InvalidInputError
from activefs.experiments.leaderboard import _bundled as bundled
from activefs.experiments.leaderboard._public_tables import SHUFFLED, readings
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

# Name of the file, rows, columns without the label.
_PAIRS = tuple(
    readings(*about)
    for about in (
        ("churn", 5000, 20),
        ("cleveland", 303, 13),
        ("coil2000", 9822, 85),
        ("dna", 3186, 180),
        ("german", 1000, 20),
        ("house-votes-84", 435, 16),
        ("ionosphere", 351, 34),
        ("mfeat-zernike", 2000, 47),
        ("mushroom", 8124, 22),
        ("optdigits", 5620, 64),
        ("page-blocks", 5473, 10),
        ("satimage", 6435, 36),
        ("sonar", 208, 60),
        ("soybean", 675, 35),
        ("vehicle", 846, 18),
        ("waveform-40", 5000, 40),
    )
)
TABLES = (*(plain for plain, _ in _PAIRS), *(shuffled for _, shuffled in _PAIRS))
TABLE_NAMES = tuple(plain.name for plain, _ in _PAIRS)
SHUFFLED_NAMES = tuple(shuffled.name for _, shuffled in _PAIRS)

# Looked at while constants of the assisted estimate and choice were being set; all other sets only judge.
TUNED_ON = (
    *("PCMAC", "RELATHE", "MUSK", "MNIST35", "BREAST-CANCER", "ADULT", "NOISY", "WIDE"),
    *(source.name for source in TABLES),
)
LOOKED_AT = ("BASEHOCK",)

_MADE = {source.name: source for source in (*BUNDLED, *TRAPS, *TABLES)}
NAMES = (*PAPER_SETS, "ADULT", *_MADE)
"""All names, in the order of the tables."""
GROUPS = {"paper": PAPER_SETS, "traps": TRAP_NAMES, "tables": (*TABLE_NAMES, *SHUFFLED_NAMES)}
"""Names for many of them at once."""


def listed() -> str:
    """Every name that is understood, in a sentence.

    Examples
    --------
    >>> listed()
    'BASEHOCK, PCMAC, ..., WAVEFORM-40, each of the last 16 also with -SHUFFLED, and the groups paper, traps, tables'
    """
    plain = ", ".join(name for name in NAMES if name not in SHUFFLED_NAMES)
    return f"{plain}, each of the last {len(TABLE_NAMES)} also with {SHUFFLED}, and the groups {', '.join(GROUPS)}"


def named(name: str) -> Source:
    """Find a data set by its name.

    Examples
    --------
    >>> named("xor").rows, named("MUSK").features, named("sonar-shuffled").name
    (2000, 166, 'SONAR-SHUFFLED')
    """
    wanted = name.strip().upper()
    if wanted not in NAMES:
        raise InvalidInputError(f"there is no data set {name!r} in the leaderboard; there are {listed()}")
    return _MADE[wanted] if wanted in _MADE else Source.named(wanted)


def is_table(source: Source) -> bool:
    """Whether it is one of the public tables, in either reading."""
    return source.name in GROUPS["tables"]


def find_sets(names: str | None = None) -> tuple[Source, ...]:
    """Find data sets by names of sets and groups, with commas between; without names, all.

    Examples
    --------
    >>> [source.name for source in find_sets("traps,wine0,XOR")]
    ['XOR', 'NOISY', 'RARE', 'WIDE', 'SMALL', 'INDEPENDENT', 'WINE0']
    """
    if names is None:
        return tuple(map(named, NAMES))
    wanted = [part.strip() for part in names.split(",") if part.strip()]
    return tuple(dict.fromkeys(named(name) for part in wanted for name in GROUPS.get(part.lower(), (part,))))


def shortest(names: Iterable[str]) -> str:
    """Write names as `find_sets` takes them, whole groups by their name.

    Examples
    --------
    >>> shortest(["WINE0", *TRAP_NAMES])
    'WINE0,traps'
    """
    given = list(dict.fromkeys(names))
    for group, members in GROUPS.items():
        if set(members) <= set(given):
            place = given.index(members[0])
            given = [group if i == place else name for i, name in enumerate(given) if i == place or name not in members]
    return ",".join(given)
