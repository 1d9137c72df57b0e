"""Which labelled rows a model may be tried on."""

from __future__ import annotations

from activefs.engine._position import Position
from activefs.outlook import HeldOut


def held_out_rows(position: Position, n_rows: int) -> HeldOut:
    """Say which labels tell without bias how good a model is, and how much each of them counts.

    Rows that were drawn at random do, weighted by the inverse of the probability with which they were drawn; those that
    were chosen because the model was unsure of them are only learnt from. As long as a position does not say how its
    rows were drawn, all of them count alike, and what is said of them does not call them random.
    """
    del n_rows  # how many of them were open says how much a draw counts
    return HeldOut.alike(len(position.told))
