"""The assisted estimate of a pool whose labels are known, from some of them."""

from __future__ import annotations

from functools import partial

from activefs.criteria import MutualInformation
from activefs.estimates import SHIPPED, AssistedEstimates, BeliefConstants, ShownConnection
from activefs.runs._labelled_pools import LabelledPool
from activefs.types import Ints

DELTA = 0.05
"""Confidence parameter of everything that experiments measure."""


def assisted_estimates(
    whole: LabelledPool, connection: ShownConnection, rows: Ints, seed: int, constants: BeliefConstants = SHIPPED
) -> AssistedEstimates:
    """Estimate from the labels of some rows, in the order in which they came.

    Parameters
    ----------
    whole : LabelledPool
        The pool and its labels.
    connection : ShownConnection
        Whose model is asked, and which says whether labels have shown anything.
    rows : array of int
        Rows whose labels are known.
    seed : int
        Seed of the draws.
    constants : BeliefConstants
        What the beliefs rest on.
    """
    labels = rows, whole.y[rows], int(whole.y.max()) + 1
    return AssistedEstimates(
        whole.pool,
        connection.assistant.complete(*labels),
        MutualInformation(),
        delta=DELTA,
        seed=seed,
        connected=partial(connection.shown, *labels),
        constants=constants,
    )
