"""Python's collector of garbage in processes that work for long."""

from __future__ import annotations

import gc


def spare_collector() -> None:
    """Let it look at new objects only, and less often.

    What is loaded by now stays to the end: going through all of it again and again stops everything else for a tenth of
    a second. Of the rest next to nothing is in a circle, so it need not be looked for after every few calls.
    """
    gc.freeze()
    gc.enable()  # who starts a process may have put it off until here
    gc.set_threshold(10_000, 20, 20)
