"""`python -m activefs` is the command `activefs`."""

import sys

from activefs.cli import main

if __name__ == "__main__":
    sys.exit(main())
