"""Targets on the public tables. Gaps are divided by that of features chosen blindly."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from activefs.experiments.leaderboard._board import Board, Cell
from activefs.experiments.leaderboard._groups import SHUFFLED, TABLES, SetGroup
from activefs.experiments.leaderboard._relative import better_floor, relative, was_run
from activefs.experiments.leaderboard._target import BASE, WINNER, Target, at_most

_MEANS = ((TABLES, "public tables as they are", 0.5), (SHUFFLED, "public tables, shuffled", 0.65))
_TENTH, _LITTLE = 0.1, 0.02
ROUNDING = 1e-12

Judge = Callable[[Board, Cell], float | None]
"""By how much "assisted" is worse than it may be; None if it was not run."""


def table_targets(board: Board) -> Iterator[Target]:
    """Judge all that the tables at hand can judge."""
    for group, called, most in _MEANS:
        yield from _means(board, group, called, most)
    cells = [*TABLES.cells(board), *SHUFFLED.cells(board)]
    yield from _never(board, cells, "AFS + plug-in (better floor) by more than a tenth and 0.02", worse_than_afs)
    yield from _never(board, cells, "random + plug-in", worse_than_random)


def _means(board: Board, group: SetGroup, called: str, most: float) -> Iterator[Target]:
    """Both k together and each alone, of all tables: those of a part of them would be another target."""
    if len(group.run(board)) < len(group.names):
        return
    ks = group.ks(board)
    for which, k in (("all k", None), *((f"k={k}", k) for k in ks)):
        found = relative(board, group.cells(board, k), WINNER, alike=True)
        if found is not None and (k is not None or len(ks) > 1):
            yield at_most(f"mean gap on {called}, {which}, relative to the better floor of AFS", most, found)


def worse_than_afs(board: Board, cell: Cell) -> float | None:
    """By how much more than allowed "assisted" is worse than AFS's better floor; at most 0 if it is not, None: not run.

    Worse is who exceeds the gap of AFS by a tenth of it and by 0.02, both.
    """
    floor = better_floor(board, [cell])
    if floor is None or not was_run(board, [cell], WINNER):
        return None
    mine, base = (float(board.scores(cell, entry, alike=True).mean()) for entry in (WINNER, floor))
    return mine - base - max(_TENTH * base, _LITTLE)


def worse_than_random(board: Board, cell: Cell) -> float | None:
    """By how much "assisted" is worse than random + plug-in; None if either was not run."""
    if not (was_run(board, [cell], WINNER) and was_run(board, [cell], BASE)):
        return None
    mine, base = (float(board.scores(cell, entry, alike=True).mean()) for entry in (WINNER, BASE))
    return mine - base


def _never(board: Board, cells: list[Cell], whom: str, by_how_much: Judge) -> Iterator[Target]:
    found = {cell: by for cell in cells if (by := by_how_much(board, cell)) is not None}
    if not found:
        return
    worse = {cell: by for cell, by in found.items() if by > ROUNDING}
    missed = "; ".join(f"{source.name} k={k}: {by:.3f} too much" for (source, k), by in worse.items())
    measured = f"{len(worse)} of {len(found)} cases"
    yield Target(f"no public table, in either reading, worse than {whom}", "0 cases", measured, missed)
