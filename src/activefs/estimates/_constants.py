"""What many tables have shown about the errors of the assisted estimate."""

from __future__ import annotations

from typing import NamedTuple


class BeliefConstants(NamedTuple):
    """Numbers behind `Belief`, chosen on tables whose labels are all known.

    Attributes
    ----------
    softer : float
        Share of the sharpening, which helps the order of features, that is taken back in what is reported.
    timid : float
        What the model is timid by at first, in units of the error.
    unseen : float
        How much more there is to know per label that is expected to be of a class not seen yet.
    classes : float
        What it is timid by for each class beyond two, in units of the error, as long as it explains nothing.
    common, own : float
        Scales of the error that all features have in common, and of a feature's own.
    tails : float
        By how much bounds are wider than those of Student's t.
    choice : float
        Scale of a feature's own error where features are compared.
    gap : float
        Factor of the expected gap.
    growth, growth_compared : float
        How much slower than 1 / sqrt(n) errors fall, as a power of n; the second where features are compared.
    never_sure : float
        Share of the label's impurity that is never taken as explained.
    curvature : float
        Share of the squared error that is added to what is reported.
    """

    softer: float
    timid: float
    unseen: float
    classes: float
    common: float
    own: float
    tails: float
    choice: float
    gap: float
    growth: float = 0.15
    growth_compared: float = 0.1
    never_sure: float = 0.03
    curvature: float = 0.4


SHIPPED = BeliefConstants(
    softer=0.31, timid=0.109, unseen=0.114, classes=0.18, common=0.333, own=0.281, tails=1.5, choice=0.37, gap=1.5
)
"""Chosen on all tables; what others are worth that were chosen on half of them is measured on the other half."""
