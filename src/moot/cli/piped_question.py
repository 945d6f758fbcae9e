"""A question that comes by a pipe: read whole, up to a bound, and never in silence."""

from __future__ import annotations

import sys
from threading import Timer

from moot.cli.safe_text import say
from moot.errors import UsageError

LONGEST = 1_000_000
"""Characters: as much as a server takes."""
SILENT_S = 1.0
"""Whoever waits for so long is told for what."""
WAITING = "moot: reading the question from the pipe, to its end (Ctrl-C stops)"


def piped_question() -> str:
    if sys.stdin is None:
        return ""
    told = Timer(SILENT_S, say, (WAITING,), {"file": sys.stderr})
    told.daemon = True
    if not sys.stdin.isatty():
        told.start()
    try:
        text = sys.stdin.read(LONGEST + 1)
    except UnicodeDecodeError as error:
        raise UsageError(f"the question on stdin: {error.reason}; expected {error.encoding}") from None
    except OSError as error:
        raise UsageError(f"the question on stdin cannot be read: {error.strerror or error}") from None
    finally:
        told.cancel()
    if len(text) > LONGEST:
        problem = f"the question on stdin is longer than {LONGEST:,} characters"
        raise UsageError(f"{problem}; a document that it is about goes behind --file")
    return text.strip()
