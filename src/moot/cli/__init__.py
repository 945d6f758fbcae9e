"""The command line: a thin edge. Commands are in modules of their own and import what they need when they run."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """The entry point: run a command, and turn what goes wrong into one readable message and the right exit code."""
    # Hundreds of modules are about to be loaded, and stay: looking for garbage among them takes a tenth of a start.
    gc.set_threshold(50_000, 20, 50)
    if sys.argv[1:2] == ["run"]:
        gc.disable()  # until it has loaded them: see `spare_collector`
        from moot.cli.heard import listen

        listen()
    from moot.cli.app import app
    from moot.cli.exit import leave, run_app
    from moot.cli.safe_text import say
    from moot.models.wordless_process import tell_without_words

    tell_without_words(lambda told: say(f"moot: {told}", file=sys.stderr))
    leave(run_app(app, sys.argv[1:]))
