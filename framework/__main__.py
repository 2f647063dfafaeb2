"""Run the command line of the framework with `python -m framework`."""

import sys

from .tools.cli import main

if __name__ == "__main__":
    sys.exit(main())
