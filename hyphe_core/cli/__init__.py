"""The command line `hyphe`."""

import sys


def main() -> int:
    """Carry out the command line of this process; the exit code."""
    from hyphe_core.cli.application import run

    return run(sys.argv[1:])
