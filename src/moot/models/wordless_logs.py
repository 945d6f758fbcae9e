"""What libraries log, without its words: as a warning does, it repeats what was asked or said, a key among it, and lines that
look like ours.

In a process of our own all that is not moot's is told so. It is taken at the handlers, of which a library may bring its own:
whatever is written down comes to one, be it logged, made without a logger, or dressed up on the way. In somebody else's process
logging is theirs, and nothing of it is touched.
"""

from __future__ import annotations

import logging
from typing import Any

from moot.models.wordless_line import folded, wordless_line


def log_without_words() -> None:
    """From now on in this process."""
    handle = logging.Handler.handle
    if getattr(handle, "tells_no_words", False):
        return

    def handle_untold(handler: logging.Handler, record: logging.LogRecord) -> bool:
        return handle(handler, record if _is_ours(record.name) else _untold(record))

    handle_untold.tells_no_words = True  # type: ignore[attr-defined]
    logging.Handler.handle = handle_untold  # type: ignore[assignment, method-assign]


class _Fields(dict[str, Any]):
    """Of a record. What a library has added to its own is empty, for those who would show it."""

    def __missing__(self, name: str) -> str:
        return ""


def _is_ours(name: object) -> bool:
    return isinstance(name, str) and (name == "moot" or name.startswith("moot."))


def _untold(record: logging.LogRecord) -> logging.LogRecord:
    """Another one, since it may come to several handlers."""
    place = (record.name, record.levelno, record.pathname, record.lineno)
    told = logging.LogRecord(*place, _in_short(record), (), None, record.funcName)
    told.created, told.msecs, told.relativeCreated = record.created, record.msecs, record.relativeCreated
    told.thread, told.threadName = record.thread, record.threadName
    told.process, told.processName = record.process, record.processName
    names = {name: folded(value) for name, value in told.__dict__.items() if isinstance(value, str) and name != "msg"}
    told.__dict__ = _Fields({**told.__dict__, **names})
    return told


def _in_short(record: logging.LogRecord) -> str:
    kind = record.exc_info[0] if isinstance(record.exc_info, tuple) and record.exc_info else None
    failed = () if kind is None else (folded(kind.__name__),)
    return wordless_line(f"{record.levelname} of {record.name}", (record.pathname, record.lineno), *failed)
