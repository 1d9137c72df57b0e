"""Data sets that are averaged, and on which of them constants were chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from activefs.experiments.leaderboard import _sets
from activefs.experiments.leaderboard._board import Board, Cell
from activefs.runs import PAPER_SETS


@dataclass(frozen=True)
class SetGroup:
    """Data sets that are averaged.

    Attributes
    ----------
    title : str
        In a word or two.
    names : tuple of str
        Of the data sets, whether they were run or not.
    alike : bool
        Whether every set counts alike: its gaps are divided by that of features chosen blindly. If not, gaps are
        averaged in nats, and sets with large ones count more.
    """

    title: str
    names: tuple[str, ...]
    alike: bool = True

    def cells(self, board: Board, k: int | None = None) -> list[Cell]:
        """Pairs (data set, k) that were run, of one k or of all."""
        return [(s, n) for s, n in board.cells() if s.name in self.names and k in (None, n)]

    def ks(self, board: Board) -> list[int]:
        """Every k that was run, the largest first."""
        return sorted({k for _, k in self.cells(board)}, reverse=True)

    def averages(self, board: Board) -> list[tuple[list[Cell], str]]:
        """What to average over, and its name: every k, the largest first; of sets that count alike all k before."""
        ks = self.ks(board)
        parts = [(self.cells(board, k), f"k={k}") for k in ks]
        if self.alike and len(ks) > 1:
            parts.insert(0, (self.cells(board), f"k={' and '.join(map(str, ks[::-1]))}"))
        return parts

    def run(self, board: Board) -> list[str]:
        """Names of the data sets that were run."""
        return list(dict.fromkeys(source.name for source, _ in self.cells(board)))


PAPER = SetGroup("paper's sets", PAPER_SETS, alike=False)
TRAPS = SetGroup("traps", _sets.TRAP_NAMES, alike=False)
TABLES = SetGroup("tables", _sets.TABLE_NAMES)
SHUFFLED = SetGroup("shuffled tables", _sets.SHUFFLED_NAMES)

_SEEN = {*_sets.TUNED_ON, *_sets.LOOKED_AT, *_sets.TRAP_NAMES}
UNTOUCHED = SetGroup("untouched sets", tuple(name for name in _sets.NAMES if name not in _SEEN))
"""What the headline is about: no traps, and nothing was chosen on them or looked at."""
BESIDE = (PAPER, TABLES, SHUFFLED)
"""Averages that are shown beside the headline."""


def groups_of(board: Board) -> list[SetGroup]:
    """Groups such that every data set that was run is in one of them."""
    known = {name for group in (PAPER, TRAPS, TABLES, SHUFFLED) for name in group.names}
    others = SetGroup("other sets", tuple(name for name in board.settings.datasets if name not in known), alike=False)
    return [group for group in (PAPER, others, TRAPS, TABLES, SHUFFLED) if group.cells(board)]


def headline(board: Board) -> SetGroup:
    """Give the sets that the first table is about: untouched ones; if none was run, all that are no traps, or all."""
    if UNTOUCHED.cells(board):
        return UNTOUCHED
    names = board.settings.datasets
    return SetGroup("all sets", tuple(n for n in names if n not in _sets.TRAP_NAMES) or names)


def constants(names: Sequence[str]) -> str:
    """Say on which of these sets constants of the assisted estimate and choice were chosen.

    Examples
    --------
    >>> constants(["WINE0", "WINE1"])
    'No constant was chosen on any of them.'
    >>> constants(["MUSK", "WINE0", "BASEHOCK"])
    'Constants were chosen on MUSK; BASEHOCK was looked at.'
    >>> constants(["SONAR", "DNA"])
    'Constants were chosen on all of them.'
    """
    tuned = [name for name in names if name in _sets.TUNED_ON]
    seen = [name for name in names if name in _sets.LOOKED_AT]
    none, every = ("it", "it") if len(names) == 1 else ("any of them", "all of them")
    parts = [f"No constant was chosen on {none}"]
    if tuned:
        parts = [f"Constants were chosen on {every if len(tuned) == len(names) else ', '.join(tuned)}"]
    if seen:
        parts.append(f"{', '.join(seen)} {'was' if len(seen) == 1 else 'were'} looked at")
    return "; ".join(parts) + "."
