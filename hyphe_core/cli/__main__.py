"""`python -m hyphe_core.cli`: the same as `hyphe`."""

import sys

from hyphe_core.cli import main

if __name__ == "__main__":
    sys.exit(main())
