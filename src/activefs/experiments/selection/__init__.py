"""The paper's experiments on whole tables: baselines, ablations, aggregations, safeguards.

A *line* is a strategy with its parameters, as a curve in a picture. A *piece* is one run of one line
on one data set for one k: the gap after every label. Pieces are computed once, whatever plan needs
them, and kept.
"""

from activefs.experiments.selection._plans import PLANS, Plan, Settings
from activefs.experiments.selection._reproduce import Outcome, reproduce
from activefs.experiments.selection._sources import Source

__all__ = ["PLANS", "Outcome", "Plan", "Settings", "Source", "reproduce"]
