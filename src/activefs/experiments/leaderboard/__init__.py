"""The leaderboard: ways of choosing rows, combined with ways of judging features, on many data sets.

The labels of a run serve both estimates and, unless the choice depends on it, all k. Runs are kept as work
items like those of the paper's experiments, whose machinery computes them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
