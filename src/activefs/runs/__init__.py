"""What all experiments share.

A *line* is a strategy with its parameters, as a curve in a picture. A *work item* is what is computed once and kept:
for most experiments one run of one line on one data set. A *shard* is one or more items that are computed together in
one process. The *store* is the folder of finished items; *engines* run the shards that are missing, here or on a
cluster.

Where to look: data sets in ``_sources`` and ``_labelled_pools``, one run in ``_session`` and its gap in ``_gap``, items
in ``_items`` and ``_shards``, ``_store``, ``_engines``, from missing to kept in ``_work``, means and intervals in
``_bundle``, verdicts in ``_compare``, files in ``_reports``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
