"""Which labelled rows a model may be tried on."""

from __future__ import annotations

from activefs.engine._position import Position
from activefs.outlook import HeldOut


def held_out_rows(position: Position, n_rows: int) -> HeldOut:
    """Say which labels tell without bias how good a model is, and how much each of them counts.

    Rows that were drawn at random do, weighted by the inverse of the probability with which they were drawn; those that
    were chosen because the model was unsure of them are only learnt from. If none was drawn, as with labels that were
    there before, all of them count alike, and what is said of them does not call them random.
    """
    place = {told.row: i for i, told in enumerate(position.told)}
    n_open = n_rows - len(position.taken_before)
    weights: dict[int, float] = {}
    for move in position.moves:
        if move.opens:
            n_open += 1
            continue
        if move.chance is not None and move.row in place:
            weights[place[move.row]] = 1.0 / (move.chance.probability * n_open)
        n_open -= 1
    return HeldOut.drawn_with(weights) if weights else HeldOut.alike(len(position.told))
