"""What "assisted" was meant to reach, and what it does reach."""

from __future__ import annotations

from activefs.experiments.leaderboard._board import Board
from activefs.experiments.leaderboard._other_targets import speed_targets, trap_targets
from activefs.experiments.leaderboard._paper_targets import paper_targets
from activefs.experiments.leaderboard._table_targets import table_targets
from activefs.experiments.leaderboard._target import Target


def targets(board: Board) -> list[Target]:
    """All targets that the data sets at hand can judge."""
    return [*paper_targets(board), *table_targets(board), *trap_targets(board), *speed_targets(board)]
