"""A process of our own tells no word of what libraries say, in whatever way: in a warning, a log, or a failure that nobody waits
for."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import TracebackType

from moot.models.wordless_line import wordless_line
from moot.models.wordless_logs import log_without_words
from moot.models.wordless_warnings import tell_warnings_without_words


def tell_without_words(tell: Callable[[str], object]) -> None:
    """From now on in this process. What is logged goes where logs go."""
    tell_warnings_without_words(tell)
    log_without_words()

    def failed(kind: type[BaseException] | None, trace: TracebackType | None, what: str) -> None:
        tell(wordless_line("failed" if kind is None else kind.__name__, _last_place(trace), what))

    def failed_in_thread(failure: threading.ExceptHookArgs) -> None:
        if failure.exc_type is not SystemExit:  # which ends a thread and is no failure
            failed(failure.exc_type, failure.exc_traceback, "in a thread")

    threading.excepthook = failed_in_thread
    sys.unraisablehook = lambda failure: failed(failure.exc_type, failure.exc_traceback, "which nobody could be given")


def _last_place(trace: TracebackType | None) -> tuple[str, int] | None:
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return None if trace is None else (trace.tb_frame.f_code.co_filename, trace.tb_lineno)
