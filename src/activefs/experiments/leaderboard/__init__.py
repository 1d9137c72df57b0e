"""The leaderboard: ways of choosing rows, combined with ways of judging features, on many data sets.

The labels of a run serve both estimates and, unless the choice depends on it, all k. Runs are kept in pieces like
those of the paper's experiments, whose machinery computes them.
"""

from activefs.experiments.leaderboard._choices import STRATEGIES, choices
from activefs.experiments.leaderboard._leaderboard import Outcome, leaderboard
from activefs.experiments.leaderboard._sets import NAMES, named
from activefs.experiments.leaderboard._settings import Settings

__all__ = ["NAMES", "STRATEGIES", "Outcome", "Settings", "choices", "leaderboard", "named"]
