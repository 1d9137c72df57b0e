"""How often a certificate is false, and how many labels a true one needs: sessions on small tables, run to the end."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
