"""A question that comes by a pipe: read whole, up to a bound, and never in silence."""

from __future__ import annotations

import sys
from threading import Timer

from moot.cli.safe_text import say
from moot.errors import UsageError

LONGEST = 1_000_000
"""Characters: as much as a server takes."""
MOST_BYTES = 4 * LONGEST
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
        read = sys.stdin.buffer.read(MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"the question on stdin cannot be read: {error.strerror or error}") from None
    finally:
        told.cancel()
    return _text(read).strip()


def _text(read: bytes) -> str:
    """UTF-8 whatever the locale, as files are: else the same pipe would ask another question on another machine."""
    too_long = UsageError(
        f"the question on stdin is longer than {LONGEST:,} characters; a document that it is about goes behind --file"
    )
    if len(read) > MOST_BYTES:
        raise too_long
    try:
        text = read.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = read[: error.start].count(b"\n") + 1
        raise UsageError(f"the question on stdin, line {line}: expected UTF-8 text ({error.reason})") from None
    if len(text) > LONGEST:
        raise too_long
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise UsageError(f"the question on stdin, line {line}: expected text, found a NUL byte")
    return text.replace("\r\n", "\n")
