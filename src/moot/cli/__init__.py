"""The command line: a thin edge. Commands are in modules of their own and import what they need when they run."""

from __future__ import annotations

import sys


def main() -> None:
    """The entry point: run a command, and turn what goes wrong into one readable message and the right exit code."""
    from moot.cli.app import app
    from moot.cli.exit import leave, run_app

    leave(run_app(app, sys.argv[1:]))
