"""What people want to know besides: how many features are enough, when it will be done, how good the model is.

All of it is believed, not guaranteed: intervals are those of held-out rows and of the model. Values only; what they are
computed from is in `engine` and `study`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
