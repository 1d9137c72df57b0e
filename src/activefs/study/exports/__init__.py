"""What leaves a study: labels and the log, as CSV, JSON lines or Parquet."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
