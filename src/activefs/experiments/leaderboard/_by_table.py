"""The part of the report that goes through the public tables, both readings side by side."""

from __future__ import annotations

from activefs.experiments.leaderboard import _sets
from activefs.experiments.leaderboard._board import Board, Cell
from activefs.experiments.leaderboard._groups import SHUFFLED, TABLES
from activefs.experiments.leaderboard._public_tables import SHUFFLED as ENDING
from activefs.experiments.leaderboard._relative import better_floor, relative, was_run
from activefs.experiments.leaderboard._table_targets import ROUNDING, worse_than_afs, worse_than_random
from activefs.experiments.leaderboard._target import BASE, WINNER
from activefs.runs import markdown_table


def tables_section(board: Board) -> list[str]:
    """How "assisted" fares on every public table; nothing if none was run."""
    plain, shuffled = ({(s.name, k): (s, k) for s, k in group.cells(board)} for group in (TABLES, SHUFFLED))
    keys = dict.fromkeys([*plain, *((name.removesuffix(ENDING), k) for name, k in shuffled)])
    rows = []
    for name, k in sorted(keys, key=lambda key: (_sets.TABLE_NAMES.index(key[0]), key[1])):
        both = plain.get((name, k)), shuffled.get((name + ENDING, k))
        rows.append([f"{name} {k}", *(text for cell in both for text in _columns(board, cell))])
    if not rows:
        return []
    four = ("random + plug-in", "AFS + plug-in", "assisted + assisted", "relative")
    return [
        "## Public tables",
        "",
        "Gap divided by that of features chosen blindly, mean over the measured label counts; AFS with its better "
        "floor. Left as they are, right with the codes of every column shuffled. *A*: worse than AFS by more than a "
        "tenth and 0.02; *R*: worse than random + plug-in.",
        "",
        *markdown_table(["table, k", *four, *(f"{column}, shuffled" for column in four)], rows),
        "",
    ]


def _columns(board: Board, cell: Cell | None) -> list[str]:
    if cell is None:
        return ["–"] * 4
    entries = (BASE, better_floor(board, [cell]), WINNER)
    means = [
        f"{float(board.scores(cell, entry, alike=True).mean()):.3f}"
        if entry is not None and was_run(board, [cell], entry)
        else "–"
        for entry in entries
    ]
    ratio = relative(board, [cell], WINNER)
    judged = (("A", worse_than_afs(board, cell)), ("R", worse_than_random(board, cell)))
    marks = "".join(f" *{mark}*" for mark, by in judged if by is not None and by > ROUNDING)
    return [*means, ("–" if ratio is None else f"{ratio.value:.2f}") + marks]
