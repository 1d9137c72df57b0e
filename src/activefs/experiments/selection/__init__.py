"""The paper's experiments on whole tables: baselines, ablations, aggregations, safeguards.

A work item is one run of one line on one data set for one k: the gap after every label. Items are computed once,
whatever plan needs them, and kept.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
