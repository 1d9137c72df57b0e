"""Targets on the paper's data sets."""

from __future__ import annotations

from collections.abc import Iterator

from activefs.experiments.leaderboard._board import Board
from activefs.experiments.leaderboard._groups import PAPER
from activefs.experiments.leaderboard._relative import labels_needed, relative, shown_labels
from activefs.experiments.leaderboard._target import WINNER, Target, at_most
from activefs.runs import PAPER_SETS

_MEANS = ((20, 0.09), (5, 0.09))
_SINGLE = (("PCMAC", 5, 0.5), ("MUSK", 20, 0.4), ("RELATHE", 20, 0.25))
_WORST = 0.7
_LABELS, _LAST = 150, 500


def paper_targets(board: Board) -> Iterator[Target]:
    """Judge all that the sets at hand can judge."""
    yield from _means(board)
    yield from _single(board)
    yield from _worst(board)
    yield from _labels(board)


def _means(board: Board) -> Iterator[Target]:
    for k, most in _MEANS:
        cells = PAPER.cells(board, k)
        found = relative(board, cells, WINNER, one_floor=True)
        strict = relative(board, cells, WINNER)
        if len(cells) == len(PAPER_SETS) and found is not None and strict is not None:
            what = f"mean gap on the paper's seven sets, k={k}, relative to the better floor of AFS"
            yield at_most(what, most, found, f"; if AFS may choose its floor anew on every set: {strict}")


def _single(board: Board) -> Iterator[Target]:
    for name, k, most in _SINGLE:
        cells = [cell for cell in PAPER.cells(board, k) if cell[0].name == name]
        found = relative(board, cells, WINNER)
        if found is not None:
            yield at_most(f"{name}, k={k}: mean gap relative to its better floor of AFS", most, found)


def _worst(board: Board) -> Iterator[Target]:
    found = []
    for source, k in PAPER.cells(board):
        ratio = relative(board, [(source, k)], WINNER)
        if ratio is not None:
            found.append((ratio.value, f"{source.name} k={k}: {ratio}"))
    if not found:
        return
    over = [text for value, text in sorted(found, reverse=True) if value > _WORST]
    worst = max(found)
    missed = f"{worst[0] - _WORST:.2f} at worst, in {len(over)} of {len(found)} cases" if over else ""
    yield Target(
        f"none of the paper's sets, with any k, worse than {_WORST} of AFS",
        f"at most {_WORST}",
        "; ".join(over) or f"worst: {worst[1]}",
        missed,
    )


def _labels(board: Board) -> Iterator[Target]:
    needed = {}
    for cell in PAPER.cells(board, 20):
        found = labels_needed(board, [cell], WINNER)
        if found is not None and board.settings.budget_of(cell[0]) >= _LAST:
            needed[cell[0].name] = found
    if needed:
        shown = [f"{name} {shown_labels(n, _LAST)}" for name, n in needed.items()]
        over = [text for text, n in zip(shown, needed.values(), strict=True) if n > _LABELS]
        what = f"k=20: labels to reach AFS's gap at {_LAST}, on each of the paper's sets"
        missed = f"{', '.join(over)} instead of {_LABELS} labels" if over else ""
        yield Target(what, f"at most {_LABELS}", ", ".join(shown), missed)
