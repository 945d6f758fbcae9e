"""What libraries log, without its words: as a warning does, it repeats what was asked or said, a key among it, and lines that
look like ours.

In a process of our own all that is not moot's is told so. It is taken at the handlers, of which a library may bring its own:
whatever is written down comes to one, be it logged, made without a logger, or dressed up on the way. In somebody else's process
nothing of that is touched: there a record is made without its words, and without what else its library has added, where a call of
ours has led to it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import partial
from typing import Any

from moot.models.wordless_line import folded, wordless_line

within_call: ContextVar[bool] = ContextVar("without_words", default=False)
"""Whether what is told now arises within a call of ours."""


def log_without_words() -> None:
    """From now on in this process."""
    handle = logging.Handler.handle
    if _tells_no_words(handle):
        return

    def handle_untold(handler: logging.Handler, record: logging.LogRecord) -> bool:
        return handle(handler, record if _is_ours(record.name) else _untold(record))

    handle_untold.tells_no_words = True  # type: ignore[attr-defined]
    logging.Handler.handle = handle_untold  # type: ignore[assignment, method-assign]


def hide_words_of_logs() -> None:
    """Of what arises within a call, also in tasks of it that go on when it has ended: so it stays, and passes everything else
    through as it came. It is not at the factory of records, which others wrap in turn: there it would be put around each of
    theirs."""
    if _tells_no_words(logging.Handler.handle):
        return
    make, handle = logging.Logger.makeRecord, logging.Logger.handle
    if not _tells_no_words(make):

        def make_untold(logger: logging.Logger, *given: Any, **named: Any) -> logging.LogRecord:
            made = partial(make, logger)
            return _made_untold(made, *given, **named) if within_call.get() else made(*given, **named)

        make_untold.tells_no_words = True  # type: ignore[attr-defined]
        logging.Logger.makeRecord = make_untold  # type: ignore[assignment, method-assign]
    if not _tells_no_words(handle):

        def handle_untold(logger: logging.Logger, record: logging.LogRecord) -> None:
            """Of a record that was made in another way."""
            told = not within_call.get() or _is_ours(record.name) or isinstance(record.msg, _Untold)
            handle(logger, record if told else _untold(record))

        handle_untold.tells_no_words = True  # type: ignore[attr-defined]
        logging.Logger.handle = handle_untold  # type: ignore[assignment, method-assign]


def _made_untold(
    made: Callable[..., logging.LogRecord],
    name: str,
    level: int,
    fn: str,
    lno: int,
    msg: object,
    args: Any,
    exc_info: Any,
    func: str | None = None,
    extra: Mapping[str, object] | None = None,
    sinfo: str | None = None,
) -> logging.LogRecord:
    """`made`, and what follows: as `Logger.makeRecord` takes it. What somebody's own factory adds to its records it adds to these
    too; what the library adds (`extra`) nobody is told."""
    if _is_ours(name):
        return made(name, level, fn, lno, msg, args, exc_info, func, extra, sinfo)
    told = _in_short(logging.LogRecord(name, level, fn, lno, "", (), exc_info))
    record = made(folded(name), level, folded(fn), lno, told, (), None, None if func is None else folded(func))
    record.__dict__ = _Fields(record.__dict__)
    return record


class _Untold(str):
    """What is told instead: there is nothing in it to hide once more."""

    __slots__ = ()


class _Fields(dict[str, Any]):
    """Of a record. What a library has added to its own is empty, for those who would show it."""

    def __missing__(self, name: str) -> str:
        return ""

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        """For another process, which need not have us."""
        return dict, (dict(self),)


def _tells_no_words(by: Any) -> bool:
    return getattr(by, "tells_no_words", False)


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


def _in_short(record: logging.LogRecord) -> _Untold:
    kind = record.exc_info[0] if isinstance(record.exc_info, tuple) and record.exc_info else None
    failed = () if kind is None else (folded(kind.__name__),)
    return _Untold(wordless_line(f"{record.levelname} of {record.name}", (record.pathname, record.lineno), *failed))
