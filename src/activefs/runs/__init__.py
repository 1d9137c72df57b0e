"""What all experiments share: data sources, work items and their store, engines that run them, comparisons."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
