"""Program start: `python -m framework` runs the command line of the framework."""

import sys

from .tools.cli import main

if __name__ == "__main__":
    sys.exit(main())
