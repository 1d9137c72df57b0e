"""Targets on traps, and of speed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from activefs.experiments.leaderboard._board import Board, Cell
from activefs.experiments.leaderboard._choices import CHOSEN
from activefs.experiments.leaderboard._groups import TRAPS
from activefs.experiments.leaderboard._relative import was_run
from activefs.experiments.leaderboard._target import BASE, WINNER, Target


def trap_targets(board: Board) -> Iterator[Target]:
    """Judge what the traps at hand can judge."""
    found = {cell: d for cell in TRAPS.cells(board) if (d := against_random(board, cell)) is not None}
    worse = [
        f"{source.name} k={k}: {more:+.4f} nats, spread {spread:.4f}"
        for (source, k), (more, spread) in found.items()
        if more > spread
    ]
    if found:
        yield Target(
            "traps: never worse than random + plug-in by more than its spread",
            "0 cases",
            f"{len(worse)} of {len(found)} cases",
            "; ".join(worse),
        )
    yield from _independent(board)


def against_random(board: Board, cell: Cell) -> tuple[float, float] | None:
    """Mean gap of "assisted" minus that of random + plug-in, and the standard deviation of the latter's runs."""
    if not (was_run(board, [cell], WINNER) and was_run(board, [cell], BASE)):
        return None
    base = board.scores(cell, BASE)
    spread = float(base.std(ddof=1)) if base.size > 1 else 0.0
    return float(board.scores(cell, WINNER).mean() - base.mean()), spread


def _independent(board: Board) -> Iterator[Target]:
    said = [d[..., 3].ravel() for (name, _), d in board.reliability.items() if name == "INDEPENDENT"]
    if said:
        share = float(np.mean(np.concatenate(said)))
        missed = "" if share <= 0.05 else f"{share - 0.05:.0%} of the answers"
        yield Target(
            "labels independent of everything: no information is reported",
            "in 95% of the answers",
            f"in {1 - share:.1%}",
            missed,
        )


def speed_targets(board: Board) -> Iterator[Target]:
    """Judge how long questions took."""
    if ("MNIST35", CHOSEN) in board.speeds:
        speed = board.speeds["MNIST35", CHOSEN]
        mean = 1e3 * speed.per_label
        missed = "" if mean <= 30 else f"{mean - 30:.0f} ms"
        measured = f"{mean:.0f} ms of the processor, {1e3 * speed.per_label_by_clock:.0f} ms by the clock"
        yield Target("MNIST35: mean time of a question, one thread", "30 ms", measured, missed)
    asks = {name: speed for (name, choice), speed in board.speeds.items() if choice == CHOSEN}
    if asks:
        name, longest = max(asks.items(), key=lambda item: item[1].largest)
        missed = "" if longest.largest <= 0.5 else f"{longest.largest - 0.5:.2f} s"
        measured = f"{longest.largest:.2f} s of the processor, {longest.largest_by_clock:.2f} s by the clock ({name})"
        yield Target("longest single question on any set", "0.5 s", measured, missed)
