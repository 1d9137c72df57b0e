"""What a setting accepts: checked in one place, with one wording, for Python, stored settings and the command line.

Every constraint says in words what it accepts, makes plain values of numpy's, writes its values as JSON and reads
them, reads them from the text of a command line, and names a few values that it refuses, which the tests try.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
