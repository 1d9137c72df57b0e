"""What people look at: pages from templates, pictures, and the words for what is measured.

Everything here takes plain arguments and knows nothing of the rest of activefs.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
